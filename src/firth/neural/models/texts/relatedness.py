"""How well predicted scores of pairs agree with the true ones."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import pearsonr, spearmanr

from firth.errors import CorpusError
from firth.notebook import table


@dataclass(frozen=True)
class RelatednessScores:
    """Agreement of scores of pairs.

    Attributes:
        pairs: N.
        pearson: correlation of the scores.
        spearman: correlation of their ranks.
        mean_squared_error: mean squared difference, in squared points of the scale.
    """

    pairs: int
    pearson: float
    spearman: float
    mean_squared_error: float

    def __str__(self) -> str:
        return (
            f"{self.pairs:,} pairs: Pearson {self.pearson:.4f}, Spearman {self.spearman:.4f}, mean squared error "
            f"{self.mean_squared_error:.4f}"
        )

    def _repr_html_(self) -> str:
        figures = (self.pearson, self.spearman, self.mean_squared_error)
        head = ("pairs", "Pearson", "Spearman", "mean squared error")
        return table(head, [(f"{self.pairs:,}", *(f"{figure:.4f}" for figure in figures))])


def relatedness_scores(true: npt.NDArray[np.float64], predicted: npt.NDArray[np.float64]) -> RelatednessScores:
    """Compare (N,) predicted scores with true ones.

    Raises:
        CorpusError: there are fewer than two pairs, or all true scores are the same.
    """
    if len(true) < 2 or np.ptp(true) == 0:
        raise CorpusError(f"{len(true):,} pairs with the same score: expected at least two with different ones")
    return RelatednessScores(
        len(true),
        float(pearsonr(true, predicted).statistic),
        float(spearmanr(true, predicted).statistic),
        float(np.square(true - predicted).mean()),
    )
