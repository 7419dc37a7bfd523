"""Scans of similarities: by hand, and against NumPy."""

import numpy as np
import pytest

from firth.kernels.induction import choose, neighbourhoods
from firth.randomness import kernel_states


def test_by_hand():
    """Row (.9 .1 .5 .7): best .9, mean of the two best (.9 + .7) / 2 = .8.

    With r = (1.0, 0, .1, .7) its CSLS less its own r is (1.8 - 1, .2 - 0, 1 - .1, 1.4 - .7) = (.8, .2, .9, .7): the
    third column, not that of the greatest cosine.
    """
    scores = np.array([[0.9, 0.1, 0.5, 0.7]], dtype=np.float32)
    best, mean, chosen = np.empty(1, np.float32), np.empty(1, np.float32), np.empty(1, np.int64)
    neighbourhoods(scores, 2, best, mean)
    assert (best[0], mean[0]) == (np.float32(0.9), pytest.approx(0.8))
    choose(scores, np.array([1.0, 0.0, 0.1, 0.7], dtype=np.float32), 1.0, kernel_states(0, "coin", 1), chosen)
    assert chosen[0] == 2


@pytest.mark.parametrize("columns", [1, 7, 16, 50, 333])
@pytest.mark.parametrize("k", [1, 5, 10])
def test_against_sorting(columns, k):
    scores = np.random.default_rng(columns).normal(size=(40, columns)).astype(np.float32)
    k = min(k, columns)
    best, mean, chosen = np.empty(40, np.float32), np.empty(40, np.float32), np.empty(40, np.int64)
    neighbourhoods(scores, k, best, mean)
    assert np.array_equal(best, scores.max(axis=1))
    assert np.allclose(mean, np.sort(scores, axis=1)[:, -k:].mean(axis=1), atol=1e-6)
    around = np.random.default_rng(1).normal(size=columns).astype(np.float32)
    choose(scores, around, 1.0, kernel_states(0, "coin", 1), chosen)
    assert np.array_equal(chosen, (2 * scores - around).argmax(axis=1))


def test_the_coin():
    """Of columns in falling order the first is chosen with probability p, the second with p (1 - p), and so on.

    A tenth of 40,000 rows is 4,000, give or take four standard deviations of 60; with two columns (1 - p)^2 = .81 of
    the rows are left without a choice.
    """
    scores = np.tile(np.array([0.9, 0.8], dtype=np.float32), (40_000, 1))
    chosen = np.empty(40_000, np.int64)
    choose(scores[:, ::-1].copy(), np.zeros(2, np.float32), 0.1, kernel_states(3, "coin", 1), chosen)
    counts = [(chosen == column).sum() for column in (1, 0, -1)]
    for found, share in zip(counts, (0.1, 0.09, 0.81), strict=True):
        assert abs(found - 40_000 * share) < 4 * (40_000 * share * (1 - share)) ** 0.5
