"""CSLS by hand, and against two loops."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError, ShapeError
from firth.vectors.csls import csls, csls_nearest, surroundings


def naive(points, others, neighbours):
    """The formula of the paper, one pair of vectors at a time."""

    def cosine(x, y):
        return float(x @ y / np.sqrt((x @ x) * (y @ y)))

    def around(x, side):
        return np.mean(sorted((cosine(x, y) for y in side), reverse=True)[:neighbours])

    return [[2 * cosine(x, y) - around(x, others) - around(y, points) for y in others] for x in points]


def test_by_hand():
    """One x = (1, 0) and y1 = (1, 0), y2 = (0, 1), K = 1.

    cos(x, y1) = 1 and cos(x, y2) = 0. r(x) = 1, of y1. The only x gives r(y1) = 1 and r(y2) = 0. So
    csls(x, y1) = 2 - 1 - 1 = 0 and csls(x, y2) = 0 - 1 - 0 = -1.
    """
    points, others = np.array([[1.0, 0.0]]), np.eye(2)
    assert csls(points, others, 1).tolist() == [[0, -1]]
    assert surroundings(others, points, 1).tolist() == [1, 0]


@pytest.mark.parametrize("neighbours", [1, 3, 10, 1000])
def test_two_loops(neighbours):
    rng = np.random.default_rng(neighbours)
    points, others = rng.normal(size=(30, 5)), rng.normal(size=(40, 5)) + 0.3
    expected = np.array(naive(points, others, neighbours))
    assert csls(points, others, neighbours) == pytest.approx(expected, abs=1e-12)
    rows, scores = csls_nearest(points, others, 7, neighbours)
    order = np.argsort(-expected, axis=1)[:, :7]
    assert np.array_equal(rows, order)
    assert scores == pytest.approx(np.take_along_axis(expected, order, axis=1), abs=1e-12)


def test_single_precision_and_many_points():
    rng = np.random.default_rng(0)
    points, others = (rng.normal(size=(1100, 4)).astype(np.float32) for _ in range(2))  # more than one batch
    rows, scores = csls_nearest(points, others, 3)
    whole = csls(points, others)
    assert scores == pytest.approx(-np.sort(-whole, axis=1)[:, :3], abs=2e-6)
    assert rows.shape == (1100, 3)


def test_a_hub_loses_its_advantage():
    """The last y is the direction that all x have in common: by cosine it is the answer to many of them."""
    rng = np.random.default_rng(1)
    common = 4 * np.eye(20)[0]
    noise = rng.normal(size=(2, 50, 20))
    points, others = noise[0] + common, np.concatenate([noise[0] + 1.2 * noise[1] + common, [common]])
    unit = [side / np.linalg.norm(side, axis=1)[:, None] for side in (points, others)]
    by_cosine, by_csls = (unit[0] @ unit[1].T).argmax(axis=1), csls_nearest(points, others, 1)[0][:, 0]
    assert np.sum(by_cosine == 50) >= 10
    assert np.sum(by_csls == 50) <= 2
    assert np.sum(by_csls == np.arange(50)) > np.sum(by_cosine == np.arange(50)) + 5


def test_a_word_is_no_neighbour_of_itself():
    vectors = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    assert surroundings(vectors, vectors, 1, own=True) == pytest.approx([0.6, 0.8, 0.8])
    assert surroundings(vectors, vectors, 1).tolist() == pytest.approx([1, 1, 1])
    same = np.ones((20, 2))
    assert surroundings(same, same, 3, own=True) == pytest.approx(np.ones(20))


def test_bad_input():
    two, three = np.eye(2), np.eye(3)
    with pytest.raises(ShapeError, match="expected equal widths"):
        csls(two, three)
    with pytest.raises(ShapeError, match="expected equal numbers"):
        surroundings(two[:1], two, 1, own=True)
    with pytest.raises(OptionError, match="0 neighbours"):
        csls(two, two, 0)
    with pytest.raises(OptionError, match="among 0 vectors"):
        csls(two, two[:0])
    with pytest.raises(FormatError, match="vector 0 has the length nan"):
        csls(two, np.array([[np.nan, 1]]))
