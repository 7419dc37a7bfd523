"""Outlier detection: which word does not belong in a group?

What: in a group with one outlier, the outlier is predicted to be the word without which the rest is most compact,

    c(w) = 1 / (n (n - 1)) sum_{u, v in W without w, u != v} cos(u, v),

where W are the n + 1 words. The outlier's position in ascending order of c, from 0 to n, gives two metrics:

    accuracy = share of tests with position n,      OPP = mean of position / n

Source: Camacho-Collados and Navigli 2016, Find the word that does not belong: a framework for an intrinsic evaluation
of word vector representations, equations 1 to 4.

Departures: words that tie with the outlier rank above it, so that vectors that distinguish nothing score 0. A phrase
(`New_York`) without a vector is the mean of its words' unit vectors, if all are known. A test with an unknown word is
left out, or wrong (position 0) where the policy counts it: an outlier without a vector would be the easiest to find.
Intervals and significance tests resample whole groups: the tests of a group share its words, and models find nearly all
of its outliers or nearly none, so that resampling single tests would halve the interval. With eight groups no interval
is exact.

Cost: n^2 D per test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.readers.categories import OutlierGroup, read_outlier_groups
from firth.resampling import Ints, Sample
from firth.vectors.cosine import unit

Floats = npt.NDArray[np.float64]


def compactness(vectors: npt.NDArray[np.floating]) -> Floats:
    """Return the compactness of a group of words without each of them in turn.

    Args:
        vectors: (n + 1, D), n at least 2, of any length; only their directions matter.

    Returns:
        (n + 1,) mean cosine over the remaining pairs.

    Source:
        Camacho-Collados and Navigli 2016, equations 1 and 2.
    """
    points = unit(vectors.astype(np.float64))
    cosines = points @ points.T
    np.fill_diagonal(cosines, 0)
    n = len(points) - 1
    return np.asarray((cosines.sum() - 2 * cosines.sum(axis=1)) / (n * (n - 1)))


def outlier_position(vectors: npt.NDArray[np.floating]) -> int:
    """Return the position of the last of n + 1 words in ascending order of compactness.

    Args:
        vectors: (n + 1, D), the outlier last.

    Returns:
        From 0 to n; n if the outlier is found. Words that tie with the outlier rank above it.
    """
    *members, outlier = compactness(vectors)
    return int((np.array(members) < outlier).sum())


@dataclass(frozen=True)
class _GroupMean:
    """The mean over all tests of the groups drawn."""

    sums: Floats  # (G,) sum of the scores of each group's tests
    sizes: Floats  # (G,) number of tests

    def __call__(self, weights: Ints, /) -> Floats:
        with np.errstate(invalid="ignore"):
            return np.asarray(weights @ self.sums / (weights @ self.sizes))


@as_suite("outliers", ("8-8-8",), read_outlier_groups)
def suite(space: Space, gold: Sequence[OutlierGroup], options: EvaluationOptions) -> list[Score]:
    """Outlier detection, which word does not belong: accuracy and outlier position percentage."""
    positions = [_positions(space, group) for group in gold]
    covered = int(sum(np.isfinite(group).sum() for group in positions))
    if options.unknown == "count":
        positions = [np.nan_to_num(group) for group in positions]  # wrong, and the lowest position
    sizes = np.array([np.isfinite(group).sum() for group in positions], dtype=np.float64)
    words = np.array([len(group.words) for group in gold])
    return [
        Score(
            metric=metric,
            sample=Sample(sizes > 0, _GroupMean(sums[sizes > 0], sizes[sizes > 0])),
            covered=covered,
            total=sum(len(group.outliers) for group in gold),
            baseline=float(chance @ sizes / sizes.sum()) if sizes.any() else None,
            baseline_name="random",
        )
        for metric, sums, chance in (
            ("accuracy", _summed(positions, lambda position, n: position == n, words), 1 / (words + 1)),
            ("opp", _summed(positions, lambda position, n: position / n, words), np.full(len(words), 0.5)),
        )
    ]


def _summed(
    positions: Sequence[Floats], score: Callable[[Floats, int], npt.NDArray[Any]], words: npt.NDArray[np.int64]
) -> Floats:
    """The sum of the scores of each group's tests."""
    return np.array(
        [float(score(group[np.isfinite(group)], n).sum()) for group, n in zip(positions, words, strict=True)]
    )


def _positions(space: Space, group: OutlierGroup) -> Floats:
    """The position of each outlier; NaN if a word is unknown."""
    vectors, covered = _lookup(space, [*group.words, *group.outliers])
    n = len(group.words)
    positions = np.full(len(group.outliers), np.nan)
    for test in np.flatnonzero(covered[n:] & covered[:n].all()).tolist():
        positions[test] = outlier_position(np.vstack([vectors[:n], vectors[n + test]]))
    return positions


def _lookup(space: Space, words: Sequence[str]) -> tuple[npt.NDArray[np.floating], npt.NDArray[np.bool_]]:
    """Vectors of words; a phrase without a vector has the mean of its words."""
    parts = [word.split("_") if row < 0 else [word] for word, row in zip(words, space.rows(words), strict=True)]
    vectors, covered = space.lookup([part for item in parts for part in item])
    starts = np.cumsum([0, *map(len, parts[:-1])])
    return np.add.reduceat(vectors, starts), np.logical_and.reduceat(covered, starts)
