"""Do near vectors mean like words? Gold similarities of word pairs against cosines.

The figure is Spearman's rank correlation, ties taking the mean of their ranks, over the pairs whose two words have
vectors; the share of pairs covered stands beside it, for a figure over fewer pairs is another figure.

The interval is the bootstrap's percentile interval over pairs (Efron 1979): the pairs are drawn again with replacement
`resamples` times, from a fixed seed, and the interval runs from the 2.5th to the 97.5th percentile of the correlations.

Source: Spearman 1904; Finkelstein et al. 2002 for the task.
"""

import numpy as np
import numpy.typing as npt

from firth.randomness import generator

Floats = npt.NDArray[np.float64]

LEVEL = 0.95  # of every interval
RESAMPLES = 2000
_CELLS = 1 << 21  # resampled cells held at once, so that a large set takes no more memory than a small one


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Spearman's rank correlation of two samples, ties sharing the mean of their ranks.

    Args:
        x: (n,) numbers.
        y: (n,) numbers.

    Returns:
        From -1 to 1; NaN where fewer than two pairs are left or one side is constant, for then no order exists.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    once = np.ones((1, len(x)), dtype=np.int64)
    return float(_correlations(_Ranker(x), _Ranker(y), once)[0])


def spearman_interval(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the bootstrap's percentile interval of Spearman's correlation.

    Args:
        x: (n,) numbers.
        y: (n,) numbers.
        level: the share of resamples that the interval holds.
        resamples: how often the pairs are drawn again.
        seed: of the draws; one seed gives one interval.

    Returns:
        The lower and the upper end; both NaN where the correlation itself is.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n = len(x)
    if np.isnan(spearman(x, y)):
        return float("nan"), float("nan")
    random = generator(seed, "bootstrap of pairs")
    rank_x, rank_y = _Ranker(x), _Ranker(y)
    rows = max(1, _CELLS // n)
    figures = [
        _correlations(rank_x, rank_y, _draws(random, min(rows, resamples - start), n))
        for start in range(0, resamples, rows)
    ]
    # A resample of one single pair has no correlation; it says nothing about where the figure lies.
    low, high = np.nanquantile(np.concatenate(figures), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _draws(random: np.random.Generator, rows: int, n: int) -> npt.NDArray[np.int64]:
    """How often each of n items was drawn, in each of `rows` resamples: (rows, n)."""
    drawn = random.integers(0, n, size=(rows, n)) + np.arange(rows)[:, None] * n
    return np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


class _Ranker:
    """Ranks of one sample when item i stands in it weights[i] times.

    The sample is sorted once. The mid-rank of a group of ties is then the weight below it plus half of its own:
    cumulative sums, so that thousands of resamples need no sorting.
    """

    def __init__(self, values: Floats) -> None:
        _, self._group, self._sizes = np.unique(values, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.cumsum(self._sizes) - self._sizes

    def __call__(self, weights: npt.NDArray[np.int64]) -> Floats:
        tied = np.add.reduceat(weights[:, self._order], self._starts, axis=1)  # (rows, groups)
        ranks = np.cumsum(tied, axis=1) - (tied - 1) / 2
        return np.asarray(ranks[:, self._group])


def _correlations(rank_x: _Ranker, rank_y: _Ranker, weights: npt.NDArray[np.int64]) -> Floats:
    """Weighted Pearson correlation of the weighted ranks, one a row of `weights` (rows, n)."""
    n = weights.shape[1]
    if n < 2:
        return np.full(len(weights), np.nan)
    middle = (n + 1) / 2  # the mean rank, whatever the ties
    x, y = rank_x(weights) - middle, rank_y(weights) - middle
    with np.errstate(invalid="ignore"):
        figures = (weights * x * y).sum(1) / np.sqrt((weights * x * x).sum(1) * (weights * y * y).sum(1))
    return np.asarray(figures)
