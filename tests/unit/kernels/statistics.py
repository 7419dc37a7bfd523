"""How well counts fit probabilities."""

import numpy as np
from scipy import stats


def p_value(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """The chance of counts as far from the probabilities as these, by Pearson's chi-square."""
    return float(stats.chisquare(counts, probabilities * counts.sum()).pvalue)
