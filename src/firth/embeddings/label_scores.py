"""How good predicted labels are: precision, recall and F1, over all and label by label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.embeddings.text_features import Features


@dataclass(frozen=True)
class Score:
    """What was predicted of what was there.

    Attributes:
        right: labels predicted that were there.
        predicted: labels predicted.
        there: labels that were there.
    """

    right: int
    predicted: int
    there: int

    @property
    def precision(self) -> float:
        """The share of the predicted labels that are right; 0 where none was predicted."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the labels there that were predicted; 0 where none was there."""
        return self.right / self.there if self.there else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / (self.predicted + self.there) if self.predicted + self.there else 0.0


@dataclass(frozen=True)
class LabelScores:
    """The judgement of a classifier.

    Attributes:
        texts: how many texts were judged.
        k: how many labels were predicted for each, at most.
        overall: all labels of all texts counted together.
        by_label: each label for itself, in the classifier's order; then labels that it does not know.
    """

    texts: int
    k: int
    overall: Score
    by_label: dict[str, Score]

    @property
    def precision(self) -> float:
        """Precision at k, over all labels of all texts."""
        return self.overall.precision

    @property
    def recall(self) -> float:
        """Recall at k, likewise."""
        return self.overall.recall

    @property
    def f1(self) -> float:
        """F1 at k, likewise."""
        return self.overall.f1

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        width = max(len("all labels"), *(len(label) for label in self.by_label))
        yield f"{'label':<{width}}  precision  recall      f1   texts"
        for label, score in [("all labels", self.overall), *self.by_label.items()]:
            numbers = f"{score.precision:9.4f}  {score.recall:6.4f}  {score.f1:6.4f}  {score.there:6,}"
            yield f"{label:<{width}}  {numbers}"


def label_scores(
    names: Sequence[str], given: Features, best: npt.NDArray[np.int32], counted: npt.NDArray[np.bool_]
) -> LabelScores:
    """Compare predicted labels with given ones.

    Args:
        names: of all labels, known and unknown.
        given: the labels of every text; texts without one are left out.
        best: (texts, k) predicted labels.
        counted: (texts, k) which of them are likely enough to be given.
    """
    amount, labels = np.diff(given.label_ends, prepend=0), len(names)
    judged = amount > 0
    texts = np.repeat(np.arange(len(amount)), amount)
    there = np.unique(texts * labels + given.labels)  # a label given twice is there once
    rows = np.broadcast_to(np.arange(len(best))[:, None], best.shape)
    told = (rows * labels + best)[counted & judged[:, None]]
    counts = [np.bincount(some % labels, minlength=labels) for some in (np.intersect1d(there, told), told, there)]
    scores = [Score(*map(int, column)) for column in np.transpose(counts)]
    by_label = {name: score for name, score in zip(names, scores, strict=True) if score.there or score.predicted}
    return LabelScores(int(judged.sum()), best.shape[1], Score(*(int(c.sum()) for c in counts)), by_label)
