"""Modified interpolated Kneser-Ney smoothing, as lmplz of KenLM does it; or the same with a single discount.

What: the probability of a word after others is what is left of its count when a discount is taken off, and the mass of
the discounts goes to the distribution one word shorter. Below the top order a word counts as often as it follows
different words, not as often as it stands in the text: "Francisco" is frequent, and hardly ever follows anything but
"San".

Objective, with c the count at the top order n and, below it, the number of different words that stand before the n-gram
(n-grams that begin with `BOS`, which nothing can stand before, keep their counts):

    p(w | h) = (c(h w) - D(c(h w))) / c(h .) + gamma(h) p(w | h')          h' is h without its first word
    gamma(h) = (D_1 N_1(h .) + D_2 N_2(h .) + D_3 N_3+(h .)) / c(h .)      N_j(h .): words that follow h just j times
    Y = t_1 / (t_1 + 2 t_2);  D_j = j - (j + 1) Y t_(j+1) / t_j            t_j: n-grams of the order with c = j

and below order 1 stands the uniform distribution over the V words, which gives those never seen, `UNK` among them,
their share. `BOS` is never predicted, counts nothing and is no one of the V. With a single discount, D_1 = D_2 = D_3
= Y, which is interpolated Kneser-Ney.

Source: Kneser and Ney 1995, "Improved backing-off for m-gram language modeling"; Chen and Goodman 1998, "An empirical
study of smoothing techniques for language modeling" (TR-10-98), sections 2.7 and 3, equations 23 to 26; Heafield et al.
2013, "Scalable modified Kneser-Ney language model estimation", sections 2 and 3, for `BOS`, `UNK` and the order
of the steps.

Departures: none from lmplz but in rounding, for all is done in double precision here. Where a discount cannot be
estimated or leaves its range, lmplz's fallback, 0.5, 1 and 1.5, is taken only when asked for, as there.

Cost: a few passes over the n-grams; 8 bytes for each of the largest order, beside the counts and what is returned.
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
    """The options that Kneser-Ney smoothing looks at."""

    @property
    def discounts(self) -> int:
        """How many discounts an order has: 1 or 3."""

    @property
    def discount_fallback(self) -> bool:
        """Whether fixed discounts stand in for those that cannot be estimated."""


def estimate(counts: NgramCounts, options: Discounting) -> Estimates:
    """Return the probabilities and back-off weights of modified or interpolated Kneser-Ney smoothing.

    Args:
        counts: of the n-grams of all orders.
        options: how many discounts, and what happens where they cannot be estimated.

    Raises:
        OptionError: discounts cannot be estimated from so little text, and no fallback is asked for.
    """
    adjusted = adjusted_counts(counts)
    taken = [np.append(0.0, discounts(c, k, options)) for k, c in enumerate(adjusted, 1)]
    lower, log_probs, log_backoffs = np.full(1, 1 / counts.size), [], []
    for c, contexts, suffixes, each in zip(adjusted, counts.contexts, counts.suffixes, taken, strict=True):
        found, totals, gamma = np.empty(len(c)), np.zeros(len(lower)), np.zeros(len(lower))
        interpolate(c, contexts, suffixes, each, lower, totals, gamma, found)
        log_probs.append(_log(found))
        log_backoffs.append(_log(gamma))
        lower = found
    return list(zip(log_probs, [*log_backoffs[1:], np.zeros(len(lower), np.float32)], strict=True))


def _log(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    found = np.empty(len(numbers), np.float32)  # as a model stores them: half the memory
    with np.errstate(divide="ignore"):
        return np.log(numbers, out=found, casting="same_kind")


@compiled
def interpolate(
    counts: Counts,  # (M,) adjusted, of the n-grams of an order
    contexts: Ids,  # (M,) their contexts' rows
    suffixes: Ids,  # (M,) their suffixes' rows
    taken: Floats,  # (4,) what is taken off counts of 0, 1, 2, and 3 or more
    lower: Floats,  # (M',) the probabilities of the order below
    totals: Floats,  # (M',) zeros, written: c(h .)
    gamma: Floats,  # (M',) zeros, written: the weight of the order below
    found: Floats,  # (M,) written: p(w | h)
) -> None:
    """Write the probabilities of an order, and what its contexts leave to the order below."""
    for row in range(len(counts)):
        totals[contexts[row]] += counts[row]
        gamma[contexts[row]] += taken[min(counts[row], 3)]
    for context in range(len(totals)):  # what nothing follows leaves everything
        gamma[context] = gamma[context] / totals[context] if totals[context] else 1.0
    for row in range(len(counts)):
        context = contexts[row]
        own = counts[row] - taken[min(counts[row], 3)]
        found[row] = own / totals[context] + gamma[context] * lower[suffixes[row]]


def adjusted_counts(counts: NgramCounts) -> list[Counts]:
    """Return what Kneser-Ney counts, (M_k,) int64 for each order k.

    The counts of the text at the top order and of n-grams that begin with `BOS`; of others, how many different words
    stand before them. `BOS` alone is never predicted and has 0.

    Source:
        Heafield et al. 2013, section 3.2; Chen and Goodman 1998, section 2.7.
    """
    found = []
    for k, (own, firsts) in enumerate(zip(counts.counts, counts.firsts(), strict=True)):
        if k + 1 < counts.order:
            before = np.bincount(counts.suffixes[k + 1], minlength=len(own))
            own = np.where(firsts == counts.bos_id, own, before)
        found.append(own)
    found[0] = np.where(np.arange(len(found[0])) == counts.bos_id, 0, found[0])
    return found


def discounts(counts: Counts, order: int, options: Discounting) -> Floats:
    """Return the discounts of an order: what is taken off counts of 1, of 2, and of 3 and more.

    Args:
        counts: adjusted, of the n-grams of the order.
        order: for the message.
        options: how many discounts, and what happens where they cannot be estimated.

    Returns:
        (3,) float64.

    Raises:
        OptionError: too few n-grams stand 1, 2, 3 or 4 times, and no fallback is asked for.

    Source:
        Chen and Goodman 1998, equation 26.
    """
    t = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].astype(np.float64)
    if len(counts) == 0:
        return np.array(FALLBACK)  # no n-gram is as long: there is nothing to discount
    needed = t[: options.discounts]
    if (needed > 0).all():
        y, j = t[0] / (t[0] + 2 * t[1]), np.arange(1.0, 4.0)
        found = np.full(3, y) if options.discounts == 1 else j - (j + 1) * y * t[1:] / t[:3]
        if (found >= 0).all() and (found <= j).all():
            return np.asarray(found)
    if not options.discount_fallback:
        raise OptionError(
            f"the discounts of {order}-grams cannot be estimated: {', '.join(f'{n:,.0f}' for n in t)} of them count "
            "1, 2, 3 and 4; expected many that count little and fewer that count more, as in running text: give more "
            f"text, or discount_fallback=True to take off {', '.join(f'{d:g}' for d in FALLBACK)} instead"
        )
    return np.array(FALLBACK)
