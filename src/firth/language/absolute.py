"""Absolute discounting: the same part of one is taken off every count.

What: what all counts after a context lose together goes to the context one word shorter, for all words, or, backing
off, for those only that were not seen after it. Kneser and Ney's is this with other counts below the top order.

Objective, with N_r n-grams of the order that count r:

    D = N_1 / (N_1 + 2 N_2)
    p(w | h) = max(c(h w) - D, 0) / c(h .) + D N(h .) / c(h .) p(w | h')       N(h .): words seen after h
    p(w | h) = (c(h w) - D) / c(h .) if c(h w) > 0, else alpha(h) p(w | h')    backing off; alpha makes the sum one

and below order 1 stands the uniform distribution over the V words.

Source: Ney, Essen and Kneser 1994, "On structuring probabilistic dependences in stochastic language modelling",
equations 25 (interpolated, there called non-linear) to 31 (D, by leaving one out); Ney and Essen 1991 for backing off.

Departures: at order 1, where a vocabulary without rare words does not give D, it is 0.5.

Cost: some ten passes over the n-grams, half of them in the order of memory.
"""

from typing import Protocol

import numpy as np

from firth.language import smoothing
from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import Estimating, Level, counts_of_counts, fixed, in_logs, levels


class Discounting(Estimating, Protocol):
    """The options that absolute discounting looks at."""

    @property
    def interpolated(self) -> bool:
        """Whether lower orders count for words that were seen, too."""


def estimate(counts: NgramCounts, options: Discounting) -> Estimates:
    """Return the probabilities and back-off weights of absolute discounting.

    Args:
        counts: of the n-grams of all orders.
        options: interpolated or backed off, and what happens where discounts cannot be estimated.

    Raises:
        OptionError: they cannot be from so little text, and no fallback is asked for.
    """
    share = smoothing.interpolated if options.interpolated else smoothing.backed_off
    lower = np.full(1, 1 / counts.size)
    probabilities, weights = [], []
    for level in levels(counts):
        taken = np.where(level.counts > 0, discount(level, options), 0.0)
        lower, weight = share(level, taken, lower)
        probabilities.append(lower)
        weights.append(weight)
    return in_logs(probabilities, weights)


def discount(level: Level, options: Discounting) -> float:
    """Return what is taken off every count of an order, D.

    Args:
        level: the n-grams of the order.
        options: what happens where it cannot be estimated.

    Raises:
        OptionError: no n-gram counts 1, or none counts 2, and no fallback is asked for.
    """
    ones, twos = counts_of_counts(level.counts, 2)[1:]
    if ones > 0 and twos > 0:
        return float(ones / (ones + 2 * twos))
    return fixed(level, options, f"{ones:,.0f} of them count 1, and {twos:,.0f} count 2")
