import numpy as np
import pytest

from firth.runs.consensus import consensus


@pytest.fixture
def random():
    return np.random.default_rng(0)


def rotation(random, dim):
    return np.linalg.qr(random.normal(size=(dim, dim)))[0]


def cosines(matrix):
    rows = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return rows @ rows.T


def test_rotated_copies_have_themselves_as_consensus(random):
    matrix = random.normal(size=(50, 6))
    matrix -= matrix.mean(axis=0)
    copies = [(matrix @ rotation(random, 6)).astype(np.float32) for _ in range(5)]
    mean = consensus(5, lambda r: copies[r].copy(), np.ones((5, 50), dtype=bool))
    assert np.allclose(cosines(mean), cosines(matrix), atol=1e-5)
    assert np.allclose(np.linalg.norm(mean, axis=1), np.linalg.norm(matrix, axis=1), rtol=1e-4)


def test_noise_averages_out(random):
    """The mean of R copies with independent noise is nearer to the truth than any of them."""
    matrix = random.normal(size=(200, 6))
    matrix -= matrix.mean(axis=0)
    noisy = [
        ((matrix + random.normal(size=matrix.shape)) @ rotation(random, 6) + 3).astype(np.float32) for _ in range(9)
    ]
    mean = consensus(9, lambda r: noisy[r].copy(), np.ones((9, 200), dtype=bool))
    errors = [np.abs(cosines(copy - copy.mean(axis=0)) - cosines(matrix)).mean() for copy in noisy]
    assert np.abs(cosines(mean) - cosines(matrix)).mean() < 0.5 * min(errors)


def test_a_word_that_some_runs_lack_has_the_mean_of_the_others(random):
    """However far it lies from the others: the runs are centred by the words that all of them have."""
    matrix = random.normal(size=(50, 6))
    matrix[7] *= 20
    copies = [(matrix @ rotation(random, 6) + random.normal(size=6)).astype(np.float32) for _ in range(4)]
    present = np.ones((4, 50), dtype=bool)
    present[1, 7] = present[:, 9] = False
    copies[1][7] = 1000
    mean = consensus(4, lambda r: copies[r].copy(), present)
    kept = np.delete(np.arange(50), 9)
    centre = matrix[present.all(axis=0)].mean(axis=0)
    assert np.allclose(cosines(mean[kept]), cosines((matrix - centre)[kept]), atol=1e-5)
    assert not mean[9].any()


def test_no_better_rotation(random):
    """The sum of squares to the mean does not fall if a run is rotated further."""
    runs = [random.normal(size=(40, 4)).astype(np.float32) for _ in range(3)]
    mean = consensus(3, lambda r: runs[r].copy(), np.ones((3, 40), dtype=bool))

    def distance(run, other):
        centred = run - run.mean(axis=0)
        u, _, vt = np.linalg.svd(centred.T @ mean)
        return float(((centred @ (u @ vt) @ other - mean) ** 2).sum())

    for run in runs:
        assert all(distance(run, rotation(random, 4)) >= distance(run, np.eye(4)) for _ in range(20))
