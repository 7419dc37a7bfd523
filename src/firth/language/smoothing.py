"""What smoothings share: the counts of an order with their contexts, backing off, and the form that models take."""

from collections.abc import Iterator, Sequence
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

FIXED = 0.5  # taken off every count where a discount cannot be estimated


class Estimating(Protocol):
    """The option that estimated discounts look at."""

    @property
    def discount_fallback(self) -> bool:
        """Whether a fixed discount stands in for those that cannot be estimated."""


@dataclass(frozen=True, eq=False)
class Level:
    """The n-grams h w of one order k, M of them, and their contexts h, H of them; H is 1 where k is 1.

    Attributes:
        order: k.
        counts: (M,) int64, c(h w); 0 for `BOS` alone, which is never predicted.
        contexts: (M,) int32, the row of h.
        suffixes: (M,) int32, the row of h' w among the n-grams of order k - 1, h' being h without its first word.
        many: H.
        size: V, words that can be predicted.
        begins: (M,) whether `BOS` is the first word.
        top: whether no n-gram is longer.
    """

    order: int
    counts: Counts
    contexts: Ids
    suffixes: Ids
    many: int
    size: int
    begins: Bools
    top: bool

    @cached_property
    def totals(self) -> Floats:
        """(H,) c(h .), how often a word stands after each context."""
        return self.sums(self.counts)

    def sums(self, values: npt.NDArray[np.float64 | np.int64 | np.bool_]) -> Floats:
        """Return (H,) the sum of a value of each n-gram over the n-grams of each context."""
        return np.bincount(self.contexts, values, self.many).astype(np.float64)

    def shares(self, values: npt.NDArray[np.float64 | np.int64]) -> Floats:
        """Return (M,) a value of each n-gram over c(h .); 0 where that is 0."""
        return np.asarray(values / np.maximum(self.totals, 1)[self.contexts])


def levels(counts: NgramCounts) -> Iterator[Level]:
    """Yield the orders of what was counted, the first first."""
    many = 1
    for k, (own, firsts) in enumerate(zip(counts.counts, counts.firsts(), strict=True), 1):
        begins = firsts == counts.bos_id
        kept = np.where(begins, 0, own) if k == 1 else own
        at = counts.contexts[k - 1], counts.suffixes[k - 1]
        yield Level(k, kept, *at, many, counts.size, begins, k == counts.order)
        many = len(own)


def backed_off(level: Level, taken: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """Return probabilities of which what was taken off the counts goes to the words not seen after a context.

    p(w | h) = (c(h w) - taken) / c(h .) for words that were seen, and alpha(h) p(w | h') for the others, alpha being
    what makes the sum one. Where every word was seen, nothing is left to back off to, and all are scaled to one.

    Args:
        level: the n-grams.
        taken: (M,) float64, off each count; more than 0, and less than the count, where that is not 0.
        lower: (M',) float64, p(w | h') of the n-grams of the order below.

    Returns:
        (M,) the probabilities and (H,) alpha; 1 for contexts that nothing follows.

    Source:
        Katz 1987, equations 17 to 19.
    """
    seen = level.counts > 0
    below = lower[level.suffixes]
    left = level.sums(taken) / np.maximum(level.totals, 1)
    missing = 1 - level.sums(np.where(seen, below, 0.0))
    whole = level.sums(seen) >= level.size
    alpha = np.where(level.totals > 0, left / np.where(whole, 1.0, missing), 1.0)
    kept = level.shares(level.counts - taken) / np.where(whole, 1 - left, 1.0)[level.contexts]
    return np.where(seen, kept, alpha[level.contexts] * below), alpha


def interpolated(level: Level, taken: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """Return probabilities of which what was taken off the counts goes to all words, seen after a context or not.

    p(w | h) = (c(h w) - taken) / c(h .) + gamma(h) p(w | h'), gamma(h) being the sum of what was taken over c(h .).

    Args:
        level: the n-grams.
        taken: (M,) float64, off each count.
        lower: (M',) float64, p(w | h') of the n-grams of the order below.

    Returns:
        (M,) the probabilities and (H,) gamma; 1 for contexts that nothing follows.
    """
    gamma = np.where(level.totals > 0, level.sums(taken) / np.maximum(level.totals, 1), 1.0)
    return level.shares(level.counts - taken) + gamma[level.contexts] * lower[level.suffixes], gamma


def alone(level: Level, found: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return probabilities of contexts as long as they can be, above orders that take all words alike.

    For smoothings that know no shorter contexts. A context is as long as it can be if it has n - 1 words, or begins
    with `BOS`; all other probabilities are 1 / V.

    Args:
        level: the n-grams.
        found: (M,) probabilities and (H,) weights of the order below, with 1 / V for all probabilities there.
    """
    if level.top:
        return found
    probabilities, weights = found
    full = level.begins if level.order > 1 else np.zeros(len(level.begins), np.bool_)
    of_context = np.zeros(level.many, np.bool_)
    of_context[level.contexts[full]] = True
    return np.where(full, probabilities, 1 / level.size), np.where(of_context, weights, 1.0)


def in_logs(probabilities: Sequence[Floats], weights: Sequence[Floats]) -> Estimates:
    """Return what an n-gram model is made of.

    Args:
        probabilities: (M_k,) of each order k.
        weights: (M_(k-1),) of the contexts of each order k; the first, of no context, is left out.
    """
    after = [*weights[1:], np.ones(len(probabilities[-1]))]
    with np.errstate(divide="ignore"):  # what can be followed by no more words backs off with a weight of 0
        return [(np.log(p), np.log(w)) for p, w in zip(probabilities, after, strict=True)]


def counts_of_counts(counts: Counts, most: int) -> Floats:
    """Return (most + 1,) float64: how many n-grams count 0, 1, 2 and so on."""
    return np.bincount(np.minimum(counts, most + 1), minlength=most + 2)[: most + 1].astype(np.float64)


def fixed(level: Level, options: Estimating, found: str) -> float:
    """Return what is taken off counts where a discount cannot be estimated.

    Args:
        level: the n-grams.
        options: whether that is asked for; at order 1 it need not be, for a vocabulary without rare words is usual.
        found: what makes estimating impossible.

    Raises:
        OptionError: it is not asked for.
    """
    if level.order == 1 or options.discount_fallback or not level.counts.any():
        return FIXED
    raise OptionError(
        f"the discounts of {level.order}-grams cannot be estimated: {found}; expected many that count little and fewer "
        f"that count more, as in running text: give more text, or discount_fallback=True to take off {FIXED:g} instead"
    )
