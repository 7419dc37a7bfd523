"""How well antonyms are told from synonyms: precision, recall, F1 and accuracy of answers, average precision of scores.

All with intervals by drawing the pairs again (`firth.resampling`). Where half of the pairs are antonyms, the
answer "antonyms" to all of them has F1 2/3 and accuracy 1/2: F1 alone says little.

Source: van Rijsbergen 1979, Information Retrieval, chapter 7, for F1; average precision as in Buckley and Voorhees
2000, "Evaluating evaluation measure stability".

Cost: a few products of R by n numbers a figure, for R resamples of n pairs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.resampling import RESAMPLES, Mean, Statistic, bootstrap_interval, value_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Share:
    """Of the pairs in one group, those that are in another; their harmonic mean where it is asked for.

    Attributes:
        found: (n,) answered "antonyms".
        true: (n,) are antonyms.
        of: "precision", "recall" or "f1".
    """

    found: npt.NDArray[np.bool_]
    true: npt.NDArray[np.bool_]
    of: str

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the figure of the pairs drawn; NaN where the group is empty."""
        both = weights @ (self.found & self.true).astype(np.float64)
        found, true = weights @ self.found.astype(np.float64), weights @ self.true.astype(np.float64)
        below = {"precision": found, "recall": true, "f1": (found + true) / 2}[self.of]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(both / below)


@dataclass(frozen=True)
class AveragePrecision:
    """The mean, over antonyms, of the share of antonyms among the pairs ranked as high or higher.

    Attributes:
        scores: (n,) the higher, the rather antonyms; equal ones have their ranks together.
        true: (n,) are antonyms.
    """

    scores: Floats
    true: npt.NDArray[np.bool_]

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the average precision of the pairs drawn; NaN without antonyms."""
        _, group = np.unique(-self.scores, return_inverse=True)
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        drawn = np.add.reduceat(weights[:, order], starts, axis=1)
        hits = np.add.reduceat(weights[:, order] * self.true[order], starts, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = np.nan_to_num(np.cumsum(hits, axis=1) / np.cumsum(drawn, axis=1))
            return np.asarray((hits * precision).sum(axis=1) / hits.sum(axis=1))


def judge(
    log_odds: npt.ArrayLike, antonyms: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> Mapping[str, tuple[float, float, float]]:
    """Judge answers and ranking of pairs.

    Args:
        log_odds: (n,) above 0 where the answer is "antonyms"; the higher, the earlier in the ranking.
        antonyms: (n,) the truth.
        resamples: of the intervals.
        seed: of the draws.

    Returns:
        "f1", "precision", "recall", "accuracy" and "average_precision", each with its 95 % interval: (figure, low,
        high).

    Raises:
        OptionError: there are no pairs, or not as many scores as labels.
    """
    scores, true = np.asarray(log_odds, dtype=np.float64), np.asarray(antonyms, dtype=bool)
    if scores.shape != true.shape or not len(true):
        raise OptionError(f"{scores.size:,} scores for {true.size:,} labels: expected one a pair, of one pair or more")
    statistics: dict[str, Statistic] = {name: Share(scores > 0, true, name) for name in ("f1", "precision", "recall")}
    statistics["accuracy"] = Mean(((scores > 0) == true).astype(np.float64))
    statistics["average_precision"] = AveragePrecision(scores, true)
    n = len(true)
    return {
        name: (value_of(each, n), *bootstrap_interval(each, n, resamples=resamples, seed=seed))
        for name, each in statistics.items()
    }
