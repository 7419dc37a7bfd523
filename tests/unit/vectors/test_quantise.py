"""Product quantisation, by hand and by what codes may cost."""

import numpy as np
import pytest

from firth.errors import OptionError
from firth.vectors.quantise import CODES, ProductQuantiser, QuantisedMatrix, quantise_matrix, train_quantiser


def hand_made() -> ProductQuantiser:
    """Width 3 in parts of 2 and 1: centroid k of the first part is (k, -k), of the last 10 k."""
    numbers = np.arange(CODES, dtype=np.float32)
    return ProductQuantiser(3, 2, np.concatenate([np.stack([numbers, -numbers], 1).reshape(-1), 10 * numbers]))


def test_parts_of_a_width_that_does_not_divide():
    quantiser = hand_made()
    assert quantiser.parts == 2
    assert quantiser.part(0).shape == (CODES, 2)
    assert quantiser.part(1).shape == (CODES, 1)


def test_encode_and_decode_by_hand():
    """(3.2, -2.9) is nearest to (3, -3), 68 to 70, and 4000 to 2550, the last."""
    quantiser = hand_made()
    codes = quantiser.encode(np.array([[3.2, -2.9, 68.0], [0.0, 0.0, 4000.0]]))
    assert codes.tolist() == [[3, 7], [0, 255]]
    assert quantiser.decode(codes).tolist() == [[3, -3, 70], [0, 0, 2550]]


def test_lengths_stand_apart():
    """Row 0 is (3, -3, 70) at length 2, row 1 at length 5."""
    codes = np.array([[3, 7], [3, 7]], dtype=np.uint8)
    lengths = ProductQuantiser(1, 1, np.arange(CODES, dtype=np.float32))
    matrix = QuantisedMatrix(codes, hand_made(), np.array([2, 5], dtype=np.uint8), lengths)
    assert matrix.shape == (2, 3)
    assert matrix.rows().tolist() == [[6, -6, 140], [15, -15, 350]]
    assert matrix.rows([1]).tolist() == [[15, -15, 350]]
    assert matrix.part(slice(1, None)).rows().tolist() == [[15, -15, 350]]


def test_few_distinct_rows_are_kept_exactly():
    random = np.random.default_rng(0)
    distinct = random.normal(size=(100, 6)).astype(np.float32)
    rows = distinct[random.integers(0, 100, 2000)]
    assert quantise_matrix(rows, width=2).rows() == pytest.approx(rows, abs=1e-6)


@pytest.mark.parametrize("width", [1, 2, 3, 7])
@pytest.mark.parametrize("lengths", [False, True])
def test_wider_parts_cost_more(width, lengths):
    """256 centroids of a Gaussian in w dimensions leave an error of about 256^(-2/w) of its variance."""
    rows = np.random.default_rng(1).normal(size=(5000, 7)).astype(np.float32)
    matrix = quantise_matrix(rows, width=width, lengths=lengths)
    error = np.mean((matrix.rows() - rows) ** 2)
    assert matrix.codes.shape == (5000, -(-7 // width))
    assert error < {1: 0.001, 2: 0.03, 3: 0.1, 7: 0.45}[width]


def test_k_means_is_better_than_rows_at_random():
    rows = np.random.default_rng(2).normal(size=(5000, 4)).astype(np.float32)
    learned = quantise_matrix(rows, width=2)
    chance = ProductQuantiser(4, 2, np.concatenate([rows[:CODES, :2].reshape(-1), rows[:CODES, 2:].reshape(-1)]))
    assert np.mean((learned.rows() - rows) ** 2) < 0.8 * np.mean((chance.decode(chance.encode(rows)) - rows) ** 2)


def test_a_seed_decides_everything():
    rows = np.random.default_rng(3).normal(size=(1000, 4)).astype(np.float32)
    one, same, other = (quantise_matrix(rows, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.codes, same.codes)
    assert not np.array_equal(one.codes, other.codes)


def test_rows_of_zeros_and_a_single_row():
    assert quantise_matrix(np.zeros((5, 4), dtype=np.float32), lengths=True).rows().tolist() == [[0] * 4] * 5
    assert quantise_matrix(np.array([[1.5, -2, 3, 0.25]], dtype=np.float32)).rows().tolist() == [[1.5, -2, 3, 0.25]]


@pytest.mark.parametrize("width", [0, 5])
def test_a_width_that_is_none(width):
    with pytest.raises(OptionError, match=rf"width={width}: expected from 1 to 4"):
        train_quantiser(np.zeros((3, 4)), width)


def test_no_rows():
    with pytest.raises(OptionError, match="no rows to learn centroids from"):
        train_quantiser(np.zeros((0, 4)), 2)
