"""Maps learned from pairs: by hand, against SciPy and NumPy, and what is refused."""

import numpy as np
import pytest
import scipy.linalg

from firth.alignment.steps import METHODS, Placement, canonical, least_squares, normalise, orthogonal, weighted
from firth.errors import OptionError, ShapeError
from tests.unit.alignment.spaces import rotation


@pytest.fixture
def sides():
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 8))
    return x, x @ rotation(8) + 0.3 * random.normal(size=(60, 8))


def test_a_quarter_turn():
    """x1 = (1, 0), x2 = (0, 1) have the partners (0, 1) and (-1, 0): X^T Z = ((0, 1), (-1, 0)), itself orthogonal.

    Its polar factor U V^T is therefore ((0, 1), (-1, 0)), which turns x1 onto (0, 1) and x2 onto (-1, 0).
    """
    turn, same = orthogonal(np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert turn == pytest.approx(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert np.array_equal(same, np.eye(2))


def test_least_squares_by_hand():
    """x = 1, 2, 3 and z = 2, 3, 7: A = sum x z / sum x^2 = (2 + 6 + 21) / 14 = 29 / 14."""
    found, _ = least_squares(np.array([[1.0], [2.0], [3.0]]), np.array([[2.0], [3.0], [7.0]]))
    assert found == pytest.approx(np.array([[29 / 14]]))


def test_procrustes_is_that_of_scipy(sides):
    x, z = sides
    mine, _ = orthogonal(x, z)
    theirs, _ = scipy.linalg.orthogonal_procrustes(x, z)
    assert np.abs(mine - theirs).max() < 1e-12
    assert np.abs(mine.T @ mine - np.eye(8)).max() < 1e-12


def test_a_rotation_is_recovered_through_noise():
    random = np.random.default_rng(1)
    x, turn = random.normal(size=(2000, 30)), rotation(30)
    found, _ = orthogonal(x, x @ turn + 0.1 * random.normal(size=(2000, 30)))
    # Each number of the map is off by about 0.1 / sqrt(2 * 2000) = 0.0016.
    assert np.sqrt(((found - turn) ** 2).mean()) < 0.002


def test_least_squares_beats_every_other_map_on_its_pairs(sides):
    x, z = sides
    best = ((x @ least_squares(x, z)[0] - z) ** 2).sum()
    assert best < ((x @ orthogonal(x, z)[0] - z) ** 2).sum()
    random = np.random.default_rng(2)
    for _ in range(20):
        assert best < ((x @ (least_squares(x, z)[0] + 0.01 * random.normal(size=(8, 8))) - z) ** 2).sum()


def test_canonical_directions_are_white_and_correlate_in_falling_order(sides):
    """The definition: (X A)^T (X A) = I, (Z C)^T (Z C) = I, and (X A)^T (Z C) diagonal and falling."""
    x, z = sides
    a, c = canonical(x, z)
    assert np.abs((x @ a).T @ (x @ a) - np.eye(8)).max() < 1e-10
    assert np.abs((z @ c).T @ (z @ c) - np.eye(8)).max() < 1e-10
    shared = (x @ a).T @ (z @ c)
    assert np.abs(shared - np.diag(np.diag(shared))).max() < 1e-10
    assert (np.diff(np.diag(shared)) <= 1e-12).all()
    assert np.diag(shared).max() <= 1


def test_weighting_by_the_definition(sides):
    """(X^T X)^(-1/2) U S^(1/2) U^T (X^T X)^(1/2) U, written out by powers of matrices."""
    x, z = sides
    root_x, root_z = (scipy.linalg.sqrtm(rows.T @ rows) for rows in (x, z))
    u, s, vt = np.linalg.svd(np.linalg.inv(root_x) @ x.T @ z @ np.linalg.inv(root_z))
    a = np.linalg.inv(root_x) @ u @ np.diag(s**0.5) @ u.T @ root_x @ u
    c = np.linalg.inv(root_z) @ vt.T @ np.diag(s**0.5) @ vt @ root_z @ vt.T
    mine = weighted(x, z)
    signs = np.sign((mine[0] * a).sum(axis=0))  # a direction's sign is free, the same on both sides
    assert np.abs(mine[0] * signs - a).max() < 1e-8
    assert np.abs(mine[1] * signs - c).max() < 1e-8


def test_weight_0_is_a_rotation_of_both(sides):
    x, z = sides
    a, c = weighted(x, z, 0.0)
    assert np.abs(a.T @ a - np.eye(8)).max() < 1e-10
    assert np.abs(c.T @ c - np.eye(8)).max() < 1e-10


@pytest.mark.parametrize("method", ["least-squares", "cca", "weighted"])
def test_widths_may_differ_where_the_map_is_not_orthogonal(method):
    random = np.random.default_rng(0)
    x, z = random.normal(size=(50, 6)), random.normal(size=(50, 4))
    a, c = METHODS[method](x, z)
    assert (x @ a).shape == (z @ c).shape == (50, 4)


def test_unlike_widths_are_refused():
    with pytest.raises(OptionError, match=r"vectors of dimensions 6 and 4.*least-squares"):
        orthogonal(np.ones((9, 6)), np.ones((9, 4)))


@pytest.mark.parametrize("method", ["least-squares", "cca", "weighted"])
def test_fewer_pairs_than_directions_are_refused(method):
    random = np.random.default_rng(0)
    with pytest.raises(OptionError, match=r"5 pairs whose source vectors span 5 of 8 dimensions.*orthogonal"):
        METHODS[method](random.normal(size=(5, 8)), random.normal(size=(5, 8)))


def test_normalised_rows():
    """(3, 4), (0, 2) have length 1 as (.6, .8), (0, 1); their mean is (.3, .9), so that (.3, -.1), (-.3, .1) are left.

    At length 1 again: (.3, -.1) / sqrt(.1) = (.9487, -.3162).
    """
    rows = np.array([[3.0, 4.0], [0.0, 2.0]], dtype=np.float32)
    made, mean = normalise(rows, "unit-centre-unit")
    assert mean == pytest.approx([0.3, 0.9])
    assert made == pytest.approx(np.array([[0.9487, -0.3162], [-0.9487, 0.3162]]), abs=1e-4)
    assert normalise(rows, "unit-centre")[0] == pytest.approx(np.array([[0.3, -0.1], [-0.3, 0.1]]))
    assert np.array_equal(normalise(rows, "none")[0], rows)


def test_other_rows_are_placed_as_those_that_were_normalised():
    rows = np.random.default_rng(0).normal(size=(30, 5)).astype(np.float32)
    made, mean = normalise(rows, "unit-centre-unit")
    placement = Placement("unit-centre-unit", mean, rotation(5))
    assert placement.apply(rows[7:9]) == pytest.approx(made[7:9] @ rotation(5), abs=1e-6)
    with pytest.raises(ShapeError, match="expected rows of dimension 5"):
        placement.apply(np.ones((2, 4)))


def test_an_unknown_normalisation():
    with pytest.raises(OptionError, match="normalise='l2': expected one of none, unit, "):
        normalise(np.ones((2, 2)), "l2")
