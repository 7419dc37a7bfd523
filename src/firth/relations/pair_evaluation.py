"""Evaluation of an antonym classifier: precision, recall, F1, accuracy and average precision.

All figures have bootstrap intervals over pairs (`firth.resampling`). If half of the pairs are antonyms, predicting
"antonyms" for all of them has F1 2/3 and accuracy 1/2: F1 alone says little.

Source: van Rijsbergen 1979, Information Retrieval, chapter 7, for F1; average precision as in Buckley and Voorhees
2000, "Evaluating evaluation measure stability".

Cost: a few products of R by n numbers per figure, for R resamples of n pairs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, brief_repr
from firth.resampling import RESAMPLES, Mean, Statistic, bootstrap_interval, value_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision, recall or F1 of the class "antonyms".

    Attributes:
        predicted: (n,) whether pairs are predicted to be antonyms.
        true: (n,) whether pairs are antonyms.
        of: "precision", "recall" or "f1".
    """

    predicted: npt.NDArray[np.bool_]
    true: npt.NDArray[np.bool_]
    of: str

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the figure of each resample; NaN if the denominator is 0."""
        both = weights @ (self.predicted & self.true).astype(np.float64)
        predicted, true = weights @ self.predicted.astype(np.float64), weights @ self.true.astype(np.float64)
        denominator = {"precision": predicted, "recall": true, "f1": (predicted + true) / 2}[self.of]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(both / denominator)


@dataclass(frozen=True)
class AveragePrecision:
    """Average precision of a ranking: the mean, over antonyms, of the precision at their rank.

    Attributes:
        scores: (n,) higher for likelier antonyms; equal scores share their rank.
        true: (n,) whether pairs are antonyms.
    """

    scores: Floats
    true: npt.NDArray[np.bool_]

    __repr__ = brief_repr

    def __call__(self, weights: Ints, /) -> Floats:
        """Return the average precision of each resample; NaN without antonyms."""
        _, group = np.unique(-self.scores, return_inverse=True)
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        counts = np.add.reduceat(weights[:, order], starts, axis=1)
        hits = np.add.reduceat(weights[:, order] * self.true[order], starts, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = np.nan_to_num(np.cumsum(hits, axis=1) / np.cumsum(counts, axis=1))
            return np.asarray((hits * precision).sum(axis=1) / hits.sum(axis=1))


def evaluate_pairs(
    log_odds: npt.ArrayLike, antonyms: npt.ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> Mapping[str, tuple[float, float, float]]:
    """Evaluate predictions and ranking of pairs.

    Args:
        log_odds: (n,) scores; above 0 predicts "antonyms".
        antonyms: (n,) true labels.
        resamples: number of bootstrap resamples.
        seed: seed of the resamples.

    Returns:
        "f1", "precision", "recall", "accuracy" and "average_precision", each with its 95 % interval: (value, low,
        high).

    Raises:
        OptionError: there are no pairs, or the numbers of scores and labels differ.
    """
    scores, true = np.asarray(log_odds, dtype=np.float64), np.asarray(antonyms, dtype=bool)
    if scores.shape != true.shape or not len(true):
        raise OptionError(
            f"{scores.size:,} scores for {true.size:,} labels: expected one per pair, and at least one pair"
        )
    names = "f1", "precision", "recall"
    statistics: dict[str, Statistic] = {name: PrecisionRecall(scores > 0, true, name) for name in names}
    statistics["accuracy"] = Mean(((scores > 0) == true).astype(np.float64))
    statistics["average_precision"] = AveragePrecision(scores, true)
    n = len(true)
    return {
        name: (value_of(statistic, n), *bootstrap_interval(statistic, n, resamples=resamples, seed=seed))
        for name, statistic in statistics.items()
    }
