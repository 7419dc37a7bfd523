"""Several models as one: a weighted mean of their probabilities.

What: the probability of a next word is the weighted mean of the models' probabilities. The models may differ in kind
    and size, and read different sources; they write the same words.
Objective: s_i = log sum_m w_m exp(s_mi), with weights that sum to one.
Source: Jelinek and Mercer 1980, Interpolated Estimation of Markov Source Parameters.
Departures: none; the mean of scores would not be a distribution.
Cost: that of all models, and an exponential per word and model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import ShapeError
from firth.inference.scorer import Floats, Scorer, Scores, as_float64


@dataclass(frozen=True)
class Ensemble:
    """Several models as a `firth.inference.scorer.Scorer`.

    Attributes:
        scorers: M models with the same ids.
        weights: (M,) that sum to one.

    Raises:
        ShapeError: there are no models, not as many weights, or, in a search, models with different numbers of words.
    """

    scorers: tuple[Scorer, ...]
    weights: Floats

    def __post_init__(self) -> None:
        if not self.scorers or len(self.scorers) != len(self.weights):
            raise ShapeError(f"{len(self.weights)} weights for {len(self.scorers)} models: expected one for each")

    @classmethod
    def mean(cls, scorers: Sequence[Scorer]) -> "Ensemble":
        """Return models with equal weights."""
        return cls(tuple(scorers), np.full(len(scorers), 1 / max(len(scorers), 1)))

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """See `Scorer`."""
        return self._joined([scorer.start(prompts) for scorer in self.scorers])

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """See `Scorer`."""
        return self._joined([scorer.advance(own, ids) for scorer, own in zip(self.scorers, state, strict=True)])

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """See `Scorer`."""
        return tuple(scorer.reorder(own, rows) for scorer, own in zip(self.scorers, state, strict=True))

    def _joined(self, answers: Sequence[tuple[Scores, Any]]) -> tuple[Scores, Any]:
        scores, states = zip(*answers, strict=True)
        if len(sizes := {matrix.shape[1] for matrix in scores}) > 1:
            raise ShapeError(f"models of {', '.join(map(str, sorted(sizes)))} words: expected the same words in all")
        return mixed(np.stack([as_float64(matrix) for matrix in scores]), self.weights), states


def mixed(scores: Floats, weights: Floats) -> Floats:
    """Return the logarithm of the weighted mean of probabilities.

    Args:
        scores: (M, ...) natural logarithms.
        weights: (M,) that sum to one.

    Returns:
        (...), minus infinity where every model with a weight has probability 0.
    """
    best = scores.max(axis=0)
    best = np.where(np.isfinite(best), best, 0.0)
    powers = np.exp(scores - best)
    powers *= weights.reshape(-1, *[1] * (scores.ndim - 1))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(powers.sum(axis=0)) + best)
