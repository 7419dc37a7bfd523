"""Scores on GAP by the gender of the pronoun."""

import math

import pytest

from firth.errors import ShapeError
from firth.evaluation.gap import score_gap
from firth.readers.gap import GapExample


def example(pronoun, *refers):
    return GapExample("x", "text", pronoun, 0, ("A", "B"), (0, 0), refers, "")


def test_decisions_are_counted_by_gender():
    """Male: of two gold names one is found, and one that is wrong: P = R = 1/2. Female: one of one: F1 = 1.

    Together 2 of 3 are found, 2 of 3 found ones are right: F1 = 2/3. Two of the four examples have both names right.
    """
    examples = [
        example("he", True, False),
        example("His", False, True),
        example("her", True, False),
        example("she", False, False),
    ]
    scores = score_gap(examples, [(True, False), (True, False), (True, False), (False, False)])
    assert (scores.male.f1, scores.female.f1) == (0.5, 1.0)
    assert scores.overall.f1 == pytest.approx(2 / 3)
    assert (scores.bias, scores.accuracy, scores.examples) == (2.0, 0.75, 4)
    assert "bias     2.00" in str(scores)


def test_without_a_male_answer_there_is_no_bias():
    assert math.isnan(score_gap([example("she", True, False)], [(True, False)]).bias)


def test_each_example_has_a_decision():
    with pytest.raises(ShapeError, match="1 examples and 0 decisions"):
        score_gap([example("she", True, False)], [])
