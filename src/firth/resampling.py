"""Figures that can be drawn again: a statistic of items, each of which may count several times or not at all.

What: the bootstrap draws n of n items with replacement. A statistic here takes how often each item was drawn, for many
draws at once, so that two thousand resamples are a few array operations and not two thousand loops. A figure that is
costly to draw again, or that repeated items alone would raise, such as a canonical correlation, is drawn to first order
(`Linear`).

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3; for `Linear` the
jackknife (Tukey 1958) and the infinitesimal jackknife (Jaeckel 1972), as in Davison and Hinkley 1997, Bootstrap Methods
and their Application, section 2.7.

Cost: R n weights for R resamples of n items, held in blocks of bounded size.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from firth.randomness import generator

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEVEL = 0.95  # of every interval
RESAMPLES = 2000
_CELLS = 1 << 21  # resampled cells held at once, so that a large set takes no more memory than a small one
_FEW = 64  # different scores of a mean, up to which they are drawn by their number and not item by item
_KEPT = 1 << 26  # bytes of draws that are kept for the next figure of as many items


class Statistic(Protocol):
    """A figure of n items, for many ways of counting them.

    Called with (R, n) whole numbers, how often each item counts, it returns the (R,) figures; NaN where there is none.
    """

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the figure of each row of weights."""
        ...


@dataclass(frozen=True)
class Sample:
    """What a figure is made of, item by item, so that it can be drawn again, and set against another model's.

    Attributes:
        counted: (N,) of the set's items, those that the figure counts.
        statistic: the figure, of the counted items.
        restrict: given (n,) which of the counted items to keep, the figure of those alone; None where it is enough that
            the others count 0 times.
    """

    counted: npt.NDArray[np.bool_]
    statistic: Statistic
    restrict: Callable[[npt.NDArray[np.bool_]], Statistic] | None = None

    def among(self, shared: npt.NDArray[np.bool_]) -> Statistic:
        """Return the figure of some of the items, as a statistic of these.

        Args:
            shared: (N,) of the set's items, some of those counted.
        """
        kept = shared[self.counted]
        if kept.all():
            return self.statistic
        if isinstance(self.statistic, Mean):
            return Mean(self.statistic.scores[kept])
        return self.restrict(kept) if self.restrict is not None else _Part(self.statistic, kept)


@dataclass(frozen=True)
class _Part:
    """A statistic of which some items never count."""

    whole: Statistic
    kept: npt.NDArray[np.bool_]

    def __call__(self, weights: Ints, /) -> Floats:
        full = np.zeros((len(weights), len(self.kept)), dtype=np.int64)
        full[:, self.kept] = weights
        return self.whole(full)


@dataclass(frozen=True)
class Mean:
    """The mean of n scores; of ones and zeros, a share.

    Attributes:
        scores: (n,).
    """

    scores: Floats

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the mean of the items drawn."""
        with np.errstate(invalid="ignore"):
            return np.asarray(weights @ self.scores / weights.sum(axis=1))


@dataclass(frozen=True)
class Ratio:
    """A sum over a sum, such as the loss of all sentences over their tokens.

    Attributes:
        parts: (n,) what each item adds above the line.
        sizes: (n,) what each adds below it.
    """

    parts: Floats
    sizes: Floats

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the ratio of the items drawn."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((weights @ self.parts) / (weights @ self.sizes))


@dataclass(frozen=True)
class Linear:
    """A figure to first order in how often its items count.

    Resamples of it are one product, and they lie about the figure itself. A figure that only grows when items are
    repeated, as the correlation of the best of many directions does, has plain resamples that lie above it.

    Attributes:
        value: the figure when each item counts once.
        influences: (n,) by how much each item moves it: n times the derivative by the item's share, or n - 1 times what
            it takes along when it is left out. Their mean is 0.
    """

    value: float
    influences: Floats

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the figure of the items drawn, to first order."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.value + weights @ self.influences / weights.sum(axis=1))


class RankCorrelation:
    """Spearman's rank correlation of n pairs of numbers, ties sharing the mean of their ranks.

    Args:
        x: (n,) numbers, such as a model's cosines.
        y: (n,) numbers, such as people's scores.

    Attributes:
        pairs: (n, 2) the two.
    """

    def __init__(self, x: npt.ArrayLike, y: npt.ArrayLike) -> None:
        self.pairs: Floats = np.stack([np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)], axis=1)
        self._x, self._y = _Ranker(self.pairs[:, 0]), _Ranker(self.pairs[:, 1])

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the correlation over the pairs drawn; NaN for fewer than two, and where one side is constant."""
        if weights.shape[1] < 2:
            return np.full(len(weights), np.nan)
        middle = (weights.sum(axis=1, keepdims=True) + 1) / 2  # the mean rank, whatever the ties
        x, y = self._x(weights) - middle, self._y(weights) - middle
        with np.errstate(invalid="ignore"):
            figures = (weights * x * y).sum(1) / np.sqrt((weights * x * x).sum(1) * (weights * y * y).sum(1))
        return np.asarray(figures)


class _Ranker:
    """Ranks of one sample when item i stands in it weights[i] times.

    The sample is sorted once. The mid-rank of a group of ties is then the weight below it plus half of its own:
    cumulative sums, so that thousands of resamples need no sorting.
    """

    def __init__(self, values: Floats) -> None:
        _, self._group, self._sizes = np.unique(values, return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.cumsum(self._sizes) - self._sizes

    def __call__(self, weights: Ints) -> Floats:
        tied = np.add.reduceat(weights[:, self._order], self._starts, axis=1)  # (rows, groups)
        ranks = np.cumsum(tied, axis=1) - (tied - 1) / 2
        return np.asarray(ranks[:, self._group])


def value_of(statistic: Statistic, n: int) -> float:
    """Return a statistic of n items, each counting once; NaN for no items.

    Args:
        statistic: the figure.
        n: items.
    """
    return float(statistic(np.ones((1, n), dtype=np.int64))[0]) if n else float("nan")


def draws(n: int, *, resamples: int, seed: int) -> Iterator[Ints]:
    """Draw n of n items with replacement, `resamples` times.

    Args:
        n: items, at least 1.
        resamples: how often.
        seed: one seed gives the same draws for every statistic, so that figures of two models can be paired.

    Yields:
        (r, n) how often each item was drawn in each of r resamples, until there are `resamples`.
    """
    rows = max(1, _CELLS // n)
    if n * resamples > _KEPT:
        yield from _drawn(n, resamples, seed)
        return
    kept = _kept(n, resamples, seed)
    for start in range(0, resamples, rows):
        yield kept[start : start + rows].astype(np.int64)


def _drawn(n: int, resamples: int, seed: int) -> Iterator[Ints]:
    random = generator(seed, "bootstrap of pairs")
    rows = max(1, _CELLS // n)
    for start in range(0, resamples, rows):
        some = min(rows, resamples - start)
        drawn = random.integers(0, n, size=(some, n)) + np.arange(some)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=some * n).reshape(some, n)


def resampled(statistic: Statistic, n: int, *, resamples: int, seed: int) -> Floats:
    """Return a statistic of n of n items drawn with replacement, `resamples` times.

    The mean of scores that take few values is drawn by how often each value comes, a multinomial number: the same law
    as drawing item by item, and a thousand times fewer numbers.

    Args:
        statistic: the figure.
        n: items, at least 1.
        resamples: how often.
        seed: of the draws.
    """
    if isinstance(statistic, Mean):
        values, counts = np.unique(statistic.scores, return_counts=True)
        if len(values) <= _FEW:
            random = generator(seed, "bootstrap of means")
            return np.asarray(random.multinomial(n, counts / n, size=resamples) @ values / n)
    return np.concatenate([statistic(drawn) for drawn in draws(n, resamples=resamples, seed=seed)])


@lru_cache(maxsize=1)
def _kept(n: int, resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    """All draws of one size, for the next figure, or model, of as many items: drawing costs most of a resample."""
    # One of n items comes up more than 255 times in n draws once in some 10^500 resamples, so that a byte holds it; of
    # fewer than 256 items never.
    return np.concatenate([some.astype(np.uint8) for some in _drawn(n, resamples, seed)])


def bootstrap_interval(
    statistic: Statistic, n: int, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = 0
) -> tuple[float, float]:
    """Return the bootstrap's percentile interval of a statistic.

    Args:
        statistic: the figure.
        n: items that it is made of.
        level: the share of resamples that the interval holds.
        resamples: how often the items are drawn again.
        seed: of the draws; one seed gives one interval.

    Returns:
        The lower and the upper end; both NaN where the figure itself is.

    Source:
        Efron and Tibshirani 1993, section 13.3.
    """
    if np.isnan(value_of(statistic, n)):
        return float("nan"), float("nan")
    figures = resampled(statistic, n, resamples=resamples, seed=seed)
    # A resample of one single pair has no correlation; it says nothing about where the figure lies.
    low, high = np.nanquantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
