"""Recall, precision and F1."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """Recall, precision and their F1, between 0 and 1."""

    recall: float
    precision: float
    f1: float

    @classmethod
    def of(cls, right: float, gold: float, predicted: float, right_predicted: float | None = None) -> "Score":
        """Return the score of counts; 0 where a denominator is 0.

        Args:
            right: number of gold items that were predicted.
            right_predicted: number of predicted items that are gold; None for `right`.
        """
        recall = right / gold if gold else 0.0
        precision = (right if right_predicted is None else right_predicted) / predicted if predicted else 0.0
        return cls(recall, precision, 2 * recall * precision / (recall + precision) if recall + precision else 0.0)

    def __str__(self) -> str:
        return f"R {100 * self.recall:.2f}  P {100 * self.precision:.2f}  F1 {100 * self.f1:.2f}"
