"""A goodness-of-fit test of counts."""

import numpy as np
from scipy import stats


def p_value(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """The p-value of Pearson's chi-square test."""
    return float(stats.chisquare(counts, probabilities * counts.sum()).pvalue)
