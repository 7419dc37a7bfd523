"""Scores of dependency trees over the same words: UAS, LAS, CLAS, as in the shared task of CoNLL 2018.

What
    Words whose head is the gold one (UAS), whose relation is, too (LAS), and the same of words of content only (CLAS).
Objective
    UAS and LAS are shares of all words, punctuation included. A relation is right without what is behind ":"
    (subtypes). CLAS is F1 of words whose gold, or found, relation is none of aux, case, cc, clf, cop, det, mark,
    punct: 2 right / (gold + found).
Source
    Zeman et al. 2018, "CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies", section
    4; its evaluation program, `conll18_ud_eval.py`, gives the same UAS, LAS and CLAS to the last digit.
Departures
    The words must be the same; the program also aligns different ones. Relations with their subtypes and whole trees
    are not among its figures.
Cost
    One pass over the words.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from firth.errors import ShapeError, brief_repr, counted
from firth.evaluation.spans import Score
from firth.resampling import Ratio, bootstrap_interval

FUNCTION = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"})  # relations of function words
Tree = tuple[Sequence[int], Sequence[str]]  # heads from 1, 0 for the root, and relations


@dataclass(frozen=True)
class DependencyScores:
    """Scores of dependency trees.

    Attributes:
        uas: share of words with the right head.
        las: share of words with the right head and relation, without subtypes.
        las_subtypes: share of words with the right head and relation, with subtypes.
        clas: as `las`, of words of content; recall, precision and F1.
        exact: share of sentences whose heads are all right.
        by_relation: of words with each relation, without subtypes: head and relation are right.
    """

    uas: float
    las: float
    las_subtypes: float
    clas: Score
    exact: float
    words: int
    sentences: int
    by_relation: dict[str, Score] = field(repr=False)

    __repr__ = brief_repr

    def __str__(self) -> str:
        figures = f"UAS {100 * self.uas:.2f}  LAS {100 * self.las:.2f}  CLAS {100 * self.clas.f1:.2f}"
        counts = f"{counted(self.words, 'word')} in {counted(self.sentences, 'sentence')}"
        return f"{figures}  whole trees {100 * self.exact:.2f}  ({counts})"


def score_dependencies(gold: Iterable[Tree], predicted: Iterable[Tree]) -> DependencyScores:
    """Return the scores of the trees of sentences.

    Args:
        gold: (heads, relations) of each sentence.
        predicted: the predicted trees, in the same order.
    """
    gold, predicted = list(gold), list(predicted)
    if len(gold) != len(predicted):
        raise ShapeError(f"{counted(len(gold), 'gold tree')} and {len(predicted):,} predicted: expected equal numbers")
    heads_right = labels_right = subtypes_right = exact = words = 0
    of_gold, of_predicted, right = (Counter[str]() for _ in range(3))
    for number, (expected, given) in enumerate(zip(gold, predicted, strict=True)):
        sizes = {len(column) for tree in (expected, given) for column in tree}
        if len(sizes) != 1:
            raise ShapeError(
                f"sentence {number}: {len(expected[0])} gold heads, {len(expected[1])} gold relations, {len(given[0])} "
                f"heads and {len(given[1])} relations: expected one each per word"
            )
        all_right = True
        for head, relation, other, other_relation in zip(*expected, *given, strict=True):
            kind, other_kind = relation.partition(":")[0], other_relation.partition(":")[0]
            same = head == other
            of_gold[kind] += 1
            of_predicted[other_kind] += 1
            heads_right += same
            labels_right += same and kind == other_kind
            subtypes_right += same and relation == other_relation
            right[kind] += same and kind == other_kind
            all_right &= same
        exact += all_right
        words += sizes.pop()
    totals = [
        sum(count for kind, count in counts.items() if kind not in FUNCTION)
        for counts in (right, of_gold, of_predicted)
    ]
    return DependencyScores(
        uas=heads_right / words if words else 0.0,
        las=labels_right / words if words else 0.0,
        las_subtypes=subtypes_right / words if words else 0.0,
        clas=Score.of(*totals),
        exact=exact / len(gold) if gold else 0.0,
        words=words,
        sentences=len(gold),
        by_relation={
            kind: Score.of(right[kind], of_gold[kind], of_predicted[kind]) for kind in sorted(of_gold | of_predicted)
        },
    )


class Annotated(Protocol):
    """A sentence with a tree."""

    @property
    def heads(self) -> Sequence[int]:
        """Heads from 1, 0 for the root."""
        ...

    @property
    def relations(self) -> Sequence[str]:
        """Relations to the head."""
        ...


@dataclass(frozen=True)
class TreeScores:
    """Scores of a parser on a treebank, with gold tags and with predicted ones.

    Attributes:
        gold: with the tags of the treebank.
        predicted: with those of a tagger; None without one.
        intervals: 95 % intervals over sentences: of "gold" and "predicted", by "uas" and "las".
    """

    gold: DependencyScores
    predicted: DependencyScores | None = None
    intervals: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)

    __repr__ = brief_repr

    @property
    def rows(self) -> dict[str, DependencyScores]:
        """The scores by the tags that the parser read."""
        return {"gold": self.gold, **({} if self.predicted is None else {"predicted": self.predicted})}

    def __str__(self) -> str:
        table: list[tuple[str, ...]] = [("tags", "UAS", "LAS", "CLAS", "whole trees")]
        for name, scores in self.rows.items():
            figures = [f"{100 * score:.2f}" for score in (scores.uas, scores.las, scores.clas.f1, scores.exact)]
            ends = [self.intervals[name][measure] for measure in ("uas", "las")]
            ranges = [f" ({100 * low:.1f} to {100 * high:.1f})" for low, high in ends]
            table.append((name, *(figure + more for figure, more in zip(figures, [*ranges, "", ""], strict=True))))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in table]
        counts = f"{counted(self.gold.words, 'word')} in {counted(self.gold.sentences, 'sentence')}"
        return "\n".join([*lines, f"{counts}; 95 % intervals over sentences"])


def score_trees(gold: Sequence[Annotated], predicted: Mapping[str, Sequence[Annotated]]) -> TreeScores:
    """Return the scores of parsed sentences.

    Args:
        predicted: the same sentences as parsed: with "gold" tags, and with "predicted" ones if there are.
    """
    right = [(sentence.heads, sentence.relations) for sentence in gold]
    trees = {
        name: [(sentence.heads, sentence.relations) for sentence in sentences] for name, sentences in predicted.items()
    }
    scores = {name: score_dependencies(right, predicted_trees) for name, predicted_trees in trees.items()}
    return TreeScores(
        **scores,
        intervals={name: attachment_intervals(right, predicted_trees) for name, predicted_trees in trees.items()},
    )


def attachment_intervals(gold: Sequence[Tree], predicted: Sequence[Tree]) -> dict[str, tuple[float, float]]:
    """Return 95 % intervals of "uas" and "las" over samples of sentences (`firth.resampling.bootstrap_interval`).

    Args:
        gold: (heads, relations) of each sentence.
        predicted: the predicted trees of the same sentences.
    """
    counts = np.array(
        [_right(expected, given) for expected, given in zip(gold, predicted, strict=True)], dtype=np.float64
    )
    counts = counts.reshape(-1, 3)
    return {
        name: bootstrap_interval(Ratio(counts[:, column], counts[:, 2]), len(counts))
        for column, name in enumerate(("uas", "las"))
    }


def _right(gold: Tree, predicted: Tree) -> tuple[int, int, int]:
    """Return how many heads are right, how many with their relation, and the number of words."""
    same = [head == other for head, other in zip(gold[0], predicted[0], strict=True)]
    kinds = zip(gold[1], predicted[1], strict=True)
    labelled = [a.partition(":")[0] == b.partition(":")[0] for a, b in kinds]
    return sum(same), sum(a and b for a, b in zip(same, labelled, strict=True)), len(same)
