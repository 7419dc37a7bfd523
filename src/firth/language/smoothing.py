"""Common parts of smoothing methods: the n-grams of one order, interpolation, back-off, fallback discounts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.language.ngram_counts import Estimates, NgramCounts

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]

FALLBACK = 0.5  # discount where none can be estimated


class Estimating(Protocol):
    """Options of smoothing methods with estimated discounts."""

    @property
    def discount_fallback(self) -> bool:
        """Whether a fixed discount replaces discounts that cannot be estimated."""


@dataclass(frozen=True, eq=False)
class Level:
    """The M n-grams h w of one order k, and their H contexts h; H is 1 where k is 1.

    Attributes:
        counts: (M,) int64, c(h w); 0 for `BOS` alone, which is never predicted.
        contexts: (M,) int32, the row of h.
        suffixes: (M,) int32, the row of h' w among the n-grams of order k - 1; h' is h without its first word.
        num_contexts: H.
        vocab_size: V, the number of words that can be predicted.
        starts_with_bos: (M,) whether the first word is `BOS`.
        is_top: whether this is the highest order.
    """

    order: int
    counts: Counts
    contexts: Ids
    suffixes: Ids
    num_contexts: int
    vocab_size: int
    starts_with_bos: Bools
    is_top: bool

    @cached_property
    def totals(self) -> Floats:
        """(H,) c(h .), the number of words seen after each context."""
        return self.sums(self.counts)

    def sums(self, values: npt.NDArray[np.float64 | np.int64 | np.bool_]) -> Floats:
        """Return (H,) the sum of the values (M,) over the n-grams of each context."""
        return np.bincount(self.contexts, values, self.num_contexts).astype(np.float64)

    def shares(self, values: npt.NDArray[np.float64 | np.int64]) -> Floats:
        """Return (M,) the values divided by c(h .); 0 where that is 0."""
        return np.asarray(values / np.maximum(self.totals, 1)[self.contexts])


def levels(counts: NgramCounts) -> Iterator[Level]:
    """Yield the orders from 1 to n."""
    num_contexts = 1
    for k, (occurrences, firsts) in enumerate(zip(counts.counts, counts.firsts(), strict=True), 1):
        starts_with_bos = firsts == counts.bos_id
        predicted = np.where(starts_with_bos, 0, occurrences) if k == 1 else occurrences
        rows = counts.contexts[k - 1], counts.suffixes[k - 1]
        yield Level(k, predicted, *rows, num_contexts, counts.vocab_size, starts_with_bos, k == counts.order)
        num_contexts = len(occurrences)


def estimate_levels(counts: NgramCounts, smooth: Callable[[Level, Floats], tuple[Floats, Floats]]) -> Estimates:
    """Smooth order by order, from 1 to n.

    Args:
        smooth: takes an order and the probabilities (M',) of the order below, 1 / V below order 1; returns the
            probabilities (M,) of the n-grams and the back-off weights (H,) of their contexts.
    """
    lower = np.full(1, 1 / counts.vocab_size)
    probabilities, weights = [], []
    for level in levels(counts):
        lower, weight = smooth(level, lower)
        probabilities.append(lower)
        weights.append(weight)
    return log_estimates(probabilities, weights)


def backed_off(level: Level, discounts: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """Distribute the discounted mass over the words not seen after a context (back-off).

    p(w | h) = (c(h w) - D) / c(h .) for words seen after h, and alpha(h) p(w | h') for the others; alpha normalises.
    Where all V words were seen after h, nothing is left to back off to, and the probabilities are rescaled to sum to 1.

    Args:
        discounts: (M,) float64, positive and below the count wherever the count is positive.
        lower: (M',) float64, p(w | h') of the n-grams of the order below.

    Returns:
        (M,) the probabilities and (H,) alpha, which is 1 for contexts that no word follows.

    Source:
        Katz 1987, equations 17 to 19.
    """
    mask = level.counts > 0
    below = lower[level.suffixes]
    mass = level.sums(discounts) / np.maximum(level.totals, 1)
    missing = 1 - level.sums(np.where(mask, below, 0.0))
    complete = level.sums(mask) >= level.vocab_size
    alpha = np.where(level.totals > 0, mass / np.where(complete, 1.0, missing), 1.0)
    probabilities = level.shares(level.counts - discounts) / np.where(complete, 1 - mass, 1.0)[level.contexts]
    return np.where(mask, probabilities, alpha[level.contexts] * below), alpha


def interpolated(level: Level, discounts: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """Distribute the discounted mass over all words, seen after a context or not (interpolation).

    p(w | h) = (c(h w) - D) / c(h .) + gamma(h) p(w | h'); gamma(h) is the sum of the discounts over c(h .).

    Args:
        discounts: (M,) float64.
        lower: (M',) float64, p(w | h') of the n-grams of the order below.

    Returns:
        (M,) the probabilities and (H,) gamma, which is 1 for contexts that no word follows.
    """
    gamma = np.where(level.totals > 0, level.sums(discounts) / np.maximum(level.totals, 1), 1.0)
    return level.shares(level.counts - discounts) + gamma[level.contexts] * lower[level.suffixes], gamma


def without_lower_orders(level: Level, probabilities: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Make all contexts uniform but the longest, for smoothing methods that use no lower orders.

    A context is as long as possible if it has n - 1 words or starts with `BOS`; all others predict 1 / V.

    Args:
        probabilities: (M,) of the n-grams, estimated with 1 / V at the order below.
        weights: (H,) back-off weights of the contexts.
    """
    if level.is_top:
        return probabilities, weights
    full = level.starts_with_bos if level.order > 1 else np.zeros(len(level.starts_with_bos), np.bool_)
    full_context = np.zeros(level.num_contexts, np.bool_)
    full_context[level.contexts[full]] = True
    return np.where(full, probabilities, 1 / level.vocab_size), np.where(full_context, weights, 1.0)


def log_estimates(probabilities: Sequence[Floats], weights: Sequence[Floats]) -> Estimates:
    """Return natural logarithms, with each back-off weight beside the n-gram that is its context.

    Args:
        probabilities: (M_k,) for each order k.
        weights: (M_(k-1),) back-off weights of the contexts of each order k; those of order 1 are unused.
    """
    after = [*weights[1:], np.ones(len(probabilities[-1]))]
    with np.errstate(divide="ignore"):  # a context that all words follow has the back-off weight 0
        return [(np.log(p), np.log(w)) for p, w in zip(probabilities, after, strict=True)]


def counts_of_counts(counts: Counts, largest: int) -> Floats:
    """Return (largest + 1,) float64: the number of n-grams that occur 0, 1, 2 ... times."""
    return np.bincount(np.minimum(counts, largest + 1), minlength=largest + 2)[: largest + 1].astype(np.float64)


def fallback_discount(level: Level, options: Estimating, reason: str) -> float:
    """Return the fixed discount, for an order whose discounts cannot be estimated.

    Order 1 needs no `discount_fallback`: a vocabulary without rare words is common.
    """
    if level.order == 1 or options.discount_fallback or not level.counts.any():
        return FALLBACK
    raise OptionError(
        f"cannot estimate the discounts of {level.order}-grams: {reason}; expected many rare n-grams and fewer "
        "frequent ones, as in running text: give more text, or discount_fallback=True for a fixed discount of "
        f"{FALLBACK:g}"
    )
