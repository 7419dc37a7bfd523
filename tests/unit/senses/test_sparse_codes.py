"""Sums of a few atoms: worked by hand, against least squares over all that was chosen, and scikit-learn's pursuit."""

import numpy as np
import pytest

from firth.senses.dictionary import residuals
from firth.senses.sparse_codes import BLOCK, sparse_codes


def units(random, count, dim):
    rows = random.normal(size=(count, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def plain_pursuit(vector, atoms, sparsity, positive):
    """Nothing kept from step to step: products with what is left, then least squares over all that is chosen."""
    chosen, codes, left = [], np.zeros(0), vector
    for _ in range(sparsity):
        products = atoms @ left
        chosen.append(int(np.argmax(products if positive else np.abs(products))))
        codes = np.linalg.lstsq(atoms[chosen].T, vector, rcond=None)[0]
        left = vector - codes @ atoms[chosen]
    return chosen, codes


def test_by_hand():
    """Atoms (1, 0, 0), (0, 1, 0) and (.6, 0, .8); x = (3, 1, 4).

    Products 3, 1, 5: the third is chosen with coefficient 5, which leaves (0, 1, 0). Its products are 0, 1, 0: the
    second, with 1. The two stand at right angles, so the 5 stays, and nothing is left for a third.
    """
    atoms = np.array([[1, 0, 0], [0, 1, 0], [0.6, 0, 0.8]], dtype=np.float32)
    chosen, codes = sparse_codes(np.array([[3, 1, 4]], dtype=np.float32), atoms, 3)
    assert chosen.tolist() == [[2, 1, -1]]
    np.testing.assert_allclose(codes, [[5, 1, 0]], atol=1e-6)


def test_coefficients_are_fitted_anew_by_hand():
    """Atoms (1, 0) and (.6, .8); x = (2, 1). Products 2 and 2: the first of equals, with 2, which leaves (0, 1). Then
    the second, and x = a (1, 0) + b (.6, .8) gives b = 1 / .8 = 1.25, a = 2 - .75 = 1.25: no longer 2."""
    atoms = np.array([[1, 0], [0.6, 0.8]], dtype=np.float32)
    chosen, codes = sparse_codes(np.array([[2, 1]], dtype=np.float32), atoms, 2)
    assert chosen.tolist() == [[0, 1]]
    np.testing.assert_allclose(codes, [[1.25, 1.25]], atol=1e-6)


def test_only_what_points_the_same_way_by_hand():
    """x = (-2, 1) with atoms (1, 0), (0, 1): -2 is further from zero; of what is above it there is the second alone."""
    atoms, vectors = np.eye(2, dtype=np.float32), np.array([[-2, 1]], dtype=np.float32)
    assert sparse_codes(vectors, atoms, 1)[1].tolist() == [[-2]]
    chosen, codes = sparse_codes(vectors, atoms, 2, positive=True)
    assert chosen.tolist() == [[1, -1]]
    assert codes.tolist() == [[1, 0]]


@pytest.mark.parametrize("positive", [False, True])
def test_as_least_squares_over_all_that_is_chosen(positive):
    random = np.random.default_rng(0)
    vectors, atoms = random.normal(size=(300, 20)).astype(np.float32), units(random, 600, 20)
    chosen, codes = sparse_codes(vectors, atoms, 5, positive=positive)
    for vector, ours, numbers in zip(vectors.astype(np.float64), chosen, codes, strict=True):
        wanted, fitted = plain_pursuit(vector, atoms.astype(np.float64), 5, positive)
        assert ours.tolist() == wanted
        np.testing.assert_allclose(numbers, fitted, atol=2e-5)


def test_what_is_left_stands_at_right_angles():
    random = np.random.default_rng(1)
    vectors, atoms = random.normal(size=(50, 30)).astype(np.float32), units(random, 100, 30)
    chosen, codes = sparse_codes(vectors, atoms, 6)
    left = residuals(vectors, atoms, chosen, codes)
    assert np.abs(np.einsum("vd,vkd->vk", left, atoms[chosen])).max() < 1e-5


def test_nothing_to_code_and_nothing_more_to_add():
    """A zero vector has no atoms; one that is an atom, or its double, has one; alike atoms are not both chosen."""
    atoms = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    vectors = np.array([[0, 0], [1, 0], [0, 2], [1, 3]], dtype=np.float32)
    chosen, codes = sparse_codes(vectors, atoms, 3)
    assert chosen.tolist() == [[-1, -1, -1], [0, -1, -1], [2, -1, -1], [2, 0, -1]]
    assert codes.tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 1, 0]]


def test_threads_and_blocks_change_nothing():
    random = np.random.default_rng(2)
    vectors, atoms = random.normal(size=(BLOCK + 5, 8)).astype(np.float32), units(random, 300, 8)
    one, two = (sparse_codes(vectors, atoms, 3, threads=threads) for threads in (1, 2))
    assert (one[0] == two[0]).all()
    assert (one[1] == two[1]).all()
    alone = sparse_codes(vectors[-5:], atoms, 3)
    assert (alone[0] == one[0][-5:]).all()


@pytest.mark.peer
def test_as_scikit_learn():
    linear_model = pytest.importorskip(
        "sklearn.linear_model", reason="scikit-learn is not installed: pip install scikit-learn"
    )
    random = np.random.default_rng(3)
    vectors, atoms = random.normal(size=(400, 50)).astype(np.float32), units(random, 500, 50)
    theirs = linear_model.orthogonal_mp(atoms.T.astype(np.float64), vectors.T.astype(np.float64), n_nonzero_coefs=5)
    chosen, codes = sparse_codes(vectors, atoms, 5)
    ours = np.zeros((400, 500))
    np.put_along_axis(ours, chosen, codes, axis=1)
    np.testing.assert_allclose(ours, theirs.T, atol=2e-5)
