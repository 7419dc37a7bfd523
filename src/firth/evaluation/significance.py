"""Confidence intervals and significance tests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from firth.resampling import (
    LEVEL,
    RESAMPLES,
    Floats,
    LinearCorrelation,
    Mean,
    RankCorrelation,
    Sample,
    draws,
    resampled,
    value_of,
)

BOOTSTRAP, STEIGER = "paired bootstrap", "Steiger"


def wilson_interval(successes: int, trials: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion, such as an accuracy.

    It needs no resampling, stays within 0 and 1, and is valid for small samples and for proportions near 0 and 1, where
    the normal interval fails. It assumes independent trials; analogy questions share words, so that their true interval
    is wider.

    Args:
        successes: number of successful trials.
        trials: number of trials.
        level: confidence level.

    Returns:
        Lower and upper bound; NaN without trials.

    Source:
        Wilson 1927, Probable inference, the law of succession, and statistical inference.
    """
    if trials == 0:
        return math.nan, math.nan
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


@dataclass(frozen=True)
class Difference:
    """Difference between two models on the same items.

    Attributes:
        value: the first model's score minus the second's, on the items that both cover.
        low: lower bound of the 95 % interval, by the paired bootstrap.
        high: upper bound.
        p: two-sided p-value of equal performance, uncorrected.
        test: "paired bootstrap" or "Steiger".
        items: number of items that both cover.
    """

    value: float
    low: float
    high: float
    p: float
    test: str
    items: int


def difference(left: Sample, right: Sample, *, resamples: int = RESAMPLES, seed: int = 0) -> Difference:
    """Compare two models on the items that both cover.

    Correlations are tested with Steiger's Z where it is defined, all other metrics with the paired bootstrap: the
    same items are drawn for both models, and p is twice the share of resamples in which the difference is zero or has
    the opposite sign, but at least 2^(1 - n) for n items.

    Args:
        left: the score of one model on a set.
        right: the score of another model on the same set.

    Returns:
        The difference; all NaN if no items are shared or a score is NaN.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 16; Koehn 2004, Statistical significance
        tests for machine translation evaluation; Steiger 1980, for `steiger`.
    """
    shared = left.mask & right.mask
    items = int(shared.sum())
    first, second = left.among(shared), right.among(shared)
    value = value_of(first, items) - value_of(second, items)
    if math.isnan(value):
        return Difference(math.nan, math.nan, math.nan, math.nan, BOOTSTRAP, items)
    if isinstance(first, Mean) and isinstance(second, Mean):
        differences = resampled(Mean(first.scores - second.scores), items, resamples=resamples, seed=seed)
    else:
        samples = draws(items, resamples=resamples, seed=seed)
        differences = np.concatenate([first(weights) - second(weights) for weights in samples])
    differences = differences[~np.isnan(differences)]
    bounds = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    low, high = np.quantile(differences, bounds) if len(differences) else (math.nan, math.nan)
    p = _steiger_of(left, right, shared)
    test = STEIGER
    if math.isnan(p):
        p, test = _bootstrap_p(differences, items), BOOTSTRAP
    return Difference(value, float(low), float(high), p, test, items)


def equality_p(left: Sample, right: Sample, *, resamples: int = RESAMPLES, seed: int = 0) -> float:
    """Return the p-value of `difference` for two models that cover the same items, without its interval."""
    items = int(left.mask.sum())
    first, second = left.statistic, right.statistic
    p = _steiger_of(left, right, left.mask)
    if not math.isnan(p):
        return p
    if isinstance(first, Mean) and isinstance(second, Mean):
        differences = resampled(Mean(first.scores - second.scores), items, resamples=resamples, seed=seed)
    else:
        values = [resampled(statistic, items, resamples=resamples, seed=seed) for statistic in (first, second)]
        differences = values[0] - values[1]
    differences = differences[~np.isnan(differences)]
    return _bootstrap_p(differences, items) if len(differences) else math.nan


def _bootstrap_p(differences: Floats, items: int) -> float:
    # The observed sample counts as one of the resamples: p is never 0 (Davison and Hinkley 1997, section 4.2). The two
    # answers to n items can be exchanged in 2^n ways, so that no exact two-sided test has a p below two of these.
    tail = min((differences <= 0).sum(), (differences >= 0).sum())
    return float(min(1.0, max(2 * (float(tail) + 1) / (len(differences) + 1), 2.0 ** (1 - items))))


def _steiger_of(left: Sample, right: Sample, shared: npt.NDArray[np.bool_]) -> float:
    """Steiger's p for the correlations of two models with the same gold scores; NaN for other metrics."""
    first, second = left.statistic, right.statistic
    for kind in (RankCorrelation, LinearCorrelation):
        if isinstance(first, kind) and isinstance(second, kind):
            (x, gold), z = first.pairs[shared[left.mask]].T, second.pairs[shared[right.mask], 0]
            r, s, between = (value_of(kind(a, b), len(x)) for a, b in ((x, gold), (z, gold), (x, z)))
            return steiger(r, s, between, len(x), ranks=kind is RankCorrelation)[1]
    return math.nan


def steiger(r: float, s: float, between: float, n: int, *, ranks: bool = False) -> tuple[float, float]:
    """Test whether two correlations with the same third variable differ: Steiger's Z.

    Args:
        r: the correlation of the first variable with the third.
        s: the correlation of the second variable with the third.
        between: the correlation of the first with the second.
        ranks: whether they are Spearman's, whose Fisher z has a greater variance, by 1 + r^2 / 2. Without this factor
            two equal models with a correlation of .9 would differ "significantly" in one comparison of ten.

    Returns:
        Z and its two-sided p. Two equal correlations have Z = 0 and p = 1. NaN where Z is undefined: for fewer than
        four items, and for a correlation of 1 or -1, whose Fisher z is infinite.

    Source:
        Steiger 1980, Tests for comparing elements of a correlation matrix, equations 3 and 14, with the pooled
        correlation in the covariance; Bonett and Wright 2000, Sample size requirements for estimating Pearson, Kendall
        and Spearman correlations, for ranks.
    """
    if n < 4:
        return math.nan, math.nan
    if r == s:
        return 0.0, 1.0
    if max(abs(r), abs(s), abs(between)) >= 1:  # or above 1 by rounding
        return math.nan, math.nan
    mean = (r + s) / 2
    covariance = between * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - between**2) / 2
    c = covariance / (1 - mean**2) ** 2
    z = (math.atanh(r) - math.atanh(s)) * math.sqrt((n - 3) / (2 * (1 - c)))
    if ranks:
        z /= math.sqrt(1 + mean**2 / 2)
    return z, 2 * NormalDist().cdf(-abs(z))


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values with Holm's correction, which controls the family-wise error rate.

    Args:
        p: p-values of m tests; NaN does not count as a test.

    Returns:
        m corrected p-values, at most 1.

    Source:
        Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values)  # NaN comes last
    m = int((~np.isnan(values)).sum())
    corrected = np.full(len(values), np.nan)
    steps = values[order[:m]] * (m - np.arange(m))
    corrected[order[:m]] = np.minimum(np.maximum.accumulate(steps), 1) if m else steps
    return [float(value) for value in corrected]
