"""Exact search against sorting everything."""

import numpy as np
import pytest

from firth.errors import FormatError
from firth.vectors import cosine, neighbours


def sorted_all(vectors, queries, k):
    cosines = cosine.unit(queries.astype(np.float64)) @ cosine.unit(vectors.astype(np.float64)).T
    order = np.lexsort((np.broadcast_to(np.arange(len(vectors)), cosines.shape), -cosines))[:, :k]
    return order, np.take_along_axis(cosines, order, axis=1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("block", [1, 7, 64, 10_000])
def test_blocks_of_any_size_give_the_same(dtype, block, monkeypatch):
    rng = np.random.default_rng(0)
    vectors, queries = rng.normal(size=(1000, 8)).astype(dtype), rng.normal(size=(40, 8)).astype(dtype)
    monkeypatch.setattr(neighbours, "block_rows", lambda batch, vectors: block)
    monkeypatch.setattr(neighbours, "BATCH", 16)
    rows, scores = neighbours.nearest(vectors, cosine.row_norms(vectors), queries, 9)
    expected_rows, expected_scores = sorted_all(vectors, queries, 9)
    assert np.array_equal(rows, expected_rows)
    assert scores == pytest.approx(expected_scores, abs=1e-6)


@pytest.mark.parametrize("block", [3, 100])
def test_equals_come_in_the_order_of_their_rows(block, monkeypatch):
    vectors = np.tile(np.eye(2, dtype=np.float32), (20, 1))  # rows 0, 2, 4, ... are equal, and so are 1, 3, 5, ...
    monkeypatch.setattr(neighbours, "block_rows", lambda batch, vectors: block)
    rows, scores = neighbours.nearest(vectors, cosine.row_norms(vectors), np.eye(2), 25)
    assert rows[0].tolist() == [*range(0, 40, 2), 1, 3, 5, 7, 9]
    assert scores[1].tolist() == [1.0] * 20 + [0.0] * 5


def test_window():
    vectors = np.eye(6, dtype=np.float32)
    norms = cosine.row_norms(vectors)
    rows, _ = neighbours.nearest(vectors, norms, vectors[:1], 10, start=2, end=5)
    assert rows.tolist() == [[2, 3, 4]]
    assert neighbours.nearest(vectors, norms, vectors[:1], 3, start=5, end=5)[0].shape == (1, 0)
    assert neighbours.nearest(vectors, norms, vectors[:0], 3)[0].shape == (0, 0)
    assert neighbours.cosines(vectors, norms, vectors[2:3], start=1, end=4).tolist() == [[0, 1, 0]]


def test_lengths():
    vectors = np.array([[3, 4], [0, 0]], dtype=np.float16)
    assert cosine.row_norms(vectors).tolist() == [5, 0]
    assert cosine.inverse(cosine.row_norms(vectors)).tolist() == pytest.approx([0.2, 0])
    # In half precision the squares would overflow: 300^2 is above 65,504.
    assert cosine.row_norms(np.array([[300, 400]], dtype=np.float16)).tolist() == [500]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_query_that_is_not_finite(wrong):
    vectors, queries = np.eye(3, dtype=np.float32), np.ones((2, 3))
    queries[1, 0] = wrong
    with np.errstate(invalid="ignore"), pytest.raises(FormatError, match="query vector 1 holds NaN"):
        neighbours.nearest(vectors, cosine.row_norms(vectors), queries, 1)


def test_a_vector_that_is_not_finite():
    with pytest.raises(FormatError, match="vector 1 has the length inf"):
        cosine.row_norms(np.array([[1, 1], [np.inf, 1]], dtype=np.float32))


@pytest.mark.parametrize("block", [1, 7, 64])
def test_cosines_of_a_window_in_blocks(block, monkeypatch):
    rng = np.random.default_rng(0)
    vectors, queries = rng.normal(size=(100, 8)).astype(np.float32), rng.normal(size=(5, 8))
    monkeypatch.setattr(neighbours, "block_rows", lambda batch, vectors: block)
    cosines = neighbours.cosines(vectors, cosine.row_norms(vectors), queries, start=10, end=90)
    expected = cosine.unit(queries) @ cosine.unit(vectors[10:90].astype(np.float64)).T
    assert cosines.dtype == np.float32
    assert cosines == pytest.approx(expected, abs=1e-6)


def test_blocks_fit_the_cache():
    single, half = np.zeros((1, 2), dtype=np.float32), np.zeros((1, 2), dtype=np.float16)
    assert neighbours.block_rows(64, single) * 64 == neighbours.SCORES
    assert neighbours.block_rows(0, single) == neighbours.SCORES
    assert neighbours.block_rows(10**6, single) == neighbours.BATCH
    assert neighbours.block_rows(1, half) == neighbours.CONVERTED


@pytest.fixture
def always_rounded(monkeypatch):
    """Round first however few vectors there are; return how often that was done."""
    from firth.vectors import rounded

    calls = []
    monkeypatch.setattr(rounded, "SAMPLE", 16)
    nearest_rounded = rounded.nearest_rounded
    for name, value in {"WORTH": 0, "FEW": 3, "SCREENED": 50, "NARROWEST": 16, "MOST": 9}.items():
        monkeypatch.setattr(neighbours, name, value)
    monkeypatch.setattr(rounded, "nearest_rounded", lambda *args: calls.append(1) or nearest_rounded(*args))
    return calls


@pytest.mark.parametrize("zero", [[], [1], [0, 1, 2, 3]])
def test_queries_of_zeros_are_equally_like_all_rows(zero, always_rounded):
    """Where rows are rounded first, the other queries' answers stay in their places."""
    rng = np.random.default_rng(1)
    vectors, queries = rng.normal(size=(80, 16)).astype(np.float32), rng.normal(size=(4, 16)).astype(np.float32)
    queries[zero] = 0
    rows, scores = neighbours.nearest(vectors, cosine.row_norms(vectors), queries, 9, start=20)
    expected_rows, expected_scores = sorted_all(vectors[20:], queries, 9)
    expected_rows[zero] = np.arange(9)
    assert np.array_equal(rows, expected_rows + 20)
    assert scores == pytest.approx(expected_scores, abs=1e-6)
    assert len(always_rounded) == (len(zero) < 4)


@pytest.mark.parametrize(
    ("changes", "rounds"),
    [
        ({}, True),
        ({"queries": 2}, False),
        ({"rows": 49}, False),
        ({"dim": 15}, False),
        ({"k": 10}, False),
        ({"k": 0}, False),
        ({"dtype": np.float64}, False),
        ({"work": 4 * 60 * 16 + 1}, False),
        ({"work": 4 * 60 * 16}, True),
    ],
)
def test_rounding_first_needs_enough_comparisons(changes, rounds, always_rounded, monkeypatch):
    case = {"queries": 4, "rows": 60, "dim": 16, "k": 9, "dtype": np.float32, "work": 0} | changes
    monkeypatch.setattr(neighbours, "WORTH", case["work"])
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(case["rows"] + 7, case["dim"])).astype(case["dtype"])
    queries = rng.normal(size=(case["queries"], case["dim"]))
    rows, _ = neighbours.nearest(vectors, cosine.row_norms(vectors), queries, case["k"], start=7)
    assert np.array_equal(rows, sorted_all(vectors[7:], queries, case["k"])[0] + 7)
    assert len(always_rounded) == rounds
