"""Scores of tags of words: accuracy, also on unknown words, and the spans that tags mark, with confidence intervals.

What
    The share of words whose tag is right; where tags mark spans, their F1 as conlleval computes it.
Objective
    accuracy = right / words;   F1 = 2 right / (found + gold)
Source
    Tjong Kim Sang and Buchholz 2000, section 2, for spans; Efron and Tibshirani 1993, section 13.3, for intervals.
Departures
    None.
Cost
    One pass over the tags, and resamples of the sentences.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from firth.evaluation.spans import SpanScores, check_tags, score_spans
from firth.readers.span_tags import spans_of
from firth.resampling import Ratio, bootstrap_interval

Interval = tuple[float, float]


@dataclass(frozen=True)
class TagScores:
    """Scores of tags.

    Attributes:
        accuracy: share of words whose tag is right.
        interval: 95 % confidence interval over sentences: of F1 if there are spans, else of the accuracy.
        unknown_words: words that the training data lack.
        unknown_accuracy: share of them whose tag is right; NaN if there are none.
        spans: scores of the spans that the tags mark, or None.
    """

    words: int
    accuracy: float
    interval: Interval
    unknown_words: int
    unknown_accuracy: float
    spans: SpanScores | None = None

    @property
    def score(self) -> float:
        """F1 of spans if there are any, else the accuracy."""
        return self.spans.total.f1 if self.spans is not None else self.accuracy

    def __str__(self) -> str:
        low, high = (100 * end for end in self.interval)
        unknown = (
            f"; {self.unknown_words:,} unknown words {100 * self.unknown_accuracy:.2f}" if self.unknown_words else ""
        )
        within = f"from {low:.2f} to {high:.2f}"
        if self.spans is None:
            return f"accuracy {100 * self.accuracy:.2f} ({within}), {self.words:,} words{unknown}"
        return f"{self.spans}{unknown}\nF1 of all {within}"


def score_tags(
    gold: Iterable[Sequence[str]],
    predicted: Iterable[Sequence[str]],
    *,
    spans: bool,
    known: Iterable[Sequence[bool]] | None = None,
    seed: int = 0,
) -> TagScores:
    """Return the scores of the tags of sentences.

    Args:
        gold: gold tags of each sentence.
        predicted: predicted tags of each sentence.
        spans: whether tags mark spans.
        known: whether the training data have each word; None leaves out the accuracy on unknown words.

    Raises:
        ShapeError: there are other numbers of sentences, or of tags of a sentence.
        FormatError: tags mark no spans.
    """
    gold, predicted = list(gold), list(predicted)
    check_tags(gold, predicted)
    right = [np.array([a == b for a, b in zip(*pair, strict=True)]) for pair in zip(gold, predicted, strict=True)]
    flat = np.concatenate([*right, np.zeros(0, bool)]).astype(bool)
    unknown = np.zeros(len(flat), bool) if known is None else ~np.fromiter((w for s in known for w in s), bool)
    scores = score_spans(gold, predicted) if spans else None
    parts = _span_counts(gold, predicted) if spans else [(int(correct.sum()), len(correct)) for correct in right]
    ratio = Ratio(*np.array(parts, dtype=np.float64).reshape(-1, 2).T)
    interval = bootstrap_interval(ratio, len(parts), seed=seed) if parts else (float("nan"), float("nan"))
    return TagScores(
        words=len(flat),
        accuracy=float(flat.mean()) if len(flat) else 0.0,
        interval=interval,
        unknown_words=int(unknown.sum()),
        unknown_accuracy=float(flat[unknown].mean()) if unknown.any() else float("nan"),
        spans=scores,
    )


def tag_error(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, spans: bool) -> float:
    """Return the error: 1 - F1 of spans, or the share of wrong tags."""
    check_tags(gold, predicted)
    count: Callable[..., list[tuple[int, int]]] = _span_counts if spans else _tag_counts
    right, of = np.array(count(gold, predicted)).sum(0).tolist()
    return 1 - right / of if of else 0.0


def _tag_counts(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    pairs = zip(gold, predicted, strict=True)
    return [(sum(a == b for a, b in zip(expected, given, strict=True)), len(expected)) for expected, given in pairs]


def _span_counts(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return numerator and denominator of F1 for each sentence."""
    counts = []
    for expected, given in zip(gold, predicted, strict=True):
        gold_spans, predicted_spans = spans_of(expected), spans_of(given)
        counts.append((2 * len({*gold_spans} & {*predicted_spans}), len(gold_spans) + len(predicted_spans)))
    return counts
