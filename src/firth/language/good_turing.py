"""Good-Turing smoothing: what was seen r times is taken to be as frequent as the things seen r + 1 times say.

What: simple Good-Turing, which smooths the counts of counts by a line. It knows no shorter contexts: all words that
were not seen after one share alike what the others lose. Katz's smoothing shares it better.

Objective, with N_r n-grams of the order that count r:

    r* = (r + 1) N_(r+1) / N_r          Turing's estimate, for small r
    r* = r (1 + 1 / r)^(b + 1)          from the line log Z_r = a + b log r, for all from the first r at which the two
                                        differ by less than 1.96 standard deviations of the former, or N_(r+1) is 0
    Z_r = N_r / (0.5 (t - q))           q and t: the counts before and after r that occur
    p(w | h) = r* / c(h .), r = c(h w);  b(h) / V for words not seen after h, b making the sum one

Source: Good 1953, "The population frequencies of species and the estimation of population parameters"; Gale and Sampson
1995, "Good-Turing frequency estimation without tears", for Z, the line and the switch.

Departures: they give unseen things N_1 / N of all mass and scale r* to the rest; a context here gives what its own
words lose. An estimate of Turing's that is not below r, which few counts may give, is passed over for the line's.
At order 1, where a vocabulary without rare words may give no line that falls, 0.5 is taken off every count.

Cost: one sort of the counts of an order, and some ten passes over its n-grams.
"""

import numpy as np

from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import Counts, Estimating, Floats, Level, alone, backed_off, fixed, in_logs, levels

CONFIDENCE = 1.96  # standard deviations


def estimate(counts: NgramCounts, options: Estimating) -> Estimates:
    """Return the probabilities and back-off weights of simple Good-Turing smoothing.

    Args:
        counts: of the n-grams of all orders.
        options: what happens where discounts cannot be estimated.

    Raises:
        OptionError: they cannot be from so little text, and no fallback is asked for.
    """
    probabilities, weights = [], []
    below = 1
    for level in levels(counts):
        uniform = np.full(below, 1 / level.size)
        found = alone(level, backed_off(level, taken(level, options), uniform))
        probabilities.append(found[0])
        weights.append(found[1])
        below = len(level.counts)
    return in_logs(probabilities, weights)


def taken(level: Level, options: Estimating) -> Floats:
    """Return what is taken off each count of an order, (M,) float64.

    Args:
        level: the n-grams of the order.
        options: what happens where it cannot be estimated.

    Raises:
        OptionError: no line falls through the counts of counts, and no fallback is asked for.
    """
    r, which = np.unique(level.counts, return_inverse=True)
    seen = r > 0
    lost = np.zeros(len(r))
    adjusted = adjusted_counts(r[seen], np.bincount(which)[seen])
    if adjusted is not None:
        lost[seen] = r[seen] - adjusted
    else:
        lost[seen] = fixed(level, options, f"they count {', '.join(map(str, r[seen][:4].tolist()))} times")
    return np.asarray(lost[which])


def adjusted_counts(r: Counts, n: Counts) -> Floats | None:
    """Return the counts r* that simple Good-Turing takes for counts r.

    Args:
        r: (R,) counts that occur, in rising order.
        n: (R,) how many n-grams have each.

    Returns:
        (R,) float64, each below its r; None where no line falls steeply enough through the counts of counts.

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
    following = np.where(after[:-1] == r[:-1] + 1, n[1:], 0)
    turing = (r[:-1] + 1) * following / n[:-1]
    deviation = (r[:-1] + 1) / n[:-1] * np.sqrt(following * (1 + following / n[:-1]))
    differ = (following > 0) & (np.abs(turing - line[:-1]) > CONFIDENCE * deviation)
    switch = int(np.argmin(np.append(differ, False)))
    own = np.where(turing[:switch] < r[:switch], turing[:switch], line[:switch])
    return np.concatenate([own, line[switch:]])
