"""Minimum Bayes risk decoding: the text that agrees most with all other texts the model considers.

What: the most probable text may be an odd one, such as an empty translation. Of several texts, samples or the n best
    of a beam search, this selects the one with the highest mean utility, for example chrF, with the others as
    references.
Objective: u(y) = sum_r p(r) u(y, r) over the different texts r, itself included; p is the share of the samples that
    are r, or, of n best texts, their probabilities renormalised.
Source: Kumar and Byrne 2004, Minimum Bayes-Risk Decoding for Statistical Machine Translation (n best);
    Eikema and Aziz 2020, Is MAP Decoding All You Need? (samples).
Departures: none. Utility is maximised; risk is its negative.
Cost: n^2 calls of the utility for n different texts.
"""

import math
import numbers
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from firth.errors import OptionError, ShapeError
from firth.options import wrong_kind

Candidate = TypeVar("Candidate", bound=Hashable)


@dataclass(frozen=True)
class ExpectedUtility(Generic[Candidate]):
    """A text and its utility.

    Attributes:
        utility: expected utility, in the units of the utility function.
        index: of the first occurrence among the given texts.
    """

    text: Candidate
    utility: float
    index: int


def minimum_bayes_risk(
    texts: Sequence[Candidate],
    utility: Callable[[Candidate, Candidate], float],
    *,
    log_probs: Sequence[float] | None = None,
) -> list[ExpectedUtility[Candidate]]:
    """Rank texts by their expected utility.

    Args:
        texts: n strings, or tuples of tokens; samples may repeat.
        utility: of a text (first argument) if another one (second argument) is right; higher is better.
        log_probs: of n best texts, in nats; None for samples, each of which counts once. A text that is given several
            times has the sum of its probabilities.

    Returns:
        The different texts, best first; of equal ones the first given.

    Raises:
        ArgumentTypeError: the utility is no function, or does not return a number.
        OptionError: there are no texts, or a utility or the largest log-probability is not a number.
        ShapeError: there are not as many log-probabilities as texts.
    """
    if not callable(utility):
        raise wrong_kind("utility", utility, "a function of a text and a reference that returns a number")
    if not texts:
        raise OptionError("no texts: expected at least one")
    if log_probs is not None and len(log_probs) != len(texts):
        raise ShapeError(f"{len(log_probs)} log-probabilities for {len(texts)} texts: expected one for each")
    logs = np.zeros(len(texts)) if log_probs is None else np.asarray(log_probs, dtype=np.float64)
    if not np.isfinite(logs.max()):
        raise OptionError(f"log_probs with the maximum {logs.max()}: expected finite numbers")
    shares = np.exp(logs - logs.max())
    weights: dict[Candidate, float] = {}
    for text, share in zip(texts, (shares / shares.sum()).tolist(), strict=True):
        weights[text] = weights.get(text, 0.0) + share
    first = {text: index for index, text in reversed(list(enumerate(texts)))}
    ranked = [ExpectedUtility(text, _expected(text, weights, utility), first[text]) for text in weights]
    return sorted(ranked, key=lambda candidate: -candidate.utility)


def _expected(
    text: Candidate, weights: dict[Candidate, float], utility: Callable[[Candidate, Candidate], float]
) -> float:
    values: list[tuple[float, Any]] = [(weight, utility(text, reference)) for reference, weight in weights.items()]
    odd = next((value for _, value in values if not isinstance(value, numbers.Real)), values)
    if odd is not values:
        raise wrong_kind(f"utility of {text!r}", odd, "a number for each pair of texts")
    total = math.fsum(weight * value for weight, value in values)  # U(y) = sum_r p(r) u(y, r)
    if not math.isfinite(total):
        raise OptionError(f"utility of {text!r}: {total}; expected a finite number for each pair of texts")
    return total
