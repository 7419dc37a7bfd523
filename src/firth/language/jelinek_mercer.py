"""Jelinek-Mercer smoothing: linear interpolation of the relative frequencies of all orders, with learned weights.

What: a frequent context is trusted more than the shorter contexts below it. Contexts of similar counts share a weight
(a bucket). The weights maximise the likelihood of each token when it is left out of the counts.

Objective, with lambda the weight of the bucket of c(h .), H the relative frequency and L the mixture of lower orders:

    p(w | h) = lambda c(h w) / c(h .) + (1 - lambda) p(w | h')
    max over lambda  sum over h w of c(h w) log(lambda H + (1 - lambda) L)
    H = (c(h w) - 1) / (c(h .) - 1),  L the same of h', the token left out there too

by expectation-maximisation, order by order; order 1 is mixed with 1 / V. While the weights are learned, the bucket is
that of c(h .) - 1, the count that is left. The count doubles every two buckets.

Source: Jelinek and Mercer 1980, "Interpolated estimation of Markov source parameters from sparse data", for the
mixture, the buckets and deleted interpolation; Ney, Essen and Kneser 1994, section 3, for leaving one token out; Chen
and Goodman 1998, section 2.3.

Departures: no held-out text is needed. Each bucket's weight is learned with one extra token for the context and one
against it, so that no weight is 0 or 1.

Cost: one pass over the n-grams of an order per EM step, at most a hundred steps.
"""

import numpy as np

from firth.language.ngram_counts import Estimates, NgramCounts
from firth.language.smoothing import Counts, Floats, Level, estimate_levels

BUCKETS_PER_OCTAVE = 2
MAX_STEPS, TOLERANCE = 100, 1e-5  # of EM: the largest change of a weight at which it stops


def estimate(counts: NgramCounts, options: object = None) -> Estimates:
    """Return probabilities and back-off weights by Jelinek-Mercer smoothing, which has no options."""
    left_out = np.full(1, 1 / counts.vocab_size)

    def smooth(level: Level, lower: Floats) -> tuple[Floats, Floats]:
        nonlocal left_out
        weights = learn_weights(level, left_out)
        left_out = _mixed(*_without_one(level), level, weights, left_out)
        return _mixed(level.counts, level.totals, level, weights, lower), 1 - weights[_buckets(level.totals)]

    return estimate_levels(counts, smooth)


def learn_weights(level: Level, left_out: Floats) -> Floats:
    """Return the weight lambda of each bucket of an order, learned by EM.

    Args:
        left_out: (M',) float64, probabilities of the order below for a token that is left out of the counts.

    Returns:
        (B,) float64, between 0 and 1 exclusive; 0 for bucket 0, the unseen contexts.
    """
    counts, totals = _without_one(level)
    buckets = _buckets(np.append(totals, level.totals))
    size, bucket = int(buckets.max(initial=0)) + 1, buckets[: len(totals)][level.contexts]
    high, low = _frequencies(counts, totals, level), left_out[level.suffixes]
    tokens = np.bincount(bucket, level.counts, size)
    weights = np.full(size, 0.5)
    for _ in range(MAX_STEPS):
        mixed = weights[bucket] * high
        posterior = mixed / (mixed + (1 - weights[bucket]) * low)
        before, weights = weights, (np.bincount(bucket, level.counts * posterior, size) + 1) / (tokens + 2)
        if np.abs(weights - before).max() < TOLERANCE:
            break
    weights[0] = 0.0
    return weights


def _without_one(level: Level) -> tuple[Counts, Floats]:
    return np.maximum(level.counts - 1, 0), np.maximum(level.totals - 1, 0)


def _buckets(totals: Floats) -> Counts:
    # Bucket 0 holds the unseen contexts.
    return np.where(totals > 0, 1 + np.rint(BUCKETS_PER_OCTAVE * np.log2(np.maximum(totals, 1))), 0).astype(np.int64)


def _frequencies(counts: Counts, totals: Floats, level: Level) -> Floats:
    return np.asarray(counts / np.maximum(totals, 1)[level.contexts])


def _mixed(counts: Counts, totals: Floats, level: Level, table: Floats, lower: Floats) -> Floats:
    weights = table[_buckets(totals)][level.contexts]
    return np.asarray(weights * _frequencies(counts, totals, level) + (1 - weights) * lower[level.suffixes])
