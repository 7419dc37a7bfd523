"""How far a figure could be off."""

import math
from statistics import NormalDist


def wilson_interval(successes: int, trials: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share, such as an accuracy.

    It needs no resampling, stays within 0 and 1, and is sound for small numbers and for shares near the ends, where the
    usual normal interval fails. It takes the trials as independent; analogy questions share words, so that the truth
    about those is wider.

    Args:
        successes: how many trials came out right.
        trials: how many there were.
        level: the interval's confidence.

    Returns:
        The lower and the upper end; both NaN without trials.

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
