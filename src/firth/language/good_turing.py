"""Good-Turing smoothing: the frequency of n-grams seen r times is estimated from those seen r + 1 times.

What: simple Good-Turing, which smooths the counts of counts by a regression line. It uses no shorter contexts: words
not seen after a context share its freed mass equally. Katz's smoothing distributes that mass better.

Objective, with N_r n-grams of the order that occur r times:

    r* = (r + 1) N_(r+1) / N_r          Turing's estimate, for small r
    r* = r (1 + 1 / r)^(b + 1)          from the line log Z_r = a + b log r, from the first r on at which both estimates
                                        differ by less than 1.96 standard deviations of Turing's, or N_(r+1) is 0
    Z_r = N_r / (0.5 (t - q))           q and t: the counts before and after r that occur
    p(w | h) = r* / c(h .), r = c(h w);  b(h) / V for words not seen after h; b normalises

Source: Good 1953, "The population frequencies of species and the estimation of population parameters"; Gale and Sampson
1995, "Good-Turing frequency estimation without tears", for Z, the line and the switch.

Departures: the papers give unseen events N_1 / N of the mass and rescale r*; here a context gives what its own words
lose. A Turing estimate that is not below r, as small counts of counts may produce, is replaced by the line's. At order
1, where a vocabulary without rare words may give no falling line, every count is discounted by 0.5.

Cost: one sort of the counts of an order, and about ten passes over its n-grams.
"""

import numpy as np

from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import (
    Counts,
    Estimating,
    Floats,
    Level,
    backed_off,
    estimate_levels,
    fallback_discount,
    without_lower_orders,
)

CONFIDENCE = 1.96  # standard deviations


def estimate(counts: NgramCounts, options: Estimating) -> Estimates:
    """Return probabilities and back-off weights by simple Good-Turing smoothing."""

    def smooth(level: Level, lower: Floats) -> tuple[Floats, Floats]:
        uniform = np.full(len(lower), 1 / level.vocab_size)
        return without_lower_orders(level, *backed_off(level, discounts(level, options), uniform))

    return estimate_levels(counts, smooth)


def discounts(level: Level, options: Estimating) -> Floats:
    """Return the discount of each n-gram of an order, (M,) float64."""
    r, inverse = np.unique(level.counts, return_inverse=True)
    positive = r > 0
    by_count = np.zeros(len(r))
    adjusted = adjusted_counts(r[positive], np.bincount(inverse)[positive])
    if adjusted is not None:
        by_count[positive] = r[positive] - adjusted
    else:
        reason = f"they occur {', '.join(map(str, r[positive][:4].tolist()))} times"
        by_count[positive] = fallback_discount(level, options, reason)
    return np.asarray(by_count[inverse])


def adjusted_counts(r: Counts, n: Counts) -> Floats | None:
    """Return the counts r* of simple Good-Turing for counts r.

    Args:
        r: (R,) distinct counts, ascending.
        n: (R,) number of n-grams with each count.

    Returns:
        (R,) float64, each below its r; None where the line through the counts of counts is not steep enough.

    Source:
        Gale and Sampson 1995, sections 3 to 6.
    """
    if len(r) < 2:
        return None
    before = np.concatenate([[0], r[:-1]])
    after = np.concatenate([r[1:], [2 * r[-1] - before[-1]]])
    slope = np.polyfit(np.log(r), np.log(n / (0.5 * (after - before))), 1)[0]
    if slope >= -1:
        return None
    line = r * (1 + 1 / r) ** (slope + 1)
    n_next = np.where(after[:-1] == r[:-1] + 1, n[1:], 0)
    turing = (r[:-1] + 1) * n_next / n[:-1]
    deviation = (r[:-1] + 1) / n[:-1] * np.sqrt(n_next * (1 + n_next / n[:-1]))
    differ = (n_next > 0) & (np.abs(turing - line[:-1]) > CONFIDENCE * deviation)
    switch = int(np.argmin(np.append(differ, False)))
    head = np.where(turing[:switch] < r[:switch], turing[:switch], line[:switch])
    return np.concatenate([head, line[switch:]])
