"""Katz's back-off: small counts are discounted by Good-Turing, and the freed mass goes to unseen words.

What: the mass that the words seen after a context lose is distributed over the words not seen after it, in the
proportions of the context one word shorter.

Objective, with N_r n-grams of the order that occur r times, and d_r = 1 for r > k:

    p(w | h) = d_r r / c(h .), r = c(h w) > 0;  alpha(h) p(w | h') for the others; alpha normalises
    d_r = (r* / r - (k + 1) N_(k+1) / N_1) / (1 - (k + 1) N_(k+1) / N_1),  r* = (r + 1) N_(r+1) / N_r

The order below 1 is the uniform distribution over the V words.

Source: Katz 1987, "Estimation of probabilities from sparse data for the language model component of a speech
recognizer", equations 10 to 19, with k = 5.

Departures: Katz has no order below 1. Where the counts of counts give no discount factors between 0 and 1 for k, the
largest smaller k that gives some is used; at order 1, where a vocabulary without rare words gives none, simple
Good-Turing is used. A context whose words all occur more than k times would leave nothing to unseen words: it loses as
much as if it had occurred once more.

Cost: about ten passes over the n-grams, half of them sequential in memory.
"""

from typing import Protocol

import numpy as np

from firth.language import good_turing
from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import (
    Counts,
    Estimating,
    Floats,
    Level,
    backed_off,
    counts_of_counts,
    estimate_levels,
    fallback_discount,
)


class CuttingOff(Estimating, Protocol):
    """Options of Katz's smoothing."""

    @property
    def cutoff(self) -> int:
        """The largest count k that is discounted."""


def estimate(counts: NgramCounts, options: CuttingOff) -> Estimates:
    """Return probabilities and back-off weights by Katz's smoothing."""
    return estimate_levels(counts, lambda level, lower: backed_off(level, _discounts(level, options), lower))


def _discounts(level: Level, options: CuttingOff) -> Floats:
    """Return (M,) the discount of each count."""
    factors = discount_factors(level.counts, options.cutoff)
    if factors is None and level.order == 1:
        return good_turing.discounts(level, options)
    if factors is None:
        numbers = ", ".join(f"{n:,.0f}" for n in counts_of_counts(level.counts, 4)[1:])
        reason = f"{numbers} of them occur 1, 2, 3 and 4 times"
        return np.where(level.counts > 0, fallback_discount(level, options, reason), 0.0)
    discounts = level.counts * (1 - factors[np.minimum(level.counts, len(factors) - 1)])
    undiscounted = (level.sums(discounts) <= 0)[level.contexts]
    return np.where(undiscounted, level.counts / (level.totals + 1)[level.contexts], discounts)


def discount_factors(counts: Counts, cutoff: int) -> Floats | None:
    """Return the factors d_r by which counts are multiplied.

    Args:
        counts: (M,) counts of the n-grams of an order.
        cutoff: the largest count k that is discounted; a smaller one is tried where it gives no valid factors.

    Returns:
        (k + 2,) float64: the factors of r = 0, 1 ... k, and 1 for all larger counts; None where no k >= 2 is valid.

    Source:
        Katz 1987, equation 15.
    """
    for k in range(cutoff, 1, -1):
        n, r = counts_of_counts(counts, k + 1), np.arange(1, k + 1)
        if (n[1:-1] > 0).all():
            turing = (r + 1) * n[2:] / n[1:-1]
            common = (k + 1) * n[k + 1] / n[1]
            factors = (turing / r - common) / (1 - common) if common < 1 else np.zeros(k)  # d_r, with r* = turing
            if ((factors > 0) & (factors < 1)).all():
                return np.concatenate([[1.0], factors, [1.0]])
    return None
