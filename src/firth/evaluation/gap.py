"""Scores of pronoun resolution on GAP, by the gender of the pronoun.

What
    Each example has two names, and each name is a decision: whether the pronoun refers to it.
Objective
    Precision and recall of the names that are referred to; their F1 for male and for female pronouns, and for all; bias
    is the ratio of the female to the male F1, 1 where both are resolved alike.
Source
    Webster et al. 2018, section 4.1, and its program gap_scorer.py.
Departures
    None.
Cost
    The examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from firth.errors import ShapeError
from firth.evaluation.spans import Score
from firth.readers.gap import GapExample


@dataclass(frozen=True)
class GapScores:
    """Scores on GAP.

    Attributes:
        bias: F1 of female pronouns over that of male ones; NaN where the latter is 0.
        accuracy: share of examples with both names right.
    """

    overall: Score
    male: Score
    female: Score
    bias: float
    accuracy: float
    examples: int

    def __str__(self) -> str:
        lines = [f"{name:8} {getattr(self, name)}" for name in ("overall", "male", "female")]
        return "\n".join([*lines, f"bias     {self.bias:.2f}", f"accuracy {100 * self.accuracy:.2f}"])


def score_gap(examples: Sequence[GapExample], decisions: Sequence[tuple[bool, bool]]) -> GapScores:
    """Return the scores of decisions.

    Args:
        examples: with the gold labels.
        decisions: of each, whether the pronoun refers to A and to B.

    Raises:
        ShapeError: the numbers differ.
    """
    if len(examples) != len(decisions):
        raise ShapeError(f"{len(examples):,} examples and {len(decisions):,} decisions: expected one pair each")
    of = {
        gender: [pair for pair in zip(examples, decisions, strict=True) if gender in ("", pair[0].gender)]
        for gender in ("", "male", "female")
    }
    overall, male, female = (_score(pairs) for pairs in of.values())
    right = sum(example.refers == tuple(decision) for example, decision in of[""])
    return GapScores(
        overall,
        male,
        female,
        female.f1 / male.f1 if male.f1 else float("nan"),
        right / max(len(decisions), 1),
        len(decisions),
    )


def _score(pairs: Sequence[tuple[GapExample, tuple[bool, bool]]]) -> Score:
    decisions = [
        (gold, made) for example, predicted in pairs for gold, made in zip(example.refers, predicted, strict=True)
    ]
    right = sum(gold and made for gold, made in decisions)
    return Score.of(right, sum(gold for gold, _ in decisions), sum(made for _, made in decisions))
