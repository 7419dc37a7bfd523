"""Modified interpolated Kneser-Ney smoothing, as in KenLM's lmplz; also with a single discount per order.

What: a discount is subtracted from the count of each n-gram, and the freed mass goes to the distribution one word
shorter. Below the top order a word's count is the number of different words it follows, not the number of times it
occurs: "Francisco" is frequent, but hardly ever follows anything but "San".

Objective, with c the count at the top order n and, below it, the number of different words that precede the n-gram
(n-grams that start with `BOS`, which nothing can precede, keep their counts):

    p(w | h) = (c(h w) - D(c(h w))) / c(h .) + gamma(h) p(w | h')          h' is h without its first word
    gamma(h) = (D_1 N_1(h .) + D_2 N_2(h .) + D_3 N_3+(h .)) / c(h .)      N_j(h .): words that follow h j times
    Y = t_1 / (t_1 + 2 t_2);  D_j = j - (j + 1) Y t_(j+1) / t_j            t_j: n-grams of the order with c = j

The order below 1 is the uniform distribution over the V words, which gives unseen words, `UNK` among them, their share.
`BOS` is never predicted, has no count and is not one of the V words. With a single discount D_1 = D_2 = D_3 = Y, which
is interpolated Kneser-Ney.

Source: Kneser and Ney 1995, "Improved backing-off for m-gram language modeling"; Chen and Goodman 1998, "An empirical
study of smoothing techniques for language modeling" (TR-10-98), sections 2.7 and 3, equations 23 to 26; Heafield et al.
2013, "Scalable modified Kneser-Ney language model estimation", sections 2 and 3, for `BOS`, `UNK` and the order
of the steps.

Departures: none from lmplz but rounding: all arithmetic is in double precision. Where a discount cannot be estimated or
leaves its range, lmplz's fallback, 0.5, 1 and 1.5, is used only on request, as in lmplz.

Cost: a few passes over the n-grams; 8 bytes per n-gram of the largest order, beside the counts and the result.
"""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.kernels.compiled import compiled
from firth.language.ngram_counts import Estimates, NgramCounts

FALLBACK = (0.5, 1.0, 1.5)

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]


class Discounting(Protocol):
    """Options of Kneser-Ney smoothing."""

    @property
    def discounts(self) -> int:
        """Number of discounts per order: 1 or 3."""

    @property
    def discount_fallback(self) -> bool:
        """Whether fixed discounts replace those that cannot be estimated."""


def estimate(counts: NgramCounts, options: Discounting) -> Estimates:
    """Return probabilities and back-off weights by modified or interpolated Kneser-Ney smoothing."""
    adjusted = adjusted_counts(counts)
    by_order = [np.append(0.0, discounts(c, k, options)) for k, c in enumerate(adjusted, 1)]
    lower, log_probs, log_backoffs = np.full(1, 1 / counts.vocab_size), [], []
    for c, contexts, suffixes, order_discounts in zip(
        adjusted, counts.contexts, counts.suffixes, by_order, strict=True
    ):
        probabilities, totals, gamma = np.empty(len(c)), np.zeros(len(lower)), np.zeros(len(lower))
        interpolate(c, contexts, suffixes, order_discounts, lower, totals, gamma, probabilities)
        log_probs.append(_log(probabilities))
        log_backoffs.append(_log(gamma))
        lower = probabilities
    return list(zip(log_probs, [*log_backoffs[1:], np.zeros(len(lower), np.float32)], strict=True))


def _log(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    logs = np.empty(len(numbers), np.float32)  # the type in which a model stores them
    with np.errstate(divide="ignore"):
        return np.log(numbers, out=logs, casting="same_kind")


@compiled
def interpolate(
    counts: Counts,  # (M,) adjusted counts of the n-grams of an order
    contexts: Ids,  # (M,) row of each context
    suffixes: Ids,  # (M,) row of each suffix
    discounts: Floats,  # (4,) of the counts 0, 1, 2, and 3 or more
    lower: Floats,  # (M',) probabilities of the order below
    totals: Floats,  # (M',) zeros, written: c(h .)
    gamma: Floats,  # (M',) zeros, written: the weight of the order below
    probabilities: Floats,  # (M,) written: p(w | h)
) -> None:
    """Write the probabilities of an order and the weights of the order below."""
    for row in range(len(counts)):
        totals[contexts[row]] += counts[row]
        gamma[contexts[row]] += discounts[min(counts[row], 3)]
    for context in range(len(totals)):  # a context without continuations leaves all mass
        gamma[context] = gamma[context] / totals[context] if totals[context] else 1.0
    for row in range(len(counts)):
        context = contexts[row]
        discounted = counts[row] - discounts[min(counts[row], 3)]
        probabilities[row] = discounted / totals[context] + gamma[context] * lower[suffixes[row]]


def adjusted_counts(counts: NgramCounts) -> list[Counts]:
    """Return the adjusted counts, (M_k,) int64 for each order k.

    At the top order, and for n-grams that start with `BOS`, these are the counts in the text; for others, the number of
    different words that precede them. `BOS` alone is never predicted and has 0.

    Source:
        Heafield et al. 2013, section 3.2; Chen and Goodman 1998, section 2.7.
    """
    adjusted = []
    for k, (order_counts, firsts) in enumerate(zip(counts.counts, counts.firsts(), strict=True)):
        if k + 1 < counts.order:
            before = np.bincount(counts.suffixes[k + 1], minlength=len(order_counts))
            order_counts = np.where(firsts == counts.bos_id, order_counts, before)
        adjusted.append(order_counts)
    adjusted[0] = np.where(np.arange(len(adjusted[0])) == counts.bos_id, 0, adjusted[0])
    return adjusted


def discounts(counts: Counts, order: int, options: Discounting) -> Floats:
    """Return the discounts of an order for counts of 1, 2, and 3 or more.

    Args:
        counts: (M,) adjusted counts of the n-grams of the order.
        options: number of discounts, and whether fixed ones replace those that cannot be estimated.

    Returns:
        (3,) float64.

    Source:
        Chen and Goodman 1998, equation 26.
    """
    t = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if len(counts) == 0:
        return np.array(FALLBACK)  # no sentence is that long
    used_counts = t[: options.discounts]
    if (used_counts > 0).all():
        y, j = t[0] / (t[0] + 2 * t[1]), np.arange(1.0, 4.0)
        estimated = np.full(3, y) if options.discounts == 1 else j - (j + 1) * y * t[1:] / t[:3]
        if (estimated >= 0).all() and (estimated <= j).all():
            return np.asarray(estimated)
    if not options.discount_fallback:
        raise OptionError(
            f"cannot estimate the discounts of {order}-grams: {', '.join(f'{n:,.0f}' for n in t)} of them have the "
            "counts 1, 2, 3 and 4; expected many rare n-grams and fewer frequent ones, as in running text: give more "
            f"text, or discount_fallback=True for fixed discounts of {', '.join(f'{d:g}' for d in FALLBACK)}"
        )
    return np.array(FALLBACK)
