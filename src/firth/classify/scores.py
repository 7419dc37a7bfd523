"""Precision, recall and F1 of predicted labels, overall and per label; confusions and calibration.

Source: Guo, Pleiss, Sun and Weinberger 2017, "On calibration of modern neural networks", equation 3, for the expected
calibration error, with their 15 bins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from firth.classify.features import Features
from firth.classify.labels import LabelSet
from firth.errors import OptionError, brief_repr
from firth.notebook import table

BINS = 15  # of probabilities, for the calibration error
MOST_LABELS = 1_000  # of a matrix of confusions
WIDEST = 12  # characters of a label above a column of confusions


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
        confusion: (L, L) int64, number of texts by their label (row) and the most likely one (column), labels in the
            order of `by_label`; of texts with one label only. None for more than 1,000 labels.
        calibration_error: expected calibration error of the most likely label: the mean distance between its
            probability and the share of texts where it is right, from 0 to 1.
    """

    texts: int
    k: int
    overall: LabelScore
    by_label: dict[str, LabelScore]
    confusion: npt.NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    calibration_error: float | None = None

    __repr__ = brief_repr

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
    def macro_f1(self) -> float:
        """Mean of the F1 of all labels that are true or predicted: rare ones count as much as frequent ones."""
        scores = [score.f1 for score in self.by_label.values()]
        return float(np.mean(scores)) if scores else 0.0

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
        yield f"macro F1 {self.macro_f1:.4f}" + (
            "" if self.calibration_error is None else f", calibration error {self.calibration_error:.4f}"
        )

    def confusion_table(self) -> str:
        """Return the confusions as text: a row per label of texts, a column per most likely label.

        Raises:
            OptionError: there are more than 1,000 labels.
        """
        if self.confusion is None:
            raise OptionError(
                f"{len(self.by_label):,} labels: expected at most {MOST_LABELS:,} for a table of confusions"
            )
        names = [label if len(label) <= WIDEST else f"{label[: WIDEST - 1]}…" for label in self.by_label]
        widths = [
            max(len(name), len(f"{column.max():,}")) for name, column in zip(names, self.confusion.T, strict=True)
        ]
        first = max(len("label"), *map(len, names))
        head = f"{'label':<{first}}  " + "  ".join(f"{n:>{w}}" for n, w in zip(names, widths, strict=True))
        rows = [
            f"{name:<{first}}  " + "  ".join(f"{number:>{w},}" for number, w in zip(row.tolist(), widths, strict=True))
            for name, row in zip(names, self.confusion, strict=True)
        ]
        return "\n".join([head, *rows])


def label_scores(
    names: Sequence[str],
    texts: Features,
    best: npt.NDArray[np.int32],
    above: npt.NDArray[np.bool_],
    probabilities: npt.NDArray[np.float64] | None = None,
) -> LabelScores:
    """Compare predicted labels with true ones.

    Args:
        names: of all labels, known and unknown.
        texts: their true labels; texts without a label are left out.
        best: (texts, k) predicted labels, the most likely first.
        above: (texts, k) whether a predicted label's probability is above the threshold.
        probabilities: (texts, k) of the predicted labels; None leaves out the calibration error.
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
    return LabelScores(
        int(has_label.sum()),
        best.shape[1],
        LabelScore(*(int(c.sum()) for c in counts)),
        by_label,
        _confusion(true, best[:, 0], labels, np.flatnonzero([name in by_label for name in names])),
        None if probabilities is None else _calibration_error(true, best[:, 0], labels, probabilities[:, 0], has_label),
    )


def scores_of_probabilities(
    labels: LabelSet, true: Sequence[Sequence[str]], probabilities: npt.NDArray[np.float64], k: int, threshold: float
) -> LabelScores:
    """Compare N texts' probabilities of labels, (N, L), with their true labels, of which a model may not know some."""
    unknown = dict.fromkeys(name for names in true for name in names if name not in labels.ids)
    names = [*labels.names, *unknown]
    numbers, ends = LabelSet(names, np.zeros(len(names), np.int64)).encode(true)
    texts = Features(np.empty(0, np.int32), np.zeros(len(true), np.int64), numbers, ends)
    best = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
    values = np.take_along_axis(probabilities, best, 1)
    return label_scores(names, texts, best.astype(np.int32), values >= threshold, values)


def _confusion(
    true: npt.NDArray[np.int64], best: npt.NDArray[np.int32], labels: int, shown: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """Return the confusions of texts with one label, among the labels that are shown.

    Args:
        true: the pairs of a text and its label, as text * labels + label.
        best: (texts,) the most likely label.
    """
    if len(shown) > MOST_LABELS:
        return None
    rows, numbers = np.unique(true // labels, return_counts=True)
    single = rows[numbers == 1]
    gold = true[np.isin(true // labels, single)] % labels
    positions = np.zeros(labels, np.int64)
    positions[shown] = np.arange(len(shown))
    matrix = np.zeros((len(shown), len(shown)), np.int64)
    inside = np.isin(best[single], shown)  # a label below the threshold may be in no row
    np.add.at(matrix, (positions[gold[inside]], positions[best[single][inside]]), 1)
    return matrix


def _calibration_error(
    true: npt.NDArray[np.int64],
    best: npt.NDArray[np.int32],
    labels: int,
    probabilities: npt.NDArray[np.float64],
    has_label: npt.NDArray[np.bool_],
) -> float:
    """Return the expected calibration error of the most likely labels (texts,), over texts with a label."""
    right = np.isin(np.arange(len(best)) * labels + best, true)[has_label]
    p = probabilities[has_label]
    bins = np.minimum((p * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(bins, weights=right - p, minlength=BINS)
    return float(np.abs(gaps).sum() / max(len(p), 1))
