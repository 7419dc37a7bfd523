"""Several models searched as one.

What: the probability of a next word is a weighted mean of several models' probabilities.

Objective: s_i = log sum_m w_m exp(s_mi), with weights that sum to one.

Source: Jelinek and Mercer 1980, Interpolated Estimation of Markov Source Parameters.

Departures: none; probabilities are mixed, never scores, whose mean would be no distribution.

Cost: that of the models together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.inference.scorer import Scorer, Scores

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ensemble:
    """A `firth.inference.scorer.Scorer` of several.

    Attributes:
        scorers: M models of the same ids.
        weights: (M,) that sum to one.
    """

    scorers: tuple[Scorer, ...]
    weights: Floats

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores and states after each prompt; see `firth.inference.scorer.Scorer`."""
        return self._joined([each.start(prompts) for each in self.scorers])

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """Return scores and states after one more id each; see `firth.inference.scorer.Scorer`."""
        return self._joined([one.advance(own, ids) for one, own in zip(self.scorers, state, strict=True)])

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the states of some sequences; see `firth.inference.scorer.Scorer`."""
        return tuple(one.reorder(own, rows) for one, own in zip(self.scorers, state, strict=True))

    def _joined(self, answers: Sequence[tuple[Scores, Any]]) -> tuple[Scores, Any]:
        scores, states = zip(*answers, strict=True)
        return mixed(np.stack([each.astype(np.float64) for each in scores]), self.weights), states


def mixed(scores: Floats, weights: Floats) -> Floats:
    """Return the logarithm of the weighted mean of probabilities.

    Args:
        scores: (M, ...) natural logarithms.
        weights: (M,) that sum to one.

    Returns:
        (...), minus infinity where no model that counts gives anything.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(weights).reshape(-1, *[1] * (scores.ndim - 1)) + scores
        return np.asarray(np.logaddexp.reduce(logs, axis=0))
