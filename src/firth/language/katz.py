"""Katz's back-off: small counts are discounted by Good and Turing's estimate, and what they lose goes to unseen words.

What: the mass that the words seen after a context lose is shared among those not seen after it, as the context one word
shorter has it.

Objective, with N_r n-grams of the order that count r, and d_r = 1 for r > k:

    p(w | h) = d_r r / c(h .), r = c(h w) > 0;  alpha(h) p(w | h') for the others, alpha making the sum one
    d_r = (r* / r - (k + 1) N_(k+1) / N_1) / (1 - (k + 1) N_(k+1) / N_1),  r* = (r + 1) N_(r+1) / N_r

and below order 1 stands the uniform distribution over the V words.

Source: Katz 1987, "Estimation of probabilities from sparse data for the language model component of a speech
recognizer", equations 10 to 19, with k = 5.

Departures: Katz puts no order below the first. Where counts of counts do not give discounts between 0 and 1 for k, the
greatest k is taken for which they do; at order 1, where a vocabulary without rare words gives none, simple
Good-Turing does instead. A context that would lose nothing, for all its words count more than k, would leave nothing to
words not seen after it: it loses as much as if it had been seen once more.

Cost: some ten passes over the n-grams, half of them in the order of memory.
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
    fixed,
    in_logs,
    levels,
)


class CuttingOff(Estimating, Protocol):
    """The options that Katz's smoothing looks at."""

    @property
    def cutoff(self) -> int:
        """The greatest count k that is discounted."""


def estimate(counts: NgramCounts, options: CuttingOff) -> Estimates:
    """Return the probabilities and back-off weights of Katz's smoothing.

    Args:
        counts: of the n-grams of all orders.
        options: how far counts are discounted, and what happens where discounts cannot be estimated.

    Raises:
        OptionError: they cannot be from so little text, and no fallback is asked for.
    """
    lower = np.full(1, 1 / counts.size)
    probabilities, weights = [], []
    for level in levels(counts):
        lower, alpha = backed_off(level, _taken(level, options), lower)
        probabilities.append(lower)
        weights.append(alpha)
    return in_logs(probabilities, weights)


def _taken(level: Level, options: CuttingOff) -> Floats:
    """(M,) what is taken off each count; after a context that would lose nothing, what one more sight of it takes."""
    kept = factors(level.counts, options.cutoff)
    if kept is None and level.order == 1:
        return good_turing.taken(level, options)
    if kept is None:
        found = ", ".join(f"{n:,.0f}" for n in counts_of_counts(level.counts, 4)[1:])
        return np.where(level.counts > 0, fixed(level, options, f"{found} of them count 1, 2, 3 and 4"), 0.0)
    taken = level.counts * (1 - kept[np.minimum(level.counts, len(kept) - 1)])
    nothing = (level.sums(taken) <= 0)[level.contexts]
    return np.where(nothing, level.counts / (level.totals + 1)[level.contexts], taken)


def factors(counts: Counts, cutoff: int) -> Floats | None:
    """Return the factors d_r by which counts are taken to be too large.

    Args:
        counts: of the n-grams of an order.
        cutoff: the greatest count k that is discounted; a smaller one stands in for it where it must.

    Returns:
        (k + 2,) float64, those of r = 0, 1 ... k, and 1 for all above; None where no k from 2 on gives any.

    Source:
        Katz 1987, equation 15.
    """
    for k in range(cutoff, 1, -1):
        n, r = counts_of_counts(counts, k + 1), np.arange(1, k + 1)
        if (n[1:-1] > 0).all():
            turing = (r + 1) * n[2:] / n[1:-1]
            common = (k + 1) * n[k + 1] / n[1]
            found = (turing / r - common) / (1 - common) if common < 1 else np.zeros(k)
            if ((found > 0) & (found < 1)).all():
                return np.concatenate([[1.0], found, [1.0]])
    return None
