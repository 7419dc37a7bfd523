"""The result of an attribution method: a number per token, as text, HTML and values."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
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


SIGNED = ("gradient-x-input", "integrated-gradients", "leave-one-out")  # methods whose scores have a sign
POSITIVE, NEGATIVE = (26, 152, 80), (215, 48, 39)  # colours of tokens for and against the target
STRONGEST = 0.75  # opacity of the largest score


@dataclass(frozen=True, eq=False)
class Explanation:
    """The contribution of each token of a text to a model's answer.

    Attributes:
        tokens: the T tokens as the model reads them.
        scores: (T,) float64. Methods with a sign: positive for the target, negative against it.
        method: one of `firth.explanation.methods.METHODS`.
        target: the answer that is explained, a label or the next word.
        difference: log p(target | text) - log p(target | baseline of zeros), which integrated gradients sum to.
    """

    text: str
    tokens: Sequence[str]
    scores: Floats
    method: str
    target: str
    probability: float
    difference: float

    def __len__(self) -> int:
        return len(self.tokens)

    def __repr__(self) -> str:
        return f"<Explanation of {self.target!r} by {self.method}: {len(self.tokens)} tokens>"

    def __str__(self) -> str:
        width = max((len(token) for token in self.tokens), default=0)
        rows = [f"{token:<{width}}  {score:>8.4f}" for token, score in zip(self.tokens, self.scores, strict=True)]
        return "\n".join([self.title, *rows])

    @property
    def title(self) -> str:
        """The explained answer, in a line."""
        return f"{self.target} (p = {self.probability:.4f}), {self.method}"

    @property
    def strengths(self) -> Floats:
        """(T,) the scores, divided by the largest absolute one; zeros if all are 0."""
        largest = float(np.abs(self.scores).max(initial=0))
        return self.scores / largest if largest > 0 else np.zeros_like(self.scores)

    def top(self, n: int = 5) -> list[tuple[str, float]]:
        """Return the n tokens with the largest absolute scores, with their scores."""
        best = np.argsort(-np.abs(self.scores), kind="stable")[:n]
        return [(self.tokens[position], float(self.scores[position])) for position in best.tolist()]

    def described(self) -> dict[str, Any]:
        """Return the explanation as JSON values."""
        return {
            "text": self.text,
            "target": self.target,
            "probability": self.probability,
            "method": self.method,
            "tokens": [
                {"token": token, "score": float(score)} for token, score in zip(self.tokens, self.scores, strict=True)
            ],
        }

    def coloured(self) -> list[tuple[str, tuple[int, int, int], float]]:
        """Return each token with its colour and opacity: green for the target, red against it."""
        signed = self.method in SIGNED
        return [
            (token, NEGATIVE if signed and strength < 0 else POSITIVE, STRONGEST * abs(float(strength)))
            for token, strength in zip(self.tokens, self.strengths, strict=True)
        ]

    def _repr_html_(self) -> str:
        spans = " ".join(
            f'<span style="background:rgba({red},{green},{blue},{opacity:.3f});padding:.1em .2em;border-radius:.2em" '
            f'title="{score:.4f}">{escape(token)}</span>'
            for (token, (red, green, blue), opacity), score in zip(self.coloured(), self.scores, strict=True)
        )
        return f'<div><p>{escape(self.title)}</p><p style="line-height:2">{spans}</p></div>'


def html_page(explanations: Sequence[Explanation]) -> str:
    """Return explanations as one HTML page without scripts, for light and dark screens."""
    content = "".join(explanation._repr_html_() for explanation in explanations)
    title = escape(explanations[0].target) if explanations else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        '<body style="font-family:sans-serif;max-width:45em;margin:2em auto;padding:0 1em">'
        f"{content}</body></html>\n"
    )
