"""Precision, recall and F1 of predicted labels, overall and per label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.classify.features import Features
from firth.errors import OptionError
from firth.notebook import table


@dataclass(frozen=True)
class LabelScore:
    """Counts of predicted and true labels.

    Attributes:
        correct: predicted labels that are true (true positives).
        predicted: predicted labels.
        support: true labels.
    """

    correct: int
    predicted: int
    support: int

    @property
    def precision(self) -> float:
        """Share of the predicted labels that are correct; 0 where none is predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the true labels that are predicted; 0 where there is none."""
        return self.correct / self.support if self.support else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.predicted + self.support) if self.predicted + self.support else 0.0


@dataclass(frozen=True)
class LabelScores:
    """Scores of a classifier on a test set.

    Attributes:
        texts: number of texts with labels.
        k: largest number of labels predicted per text.
        overall: micro-average: all labels of all texts counted together.
        by_label: the score of each label, in the classifier's order; then labels that the classifier does not know.
    """

    texts: int
    k: int
    overall: LabelScore
    by_label: dict[str, LabelScore]

    @property
    def precision(self) -> float:
        """Precision at k, micro-averaged."""
        return self.overall.precision

    @property
    def recall(self) -> float:
        """Recall at k, micro-averaged."""
        return self.overall.recall

    @property
    def f1(self) -> float:
        """F1 at k, micro-averaged."""
        return self.overall.f1

    @property
    def accuracy(self) -> float:
        """Share of the texts whose most likely label is one of their own: precision at 1.

        Raises:
            OptionError: more than one label was predicted per text.
        """
        if self.k != 1:
            raise OptionError(f"accuracy of {self.k} predicted labels per text: expected test(..., k=1)")
        return self.overall.correct / self.texts if self.texts else 0.0

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        head = ("label", "precision", "recall", "F1", "texts")
        rows = [
            (label, f"{score.precision:.4f}", f"{score.recall:.4f}", f"{score.f1:.4f}", f"{score.support:,}")
            for label, score in [("all labels", self.overall), *self.by_label.items()]
        ]
        return table(
            head, rows, caption=f"{self.texts:,} texts, up to {self.k} predicted label{'s' * (self.k > 1)} each"
        )

    def _lines(self) -> Iterator[str]:
        width = max(len("all labels"), *(len(label) for label in self.by_label))
        yield f"{'label':<{width}}  precision  recall      f1   texts"
        for label, score in [("all labels", self.overall), *self.by_label.items()]:
            numbers = f"{score.precision:9.4f}  {score.recall:6.4f}  {score.f1:6.4f}  {score.support:6,}"
            yield f"{label:<{width}}  {numbers}"


def label_scores(
    names: Sequence[str], texts: Features, best: npt.NDArray[np.int32], above: npt.NDArray[np.bool_]
) -> LabelScores:
    """Compare predicted labels with true ones.

    Args:
        names: of all labels, known and unknown.
        texts: their true labels; texts without a label are left out.
        best: (texts, k) predicted labels.
        above: (texts, k) whether a predicted label's probability is above the threshold.
    """
    numbers, labels = np.diff(texts.label_ends, prepend=0), len(names)
    has_label = numbers > 0
    rows = np.repeat(np.arange(len(numbers)), numbers)
    true = np.unique(rows * labels + texts.labels)  # a label that a text has twice counts once
    rows = np.broadcast_to(np.arange(len(best))[:, None], best.shape)
    predicted = (rows * labels + best)[above & has_label[:, None]]
    pairs = (np.intersect1d(true, predicted), predicted, true)
    counts = [np.bincount(label_pairs % labels, minlength=labels) for label_pairs in pairs]
    scores = [LabelScore(*map(int, column)) for column in np.transpose(counts)]
    by_label = {name: score for name, score in zip(names, scores, strict=True) if score.support or score.predicted}
    return LabelScores(int(has_label.sum()), best.shape[1], LabelScore(*(int(c.sum()) for c in counts)), by_label)
