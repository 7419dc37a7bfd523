"""Word similarity: correlation of cosines with human similarity scores of word pairs.

The metric is Spearman's rank correlation over the pairs whose words both have vectors; ties get the mean of their
ranks. The number of pairs covered is reported beside it, because scores over different pairs are not comparable. The
interval is a bootstrap over pairs (`firth.resampling`).

Source: Spearman 1904; Finkelstein et al. 2002 for the task.
"""

import numpy as np
import numpy.typing as npt

from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.readers.scored_pairs import ScoredPairs, read_scored_pairs
from firth.resampling import RankCorrelation, Sample, value_of


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Spearman's rank correlation of two samples; ties get the mean of their ranks.

    Args:
        x: (n,) numbers.
        y: (n,) numbers.

    Returns:
        From -1 to 1; NaN for fewer than two pairs or a constant side, which have no ranking.
    """
    return value_of(RankCorrelation(x, y), len(np.asarray(x)))


@as_suite("similarity", ("wordsim-353", "simlex-999", "men", "rare-words"), read_scored_pairs)
def suite(space: Space, gold: ScoredPairs, options: EvaluationOptions) -> list[Score]:
    """Word similarity: Spearman's correlation with human scores of word pairs."""
    first, known_first = space.lookup([pair[0] for pair in gold.pairs])
    second, known_second = space.lookup([pair[1] for pair in gold.pairs])
    covered_mask = known_first & known_second
    # A pair with an unknown word has similarity 0 where the policy counts it.
    cosines = np.where(covered_mask, np.einsum("nd,nd->n", first, second, dtype=np.float64), 0.0)
    mask = options.counted(covered_mask)
    statistic = RankCorrelation(cosines[mask], gold.scores[mask])
    return [
        Score(
            metric="spearman", sample=Sample(mask, statistic), covered=int(covered_mask.sum()), total=len(covered_mask)
        )
    ]
