"""Truncated singular value decomposition beside NumPy's whole one."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import svds

from firth.counts.factorise import factorise
from firth.errors import OptionError

SHAPES = [((60, 40), 10), ((40, 60), 12), ((300, 200), 30), ((200, 300), 200), ((5, 1), 1), ((700, 500), 40)]


def random_matrix(shape, density, seed):
    """SciPy's own `random_array` names its generator differently before and after 1.15."""
    random = np.random.default_rng(seed)
    places = tuple(random.integers(0, size, int(density * shape[0] * shape[1])) for size in shape)
    return sparse.coo_array((random.random(len(places[0])), places), shape).tocsr()


@pytest.mark.parametrize(("shape", "rank"), SHAPES, ids=str)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_largest_components_are_numpys(shape, rank, threads):
    matrix = random_matrix(shape, 0.2, seed=1)
    found = factorise(matrix, rank, threads=threads)
    u, s, vt = np.linalg.svd(matrix.toarray(), full_matrices=False)
    np.testing.assert_allclose(found.values, s[:rank], atol=1e-9 * s[0])
    dense = (u[:, :rank] * s[:rank]) @ vt[:rank]
    np.testing.assert_allclose((found.left * found.values) @ found.right.T, dense, atol=1e-6 * s[0])
    for side in (found.left, found.right):
        np.testing.assert_allclose(side.T @ side, np.eye(rank), atol=1e-10)


def test_of_equal_components_any_basis_will_do():
    """The identity has one singular value: the search runs dry after a block and must begin anew."""
    found = factorise(sparse.eye_array(80), 60)
    np.testing.assert_allclose(found.values, 1)
    np.testing.assert_allclose(found.left, found.right, atol=1e-10)


def test_a_matrix_of_lower_rank_than_asked():
    random = np.random.default_rng(2)
    dense = random.standard_normal((90, 4)) @ random.standard_normal((4, 70))
    found = factorise(sparse.csr_array(dense), 20)
    np.testing.assert_allclose((found.left * found.values) @ found.right.T, dense, atol=1e-9)
    np.testing.assert_allclose(found.values[4:], 0, atol=1e-6)


def test_an_empty_matrix():
    assert factorise(sparse.csr_array((30, 20)), 5).values.tolist() == [0] * 5


def test_slowly_falling_values_are_found_as_arpack_finds_them():
    matrix = random_matrix((4000, 3000), 0.004, seed=3)
    found = factorise(matrix, 20)
    u, s, _ = svds(matrix, 20)
    np.testing.assert_allclose(found.values, s[::-1], rtol=1e-7)
    assert abs(np.linalg.svd(found.left.T @ u)[1] - 1).max() < 1e-4  # the same subspace


def test_a_seed_gives_the_same_bits_with_any_threads():
    matrix = random_matrix((500, 400), 0.1, seed=4)
    one, two = (factorise(matrix, 15, seed=3, threads=threads) for threads in (1, 2))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True))


def test_the_largest_number_of_each_left_column_is_positive():
    matrix = random_matrix((50, 40), 0.5, seed=6)
    left = factorise(matrix, 10).left
    assert (left[np.abs(left).argmax(0), range(10)] > 0).all()


@pytest.mark.parametrize("rank", [0, 41])
def test_rank_out_of_range(rank):
    with pytest.raises(OptionError, match=f"rank {rank} of a matrix of 60 x 40: expected 1 to 40"):
        factorise(sparse.csr_array(np.ones((60, 40))), rank)


def test_numbers_that_are_not_finite():
    with pytest.raises(OptionError, match="NaN or infinity"):
        factorise(sparse.csr_array([[np.nan, 1.0], [1.0, 1.0]]), 1)
