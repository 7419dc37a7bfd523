"""`firth.explain`: which words of a text a model's answer comes from."""

from typing import Any

import numpy as np

from firth.arguments import explained
from firth.errors import ArgumentTypeError, OptionError, brief
from firth.explanation.explanation import Explainable, ExplainableText, Explanation
from firth.explanation.methods import METHODS, jacobian
from firth.text.inputs import check_text

NORMS = (1, 2)


@explained
def explain(
    model: Any, text: str, *, target: str | None = None, method: str = "integrated-gradients", norm: int = 2
) -> Explanation:
    """Explain the answer of a classifier, or the next word of a language model, by the words of the text.

    Args:
        model: a classifier or a neural language model.
        text: the text.
        target: the label, or the next word, to explain; None for the most probable one.
        method: "integrated-gradients", "gradient-x-input", "jacobian", "leave-one-out" or "attention".
        norm: 1 or 2, the norm of the method "jacobian".

    Raises:
        ArgumentTypeError: the model cannot be explained.
        OptionError: there is no such method, norm or target, the model has no attention, or the text has no known word.

    Source:
        `firth.explanation.methods` has the formulas and papers.
    """
    check_method(method, norm)
    check_text(text)
    return explanation_of(explainable_text(model, text, target), text, method, norm)


def explainable_text(model: Any, text: str, target: str | None) -> ExplainableText:
    """Return a text as a model reads it."""
    if not isinstance(model, Explainable):
        raise ArgumentTypeError(f"model: found {brief(model)}, expected a classifier or a neural language model")
    return model.explainable(text, target)


def explanation_of(source: ExplainableText, text: str, method: str, norm: int = 2) -> Explanation:
    """Return the explanation of a text by one method."""
    scores = jacobian(source, norm) if method == "jacobian" else METHODS[method](source)
    ends = source.log_prob(np.stack([source.rows, np.zeros_like(source.rows)]))
    return Explanation(
        text=text,
        tokens=source.tokens,
        scores=scores,
        method=method,
        target=source.target,
        probability=float(np.exp(ends[0])),
        difference=float(ends[0] - ends[1]),
    )


def check_method(method: str, norm: int) -> None:
    """Check the name of a method and a norm."""
    if method not in METHODS:
        raise OptionError(f"method={brief(method)}: expected one of {', '.join(METHODS)}")
    if norm not in NORMS:
        raise OptionError(f"norm={brief(norm)}: expected 1 or 2")
