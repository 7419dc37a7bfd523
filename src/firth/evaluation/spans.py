"""Scores of spans that tags mark: entities and chunks, as the program conlleval computes them.

What
    Tags such as B-PER, I-PER, O (BIO), or with E- and S- as well (BIOES), mark spans of words with a type. A span is
    right if a gold span has the same words and type.
Objective
    precision = right / found, recall = right / gold, F1 = 2 P R / (P + R); over all spans, and for each type.
Source
    Tjong Kim Sang and Buchholz 2000, "Introduction to the CoNLL-2000 shared task: chunking", section 2, and its program
    conlleval, which says where a span begins and ends in tags that break the rules.
Departures
    None. A span that begins with I- (or E-) counts as a span, as in conlleval; `broken` says how many there are.
Cost
    One pass over the tags.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firth.errors import ShapeError, brief_repr, counted
from firth.readers.span_tags import as_bioes, spans_of


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


@dataclass(frozen=True)
class SpanScores:
    """Scores of spans.

    Attributes:
        by_type: of the spans of each type, by its name.
        accuracy: share of words whose tag is right.
        right: number of found spans that are right.
        broken: number of found spans that begin with I- or E-.
    """

    total: Score
    by_type: dict[str, Score]
    accuracy: float
    gold: int
    found: int
    right: int
    broken: int

    __repr__ = brief_repr

    def __str__(self) -> str:
        width = max(map(len, (*self.by_type, "all")))
        rows = [f"{name:{width}} {score}" for name, score in (*self.by_type.items(), ("all", self.total))]
        broken = f"; {self.broken:,} of them begin with I- or E-" if self.broken else ""
        counts = f"{self.right:,} right of {self.found:,} found{broken}; {self.gold:,} gold spans"
        return "\n".join([*rows, f"{counts}; accuracy of tags {100 * self.accuracy:.2f}"])


def score_spans(gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]) -> SpanScores:
    """Return the scores of the spans of sentences."""
    gold, predicted = ([[*map(as_bioes, tags)] for tags in sentences] for sentences in (gold, predicted))
    check_tags(gold, predicted)
    counts = [Counter[str]() for _ in range(3)]  # gold, predicted, right, by type
    words = same = broken = 0
    for expected, given in zip(gold, predicted, strict=True):
        words += len(expected)
        same += sum(a == b for a, b in zip(expected, given, strict=True))
        of_gold, of_predicted = spans_of(expected), spans_of(given)
        broken += sum(given[start][0] in "IE" for start, _, _ in of_predicted)
        for counter, spans in zip(counts, (of_gold, of_predicted, {*of_gold} & {*of_predicted}), strict=True):
            counter.update(kind for _, _, kind in spans)
    totals = [counter.total() for counter in counts]
    kinds = sorted(counts[0] | counts[1])
    return SpanScores(
        total=Score.of(totals[2], totals[0], totals[1]),
        by_type={kind: Score.of(*(counts[i][kind] for i in (2, 0, 1))) for kind in kinds},
        accuracy=same / words if words else 0.0,
        gold=totals[0],
        found=totals[1],
        right=totals[2],
        broken=broken,
    )


def check_tags(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> None:
    """Check that there are as many predicted tags as gold ones, in each sentence."""
    if len(gold) != len(predicted):
        raise ShapeError(
            f"{counted(len(gold), 'sentence')} with gold tags and {len(predicted):,} predicted: expected as many"
        )
    for number, (expected, given) in enumerate(zip(gold, predicted, strict=True)):
        if len(expected) != len(given):
            raise ShapeError(
                f"sentence {number}: {len(expected)} gold tags and {len(given)} predicted tags: expected equal numbers"
            )
