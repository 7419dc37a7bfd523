"""Jelinek-Mercer smoothing: relative frequencies after contexts of all lengths, mixed by weights that are learned.

What: a context that was seen often is trusted more than its shorter ones. Contexts of like counts share a weight, and
weights are those under which each token of the text is likeliest if it is left out of the counts.

Objective, with lambda that of the bucket of c(h .), H and L the n-grams' relative frequencies and the mixture below:

    p(w | h) = lambda c(h w) / c(h .) + (1 - lambda) p(w | h')
    max over lambda  sum over h w of c(h w) log(lambda H + (1 - lambda) L)
    H = (c(h w) - 1) / (c(h .) - 1),  L the same of h', the token left out there too

by expectation and maximisation, order by order from the first, which is mixed with 1 / V. A bucket is that of
c(h .) - 1 in learning, for so many are left, and two buckets double the count.

Source: Jelinek and Mercer 1980, "Interpolated estimation of Markov source parameters from sparse data", for the
mixture, the buckets and deleted interpolation; Ney, Essen and Kneser 1994, section 3, for deleting one token at a time;
Chen and Goodman 1998, section 2.3.

Departures: no part of the text need be held out. A bucket's weight is learned as if one more token spoke for the
context and one against it, so that none is 0 or 1.

Cost: as many passes over the n-grams of an order as EM takes steps, a hundred at most.
"""

import numpy as np

from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import Counts, Floats, Level, in_logs, levels

PER_OCTAVE = 2  # buckets in which a context's count doubles
STEPS, CLOSE = 100, 1e-5  # of EM at most; and how little a weight changes at its end


def estimate(counts: NgramCounts, options: object = None) -> Estimates:
    """Return the probabilities and back-off weights of Jelinek-Mercer smoothing.

    Args:
        counts: of the n-grams of all orders.
        options: it has none.
    """
    lower = left_out = np.full(1, 1 / counts.size)
    probabilities, weights = [], []
    for level in levels(counts):
        table = learned(level, left_out)
        left_out = _mixed(*_rest(level), level, table, left_out)
        lower = _mixed(level.counts, level.totals, level, table, lower)
        probabilities.append(lower)
        weights.append(1 - table[_buckets(level.totals)])
    return in_logs(probabilities, weights)


def learned(level: Level, left_out: Floats) -> Floats:
    """Return the weight lambda of each bucket of an order, by expectation and maximisation.

    Args:
        level: the n-grams.
        left_out: (M',) float64, the probabilities of the order below for a token that is left out of the counts.

    Returns:
        (B,) float64, above 0 and below 1, but for bucket 0, of contexts that were not seen.
    """
    own, totals = _rest(level)
    buckets = _buckets(np.append(totals, level.totals))
    size, at = int(buckets.max(initial=0)) + 1, buckets[: len(totals)][level.contexts]
    high, low = _frequencies(own, totals, level), left_out[level.suffixes]
    tokens = np.bincount(at, level.counts, size)
    table = np.full(size, 0.5)
    for _ in range(STEPS):
        mixed = table[at] * high
        share = mixed / (mixed + (1 - table[at]) * low)
        before, table = table, (np.bincount(at, level.counts * share, size) + 1) / (tokens + 2)
        if np.abs(table - before).max() < CLOSE:
            break
    table[0] = 0.0
    return table


def _rest(level: Level) -> tuple[Counts, Floats]:
    """Counts and totals without one token."""
    return np.maximum(level.counts - 1, 0), np.maximum(level.totals - 1, 0)


def _buckets(totals: Floats) -> Counts:
    """0 for a context that was not seen, and 1 or more for the others."""
    return np.where(totals > 0, 1 + np.rint(PER_OCTAVE * np.log2(np.maximum(totals, 1))), 0).astype(np.int64)


def _frequencies(own: Counts, totals: Floats, level: Level) -> Floats:
    return np.asarray(own / np.maximum(totals, 1)[level.contexts])


def _mixed(own: Counts, totals: Floats, level: Level, table: Floats, lower: Floats) -> Floats:
    weights = table[_buckets(totals)][level.contexts]
    return np.asarray(weights * _frequencies(own, totals, level) + (1 - weights) * lower[level.suffixes])
