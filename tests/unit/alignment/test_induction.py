"""Partners by CSLS: against naive loops, for any number of threads."""

import numpy as np
import pytest

from firth.alignment.induction import InducedDictionary, open_inducer, refine_maps
from firth.alignment.steps import normalise, orthogonal
from firth.vectors.cosine import unit
from firth.vectors.csls import csls
from tests.unit.alignment.spaces import twins


def naive(x, z, k):
    """CSLS cell by cell, the best of each row and of each column, and the mean greatest cosine."""
    cosines = [[sum(float(a) * float(b) for a, b in zip(p, q, strict=True)) for q in z] for p in x]
    around_x = [sum(sorted(row)[-k:]) / k for row in cosines]
    around_z = [sum(sorted(column)[-k:]) / k for column in zip(*cosines, strict=True)]
    table = [
        [2 * c - rx - rz for c, rz in zip(row, around_z, strict=True)]
        for row, rx in zip(cosines, around_x, strict=True)
    ]
    mean_cosine = (np.mean([max(row) for row in cosines]) + np.mean([max(c) for c in zip(*cosines, strict=True)])) / 2
    return np.argmax(table, axis=1), np.argmax(table, axis=0), mean_cosine


@pytest.fixture
def sides():
    random = np.random.default_rng(0)
    return (unit(random.normal(size=(size, 8))).astype(np.float32) for size in (40, 60))


def test_against_a_double_loop(sides):
    x, z = sides
    with open_inducer(threads=1) as inducer:
        found = inducer.induce(x, z, neighbours=5)
    forward, backward, mean_cosine = naive(x, z, 5)
    assert np.array_equal(found.forward, forward)
    assert np.array_equal(found.backward, backward)
    assert found.mean_cosine == pytest.approx(mean_cosine, abs=1e-6)


def test_threads_and_blocks_change_nothing(monkeypatch):
    random = np.random.default_rng(0)
    x, z = (unit(random.normal(size=(size, 8))).astype(np.float32) for size in (300, 500))
    found = []
    for threads in (1, 3):
        with open_inducer(seed=5, threads=threads) as inducer:
            found.append(inducer.induce(x, z, keep=0.2))
    assert np.array_equal(found[0].forward, found[1].forward)
    assert np.array_equal(found[0].backward, found[1].backward)
    with open_inducer(seed=6) as inducer:
        assert not np.array_equal(inducer.induce(x, z, keep=0.2).forward, found[0].forward)


def test_pairs():
    """Rows 0, 1, 2 choose 1, 0, nothing; columns 0, 1 choose 1, 2: both find (1, 0) alone."""
    found = InducedDictionary(np.array([1, 0, -1]), np.array([1, 2]), 0.5)
    assert found.all_pairs().tolist() == [[0, 1], [1, 0], [1, 0], [2, 1]]
    assert found.mutual_pairs().tolist() == [[1, 0]]


def test_against_the_naive_loop():
    source, target = twins(words=120, dim=12, noise=0.4)
    x, z = (normalise(side.vectors, "unit-centre-unit")[0] for side in (source, target))
    rows = np.stack([np.arange(10), np.arange(10)], axis=1)
    found = refine_maps(x, z, rows, orthogonal, rounds=3, cutoff=100, report=lambda _: None)
    turn, _ = orthogonal(x[:10], z[:10])
    for _ in range(3):
        table = csls(unit(x[:100] @ turn), unit(z[:100]))
        best, back = table.argmax(axis=1), table.argmax(axis=0)
        pairs = {(i, int(best[i])) for i in range(100) if back[best[i]] == i} | {(i, i) for i in range(10)}
        left, right = map(list, zip(*sorted(pairs), strict=True))
        turn, _ = orthogonal(x[left], z[right])
    assert np.abs(found.maps[0] - turn).max() < 1e-6
    assert found.pairs[-1] == len(pairs)
