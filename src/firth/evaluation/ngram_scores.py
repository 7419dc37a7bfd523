"""BLEU and chrF as statistics of segments, so that thousands of resamples are one matrix product.

What
    Both scores are functions of counts that are summed over the segments of a text. The counts per segment are those of
    sacrebleu; here are the functions, for the sums of many resamples at once.
Objective
    BLEU    100 min(1, exp(1 - r / h)) exp((1 / 4) sum_n log p_n), with h and r the lengths of hypotheses and
            references in tokens, and p_n the share of their n-grams that are in the reference; for the k-th p_n
            without any match, 1 / (2^k times the number of n-grams)
    chrF    100 (1 + b^2) P R / (b^2 P + R), with P and R the means over the orders of the precision and recall of
            n-grams, of characters and for chrF++ of words, and b = 2
Source
    Papineni et al. 2002, section 2.3; Chen and Cherry 2014, section 3, smoothing 3; Popovic 2015, section 2, and 2017
    (chrF++), with the conventions of sacrebleu 2 (Post 2018) where a sum is zero.
Departures
    None.
Cost
    R n (10 or 24) products for R resamples of n segments.
"""

import numpy as np

from firth.resampling import Floats, Ints

ORDER = 4  # longest n-grams of BLEU


class Bleu:
    """BLEU of n segments.

    Args:
        counts: (n, 2 + 2 ORDER) length of hypothesis and reference, matches of each order, n-grams of each order.
    """

    def __init__(self, counts: Floats) -> None:
        self._counts = counts

    def __call__(self, weights: Ints, /) -> Floats:
        """Return BLEU, from 0 to 100, for each row of weights."""
        sums = weights.astype(np.float64) @ self._counts
        lengths, references, matches, totals = sums[:, 0], sums[:, 1], sums[:, 2 : 2 + ORDER], sums[:, 2 + ORDER :]
        missed = np.cumsum(matches == 0, axis=1)  # k of the k-th order without a match
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = np.where(matches > 0, matches / totals, 1 / (2.0**missed * totals))
            penalty = np.minimum(1.0, np.exp(1 - references / lengths))
            values = 100 * penalty * np.exp(np.log(precisions).mean(axis=1))
        return np.where((matches > 0).any(axis=1) & (totals > 0).all(axis=1), values, 0.0)


class Chrf:
    """chrF of n segments.

    Args:
        counts: (n, 3 orders) for each order n-grams of the hypothesis, of the reference, and matches.
    """

    def __init__(self, counts: Floats, *, beta: float = 2.0) -> None:
        self._counts, self._factor = counts, beta**2

    def __call__(self, weights: Ints, /) -> Floats:
        """Return chrF, from 0 to 100, for each row of weights."""
        sums = weights.astype(np.float64) @ self._counts
        predicted, expected, matches = (sums[:, part::3] for part in range(3))
        counted = (predicted > 0) & (expected > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(counted, matches / predicted, 0).sum(1) / counted.sum(1)
            recall = np.where(counted, matches / expected, 0).sum(1) / counted.sum(1)
            values = 100 * (1 + self._factor) * precision * recall / (self._factor * precision + recall)
        return np.asarray(np.nan_to_num(values, nan=0.0))
