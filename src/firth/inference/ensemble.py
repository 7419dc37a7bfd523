"""Several models as one: a weighted mean of their probabilities.

What: the probability of a next word is the weighted mean of the models' probabilities.
Objective: s_i = log sum_m w_m exp(s_mi), with weights that sum to one.
Source: Jelinek and Mercer 1980, Interpolated Estimation of Markov Source Parameters.
Departures: none; a mean of scores would be no distribution.
Cost: that of all models.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.inference.scorer import Floats, Scorer, Scores, as_float64


@dataclass(frozen=True)
class Ensemble:
    """Several models as a `firth.inference.scorer.Scorer`.

    Attributes:
        scorers: M models with the same ids.
        weights: (M,) that sum to one.
    """

    scorers: tuple[Scorer, ...]
    weights: Floats

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """See `Scorer`."""
        return self._joined([each.start(prompts) for each in self.scorers])

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """See `Scorer`."""
        return self._joined([one.advance(own, ids) for one, own in zip(self.scorers, state, strict=True)])

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """See `Scorer`."""
        return tuple(one.reorder(own, rows) for one, own in zip(self.scorers, state, strict=True))

    def _joined(self, answers: Sequence[tuple[Scores, Any]]) -> tuple[Scores, Any]:
        scores, states = zip(*answers, strict=True)
        return mixed(np.stack([as_float64(each) for each in scores]), self.weights), states


def mixed(scores: Floats, weights: Floats) -> Floats:
    """Return the logarithm of the weighted mean of probabilities.

    Args:
        scores: (M, ...) natural logarithms.
        weights: (M,) that sum to one.

    Returns:
        (...), minus infinity where every model with a weight has probability 0.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(weights).reshape(-1, *[1] * (scores.ndim - 1)) + scores
        return np.asarray(np.logaddexp.reduce(logs, axis=0))
