"""Do near vectors mean like words? Gold similarities of word pairs against cosines.

The figure is Spearman's rank correlation, ties taking the mean of their ranks, over the pairs whose two words have
vectors; the share of pairs covered stands beside it, for a figure over fewer pairs is another figure. Its interval is
the bootstrap's over pairs (`firth.resampling`).

Source: Spearman 1904; Finkelstein et al. 2002 for the task.
"""

import numpy as np
import numpy.typing as npt

from firth.evaluation.files import ScoredPairs, read_pairs
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.resampling import LEVEL, RESAMPLES, RankCorrelation, Sample, bootstrap_interval, value_of


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Spearman's rank correlation of two samples, ties sharing the mean of their ranks.

    Args:
        x: (n,) numbers.
        y: (n,) numbers.

    Returns:
        From -1 to 1; NaN where fewer than two pairs are left or one side is constant, for then no order exists.
    """
    return value_of(RankCorrelation(x, y), len(np.asarray(x)))


def spearman_interval(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the bootstrap's percentile interval of Spearman's correlation.

    Args:
        x: (n,) numbers.
        y: (n,) numbers.
        level: the share of resamples that the interval holds.
        resamples: how often the pairs are drawn again.
        seed: of the draws; one seed gives one interval.

    Returns:
        The lower and the upper end; both NaN where the correlation itself is.

    Source:
        Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3.
    """
    statistic = RankCorrelation(x, y)
    return bootstrap_interval(statistic, len(np.asarray(x)), level=level, resamples=resamples, seed=seed)


def _judge(space: Space, gold: ScoredPairs, setting: Setting) -> list[Figure]:
    one, has_one = space.take([pair[0] for pair in gold.pairs])
    other, has_other = space.take([pair[1] for pair in gold.pairs])
    known = has_one & has_other
    # A pair with an unknown word is like nothing: similarity 0, where the policy counts it.
    cosines = np.where(known, np.einsum("nd,nd->n", one, other, dtype=np.float64), 0.0)
    counted = np.ones(len(known), dtype=bool) if setting.unknown == "count" else known
    statistic = RankCorrelation(cosines[counted], gold.scores[counted])
    return [Figure(metric="spearman", sample=Sample(counted, statistic), covered=int(known.sum()), total=len(known))]


SUITE = Suite(
    name="similarity",
    help="word pairs against people's scores: Spearman's correlation",
    sets=("wordsim-353", "simlex-999", "men", "rare-words"),
    read=read_pairs,
    judge=_judge,
)
