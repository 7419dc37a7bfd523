"""K-SVD: one step by hand, and a planted dictionary found again."""

import numpy as np

from firth.senses import dictionary
from firth.senses.dictionary import learn_dictionary, residuals
from firth.senses.sparse_codes import sparse_codes


def units(random, count, dim):
    rows = random.normal(size=(count, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def planted(random, count=3000, atoms=40, dim=20, sparsity=2, noise=0.0):
    """Vectors that are sums of two of forty atoms, with coefficients from 1 to 2 of either sign."""
    truth = units(random, atoms, dim)
    indices = np.array([random.permutation(atoms)[:sparsity] for _ in range(count)])
    codes = random.uniform(1, 2, indices.shape) * random.choice([-1, 1], indices.shape)
    rows = np.einsum("vk,vkd->vd", codes, truth[indices]) + noise * random.normal(size=(count, dim))
    return truth, rows.astype(np.float32)


def recovered(truth, atoms):
    return np.abs(truth @ atoms.T).max(axis=1)


def test_one_step_by_hand():
    """Two vectors (3, 1) and (4, -1) use the atom (1, 0) with 3 and 4, with residuals (0, 1) and (0, -1).

    E^T g = 3 (3, 1) + 4 (4, -1) = (25, -1), of length sqrt(626): the atom. Then
    g = E A = (75 - 1, 100 + 1) / sqrt(626).
    """
    atoms, codes = np.array([[1, 0]], dtype=np.float32), np.array([[3], [4]], dtype=np.float32)
    vectors = np.array([[3, 1], [4, -1]], dtype=np.float32)
    residual = residuals(vectors, atoms, np.zeros((2, 1), dtype=np.int32), codes)
    assert residual.tolist() == [[0, 1], [0, -1]]
    dictionary._refit(atoms, np.zeros((2, 1), dtype=np.int32), codes, residual, np.random.default_rng(0))
    np.testing.assert_allclose(atoms, np.array([[25, -1]]) / np.sqrt(626), rtol=1e-6)
    np.testing.assert_allclose(codes, np.array([[74], [101]]) / np.sqrt(626), rtol=1e-6)
    np.testing.assert_allclose(residual, vectors - codes @ atoms, atol=1e-6)


def test_a_step_never_loses_and_keeps_count():
    random = np.random.default_rng(0)
    _, rows = planted(random, noise=0.3)
    atoms = units(random, 30, 20)
    indices, codes = sparse_codes(rows, atoms, 3)
    residual = residuals(rows, atoms, indices, codes)
    before = (residual**2).sum()
    for _ in range(3):
        dictionary._refit(atoms, indices, codes, residual, random)
        assert (residual**2).sum() < before
        before = (residual**2).sum()
    np.testing.assert_allclose(residual, residuals(rows, atoms, indices, codes), atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(atoms, axis=1), 1, rtol=1e-5)


def test_a_planted_dictionary_is_found_again():
    """Of forty atoms all but a few are found to a cosine of .99: local minima keep one or the other."""
    truth, rows = planted(np.random.default_rng(1), noise=0.02)
    found = learn_dictionary(rows, 40, 2, rounds=60, random=np.random.default_rng(0))
    assert (recovered(truth, found.atoms) > 0.99).mean() >= 0.9
    assert found.errors[-1] < 0.1 * found.errors[0]
    assert (recovered(truth, units(np.random.default_rng(2), 40, 20)) > 0.99).mean() == 0  # what chance finds


def test_an_idle_atom_becomes_what_is_worst_coded():
    """The second atom is used by none; the vector (0, 0, 5) is coded by nothing and takes its place."""
    atoms, indices = np.eye(2, 3, dtype=np.float32), np.array([[0], [-1]], dtype=np.int32)
    codes, residual = np.array([[1], [0]], dtype=np.float32), np.array([[0, 0.1, 0], [0, 0, 5]], dtype=np.float32)
    dictionary._refit(atoms, indices, codes, residual, np.random.default_rng(0))
    assert atoms[1].tolist() == [0, 0, 1]


def test_the_seed_decides_and_threads_do_not():
    _, rows = planted(np.random.default_rng(3))
    one, two, other = (
        learn_dictionary(rows, 20, 2, rounds=3, random=np.random.default_rng(seed), threads=threads)
        for seed, threads in ((0, 1), (0, 2), (1, 1))
    )
    assert (one.atoms == two.atoms).all()
    assert not np.allclose(one.atoms, other.atoms)


def test_rounds_end_once_nothing_is_gained():
    """As many atoms as directions: nothing is left after the first coding, and the second round sees it."""
    found = learn_dictionary(np.eye(6, dtype=np.float32), 6, 1, rounds=50, random=np.random.default_rng(0))
    assert len(found.errors) <= 4
    assert found.errors[-1] == 0
