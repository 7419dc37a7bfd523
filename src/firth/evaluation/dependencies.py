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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from firth.errors import ShapeError
from firth.evaluation.scores import Score

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
        words: how many.
        sentences: how many.
    """

    uas: float
    las: float
    las_subtypes: float
    clas: Score
    exact: float
    words: int
    sentences: int
    by_relation: dict[str, Score] = field(repr=False)

    def __str__(self) -> str:
        figures = f"UAS {100 * self.uas:.2f}  LAS {100 * self.las:.2f}  CLAS {100 * self.clas.f1:.2f}"
        counts = f"{self.words:,} words in {self.sentences:,} sentences"
        return f"{figures}  whole trees {100 * self.exact:.2f}  ({counts})"


def score_dependencies(gold: Iterable[Tree], found: Iterable[Tree]) -> DependencyScores:
    """Return the scores of the trees of sentences.

    Args:
        gold: (heads, relations) of each sentence.
        found: those that are judged, as many.

    Raises:
        ShapeError: there are other numbers of sentences, or of words of a sentence.
    """
    gold, found = list(gold), list(found)
    if len(gold) != len(found):
        raise ShapeError(f"{len(gold):,} gold trees and {len(found):,} others: expected as many")
    heads_right = labels_right = subtypes_right = exact = words = 0
    of_gold, of_found, right = (Counter[str]() for _ in range(3))
    for number, (expected, given) in enumerate(zip(gold, found, strict=True)):
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
            of_found[other_kind] += 1
            heads_right += same
            labels_right += same and kind == other_kind
            subtypes_right += same and relation == other_relation
            right[kind] += same and kind == other_kind
            all_right &= same
        exact += all_right
        words += sizes.pop()
    totals = [sum(count for kind, count in each.items() if kind not in FUNCTION) for each in (right, of_gold, of_found)]
    return DependencyScores(
        uas=heads_right / words if words else 0.0,
        las=labels_right / words if words else 0.0,
        las_subtypes=subtypes_right / words if words else 0.0,
        clas=Score.of(*totals),
        exact=exact / len(gold) if gold else 0.0,
        words=words,
        sentences=len(gold),
        by_relation={kind: Score.of(right[kind], of_gold[kind], of_found[kind]) for kind in sorted(of_gold | of_found)},
    )
