"""The interface between models and attribution methods: a text as input vectors, an answer as a function of them."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class ExplainableText(Protocol):
    """One text as a model reads it, and the logarithm of the probability of one answer.

    Attributes:
        tokens: the T tokens.
        target: the answer that is explained: a label, or the next word.
        rows: (N, D) float64, the input vectors of the text.
        shares: (T, N) the share of each token in each input vector; every column sums to 1. The identity for models
            with one vector per token.
    """

    tokens: Sequence[str]
    target: str
    rows: Floats
    shares: Floats

    def log_prob(self, rows: Floats) -> Floats:
        """Return (S,) log-probabilities of the target, given S times other input vectors, (S, N, D)."""
        ...

    def gradient(self, rows: Floats) -> Floats:
        """Return (S, N, D) gradients of the log-probabilities."""
        ...

    def log_probs_without(self) -> Floats:
        """Return (T,) the log-probability of the target for the text without each token."""
        ...

    def attention(self) -> Floats:
        """Return (T,) the attention that the model pays to each token."""
        ...


@runtime_checkable
class Explainable(Protocol):
    """A model whose answers can be explained."""

    def explainable(self, text: str, target: str | None = None) -> ExplainableText:
        """Return a text as attribution methods need it.

        Args:
            target: the answer to explain; None for the most probable one.
        """
        ...

    def randomised(self, seed: int = 0) -> Any:
        """Return a model of the same kind with random parameters, the control of attributions."""
        ...
