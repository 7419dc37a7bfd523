import numpy as np
import pytest

from firth.runs.stability import bands_of, evenly, mean_overlap, overlaps, share_stable


def test_overlap_of_two_runs():
    """Of [1, 2] and [2, 3] one of two is shared, of [4, 5] and [5, 4] both: (1/2 + 1) / 2."""
    shares = overlaps(np.array([[[1, 2], [4, 5]], [[2, 3], [5, 4]]]))
    assert shares.tolist() == [[0.5, 1.0]]
    assert mean_overlap(shares) == pytest.approx(0.75)


def test_all_pairs_of_runs_count_alike():
    """Pairs share 1, 0 and 0 of one neighbour."""
    shares = overlaps(np.array([[[1]], [[1]], [[2]]]))
    assert shares.tolist() == [[1.0], [0.0], [0.0]]
    assert mean_overlap(shares) == pytest.approx(1 / 3)
    assert share_stable(shares) == 0


def test_words_that_a_run_lacks():
    """The second word is in the first run alone, and the first in runs 1 and 3, which share both neighbours."""
    shares = overlaps(np.array([[[1, 2], [3, 4]], [[-2, -2], [-2, -2]], [[2, 1], [-3, -3]]]))
    assert mean_overlap(shares, axis=0).tolist() == [1.0, pytest.approx(np.nan, nan_ok=True)]
    assert mean_overlap(shares) == share_stable(shares) == 1
    assert np.isnan(share_stable(shares[:, 1:]))


def test_bands_by_frequency():
    counts = np.array([250_000, 20_000, 999, 100, 99, 9, 1, 0])
    assert [(least, most, rows.tolist()) for least, most, rows in bands_of(counts)] == [
        (100_000, None, [0]),
        (10_000, 99_999, [1]),
        (100, 999, [2, 3]),
        (10, 99, [4]),
        (1, 9, [5, 6]),
    ]


def test_words_that_are_looked_at():
    assert evenly(np.arange(10, 20), 3).tolist() == [10, 14, 19]
    assert evenly(np.arange(3), 100).tolist() == [0, 1, 2]
