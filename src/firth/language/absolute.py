"""Absolute discounting: subtract the same discount D from every count.

What: the mass that the discounts free after a context goes to the context one word shorter: to all words
(interpolation), or only to words not seen after the context (back-off). Kneser-Ney smoothing is interpolated absolute
discounting with other counts below the top order.

Objective, with N_r n-grams of the order that occur r times:

    D = N_1 / (N_1 + 2 N_2)
    p(w | h) = max(c(h w) - D, 0) / c(h .) + D N(h .) / c(h .) p(w | h')       N(h .): words seen after h
    p(w | h) = (c(h w) - D) / c(h .) if c(h w) > 0, else alpha(h) p(w | h')    back-off; alpha normalises

The order below 1 is the uniform distribution over the V words.

Source: Ney, Essen and Kneser 1994, "On structuring probabilistic dependences in stochastic language modelling",
equations 25 (interpolated, there called non-linear) to 31 (D by leaving one out); Ney and Essen 1991 for back-off.

Departures: at order 1, where a vocabulary without rare words does not determine D, D is 0.5.

Cost: about ten passes over the n-grams, half of them sequential in memory.
"""

from typing import Protocol

import numpy as np

from firth.language import smoothing
from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import Estimating, Floats, Level, counts_of_counts, estimate_levels, fallback_discount


class Discounting(Estimating, Protocol):
    """Options of absolute discounting."""

    @property
    def interpolated(self) -> bool:
        """Whether lower orders contribute to words seen after the context, too."""


def estimate(counts: NgramCounts, options: Discounting) -> Estimates:
    """Return probabilities and back-off weights by absolute discounting."""
    distribute = smoothing.interpolated if options.interpolated else smoothing.backed_off

    def smooth(level: Level, lower: Floats) -> tuple[Floats, Floats]:
        return distribute(level, np.where(level.counts > 0, discount(level, options), 0.0), lower)

    return estimate_levels(counts, smooth)


def discount(level: Level, options: Estimating) -> float:
    """Return the discount D of an order."""
    ones, twos = counts_of_counts(level.counts, 2)[1:]
    if ones > 0 and twos > 0:
        return float(ones / (ones + 2 * twos))  # D = n_1 / (n_1 + 2 n_2)
    return fallback_discount(level, options, f"{ones:,.0f} of them occur once, and {twos:,.0f} twice")
