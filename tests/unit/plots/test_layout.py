import numpy as np
import pytest

from firth.plots.layout import flatten, separate


def test_points_of_a_plane_stay_where_they_are_to_each_other():
    """Four corners of a square on the sphere: equal neighbours, equal diagonals."""
    corners = np.array([[1, 1, 5], [1, -1, 5], [-1, -1, 5], [-1, 1, 5]], dtype=float)
    flat = flatten(corners)
    sides = np.linalg.norm(flat - np.roll(flat, 1, axis=0), axis=1)
    diagonals = np.linalg.norm(flat[:2] - flat[2:], axis=1)
    np.testing.assert_allclose(sides, sides[0], rtol=1e-6)
    np.testing.assert_allclose(diagonals, diagonals[0], rtol=1e-6)
    assert diagonals[0] > 1.3 * sides[0]


def test_near_vectors_are_near_on_the_map():
    """Three tight bunches of ten: the nearest point of each word is of its own bunch."""
    random = np.random.default_rng(0)
    bunches = random.normal(size=(3, 50))
    rows = np.repeat(bunches, 10, axis=0) + 0.4 * random.normal(size=(30, 50))
    flat = flatten(rows)
    apart = np.linalg.norm(flat[:, None] - flat[None], axis=2) + np.diag([np.inf] * 30)
    np.testing.assert_array_equal(apart.argmin(axis=1) // 10, np.arange(30) // 10)


def test_the_same_vectors_give_the_same_map_whatever_their_lengths():
    random = np.random.default_rng(0)
    rows = random.normal(size=(20, 10))
    np.testing.assert_array_equal(flatten(rows), flatten(rows))
    np.testing.assert_allclose(flatten(rows), flatten(rows * random.uniform(0.1, 9, size=(20, 1))), atol=1e-9)


@pytest.mark.parametrize("rows", [np.ones((1, 4)), np.eye(2), np.ones((5, 3)), np.eye(3)[:, :1] + 1])
def test_few_or_equal_vectors_give_finite_points(rows):
    assert flatten(rows).shape == (len(rows), 2)
    assert np.isfinite(flatten(rows)).all()


def overlaps(middles, sizes):
    apart = np.abs(middles[:, None] - middles[None])
    reach = (sizes[:, None] + sizes[None]) / 2
    touching = (apart < reach - 0.5).all(axis=2)  # half a pixel is not seen
    return int(touching.sum() - len(middles)) // 2


def test_labels_come_apart():
    random = np.random.default_rng(0)
    anchors = random.uniform(0, 600, size=(40, 2))
    sizes = np.column_stack([random.uniform(30, 90, 40), np.full(40, 16)])
    assert overlaps(anchors, sizes) > 5
    spread = separate(anchors, sizes)
    assert overlaps(spread, sizes) == 0
    assert np.median(np.linalg.norm(spread - anchors, axis=1)) < 15


def test_labels_on_one_spot_come_apart():
    sizes = np.full((3, 2), 20.0)
    assert overlaps(separate(np.zeros((3, 2)), sizes), sizes) == 0


def test_labels_that_are_apart_stay():
    anchors = np.array([[0.0, 0.0], [100.0, 0.0]])
    np.testing.assert_array_equal(separate(anchors, np.full((2, 2), 50.0)), anchors)
