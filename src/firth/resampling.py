"""Bootstrap resampling: statistics of items that may count several times or not at all.

What: the bootstrap draws n of n items with replacement. A statistic takes the counts of the items for many resamples at
once, so that two thousand resamples need a few array operations instead of two thousand loops. A statistic that is
expensive, or that is biased upwards by repeated items, such as a canonical correlation, is resampled to first order
(`Linear`).

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3; for `Linear` the
jackknife (Tukey 1958) and the infinitesimal jackknife (Jaeckel 1972), as in Davison and Hinkley 1997, Bootstrap Methods
and their Application, section 2.7.

Cost: R n weights for R resamples of n items, in blocks of bounded size.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from firth.randomness import generator

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEVEL = 0.95  # confidence level of the intervals
RESAMPLES = 2000
_CELLS = 1 << 18  # weights computed at once: they stay in the cache of a processor
_FEW = 64  # a mean with at most so many distinct scores is resampled by the counts of the scores
_CACHE_BYTES = 1 << 26  # draws up to this size are cached for the next statistic of as many items


class Statistic(Protocol):
    """A statistic of n items for many resamples.

    It is called with (R, n) counts of the items and returns (R,) values; NaN where it is undefined.
    """

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the value for each row of weights."""
        ...


@dataclass(frozen=True)
class Sample:
    """The items of a statistic, for resampling it and comparing it with that of another model.

    Attributes:
        mask: (N,) items of the set that the statistic covers.
        statistic: the statistic of these items.
        restrict: returns the statistic of a subset of these items, from its mask (n,); None if weights of 0 for the
            other items give the same.
    """

    mask: npt.NDArray[np.bool_]
    statistic: Statistic
    restrict: Callable[[npt.NDArray[np.bool_]], Statistic] | None = None

    def among(self, shared: npt.NDArray[np.bool_]) -> Statistic:
        """Return the statistic of some of the items.

        Args:
            shared: (N,) mask of these items, all of them in `mask`.
        """
        subset = shared[self.mask]
        if subset.all():
            return self.statistic
        if isinstance(self.statistic, Mean):
            return Mean(self.statistic.scores[subset])
        return self.restrict(subset) if self.restrict is not None else _Part(self.statistic, subset)


@dataclass(frozen=True)
class _Part:
    """A statistic with weight 0 for the items outside a mask."""

    whole: Statistic
    mask: npt.NDArray[np.bool_]

    def __call__(self, weights: Ints, /) -> Floats:
        full = np.zeros((len(weights), len(self.mask)), dtype=np.int64)
        full[:, self.mask] = weights
        return self.whole(full)


@dataclass(frozen=True)
class Mean:
    """The mean of n scores; of ones and zeros, a share.

    Attributes:
        scores: (n,).
    """

    scores: Floats

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the mean for each row of weights."""
        with np.errstate(invalid="ignore"):
            return np.asarray(weights @ self.scores / weights.sum(axis=1))


@dataclass(frozen=True)
class Ratio:
    """A ratio of two sums, such as the loss of all sentences per token.

    Attributes:
        parts: (n,) terms of the numerator.
        sizes: (n,) terms of the denominator.
    """

    parts: Floats
    sizes: Floats

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the ratio for each row of weights."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((weights @ self.parts) / (weights @ self.sizes))


@dataclass(frozen=True)
class Linear:
    """A statistic to first order in the weights of its items.

    Its resamples are one matrix product and are centred on the value. Exact resamples of a statistic that increases
    when items are repeated, such as the correlation of the best of many directions, lie above the value.

    Attributes:
        value: the statistic with weight 1 for each item.
        influences: (n,) influence of each item: n times the derivative by the item's share, or n - 1 times the
            decrease when it is left out. Their mean is 0.
    """

    value: float
    influences: Floats

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the statistic, to first order, for each row of weights."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.value + weights @ self.influences / weights.sum(axis=1))


@dataclass(frozen=True)
class F1:
    """The harmonic mean of precision and recall of one class.

    Attributes:
        predicted: (n,) which items are predicted to be of the class.
        true: (n,) which items are.
    """

    predicted: npt.NDArray[np.bool_]
    true: npt.NDArray[np.bool_]

    def __call__(self, weights: Ints, /) -> Floats:
        """Return F1 for each row of weights; NaN where the class is neither predicted nor true."""
        matches = weights @ (self.predicted & self.true).astype(np.int64)
        with np.errstate(invalid="ignore"):
            return np.asarray(
                2 * matches / (weights @ self.predicted.astype(np.int64) + weights @ self.true.astype(np.int64))
            )


class _Pairs:
    """Abstract base class of correlations of n pairs of numbers.

    Args:
        x: (n,) numbers, such as the scores of a model.
        y: (n,) numbers, such as human ratings.

    Attributes:
        pairs: (n, 2) both.
    """

    prepare: ClassVar[Any]  # a function: what the statistic needs of one side

    def __init__(self, x: npt.ArrayLike, y: npt.ArrayLike) -> None:
        self.pairs: Floats = np.stack([np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)], axis=1)
        self._x, self._y = (type(self).prepare(side) for side in self.pairs.T)


def _centred(values: Floats) -> Floats:
    """Return numbers less their mean, so that sums of squares keep their digits."""
    return np.asarray(values - values.mean()) if len(values) else values


class LinearCorrelation(_Pairs):
    """Pearson's correlation of n pairs of numbers."""

    prepare = staticmethod(_centred)

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the correlation for each row of weights; NaN for fewer than two pairs, and if one side is constant."""
        x, y, n = self._x, self._y, weights.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean_x, mean_y = weights @ x / n, weights @ y / n
            covariance = weights @ (x * y) / n - mean_x * mean_y
            variances = (weights @ (x * x) / n - mean_x**2) * (weights @ (y * y) / n - mean_y**2)
            return np.asarray(covariance / np.sqrt(variances))


class _Ranker:
    """Ranks of the items of a sample in which item i occurs weights[i] times.

    The sample is sorted once. The mean rank of a group of ties is the weight below it plus half of its own weight:
    with cumulative sums, thousands of resamples need no sorting.
    """

    def __init__(self, values: Floats) -> None:
        _, self._group, self._sizes = np.unique(values, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.cumsum(self._sizes) - self._sizes

    def __call__(self, weights: Ints) -> Floats:
        tied = np.add.reduceat(weights[:, self._order], self._starts, axis=1)  # (rows, groups)
        ranks = np.cumsum(tied, axis=1) - (tied - 1) / 2
        return np.asarray(ranks[:, self._group])


class RankCorrelation(_Pairs):
    """Spearman's rank correlation of n pairs of numbers; ties have the mean of their ranks."""

    prepare = _Ranker

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the correlation for each row of weights; NaN for fewer than two pairs, and if one side is constant."""
        if weights.shape[1] < 2:
            return np.full(len(weights), np.nan)
        middle = (weights.sum(axis=1, keepdims=True) + 1) / 2  # the mean rank, whatever the ties
        x, y = self._x(weights) - middle, self._y(weights) - middle
        with np.errstate(invalid="ignore"):
            figures = (weights * x * y).sum(1) / np.sqrt((weights * x * x).sum(1) * (weights * y * y).sum(1))
        return np.asarray(figures)


def value_of(statistic: Statistic, n: int) -> float:
    """Return a statistic of n items with weight 1 each; NaN for no items."""
    return float(statistic(np.ones((1, n), dtype=np.int64))[0]) if n else float("nan")


def draws(n: int, *, resamples: int, seed: int) -> Iterator[Ints]:
    """Draw n of n items with replacement, `resamples` times.

    Args:
        n: number of items, at least 1.
        seed: one seed gives the same draws for every statistic, so that two models can be compared in pairs.

    Yields:
        (r, n) counts of the items in the next r resamples.
    """
    rows = max(1, _CELLS // n)
    if n * resamples > _CACHE_BYTES:
        yield from _draw(n, resamples, seed)
        return
    counts = _cached_draws(n, resamples, seed)
    for start in range(0, resamples, rows):
        yield counts[start : start + rows].astype(np.int64)


def _draw(n: int, resamples: int, seed: int) -> Iterator[Ints]:
    random = generator(seed, "bootstrap of pairs")
    rows = max(1, _CELLS // n)
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        items = random.integers(0, n, size=(count, n)) + np.arange(count)[:, None] * n
        yield np.bincount(items.ravel(), minlength=count * n).reshape(count, n)


def resampled(statistic: Statistic, n: int, *, resamples: int, seed: int) -> Floats:
    """Return a statistic of resamples of n items, (resamples,).

    For a mean of scores with few distinct values, the counts of the values are drawn from a multinomial distribution:
    the same distribution with a thousand times fewer numbers.

    Args:
        n: number of items, at least 1.
    """
    if isinstance(statistic, Mean):
        values, counts = np.unique(statistic.scores, return_counts=True)
        if len(values) <= _FEW:
            random = generator(seed, "bootstrap of means")
            return np.asarray(random.multinomial(n, counts / n, size=resamples) @ values / n)
    return np.concatenate([statistic(weights) for weights in draws(n, resamples=resamples, seed=seed)])


@lru_cache(maxsize=1)
def _cached_draws(n: int, resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    """Return all draws, cached for the next statistic of as many items: drawing is the main cost of a resample."""
    # A count above 255 has a probability of about 10^-500, and with fewer than 256 items none: a byte is enough.
    return np.concatenate([counts.astype(np.uint8) for counts in _draw(n, resamples, seed)])


def bootstrap_interval(
    statistic: Statistic, n: int, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a statistic.

    Returns:
        The lower and the upper end; both NaN if the statistic is NaN.

    Source:
        Efron and Tibshirani 1993, section 13.3.
    """
    if np.isnan(value_of(statistic, n)):
        return float("nan"), float("nan")
    figures = resampled(statistic, n, resamples=resamples, seed=seed)
    # Resamples without a value, such as a correlation of one repeated pair, are ignored.
    low, high = np.nanquantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
