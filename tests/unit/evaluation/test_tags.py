"""Scores of tags by hand, and against the scores of spans."""

import math
import random

import pytest

from firth.errors import ShapeError
from firth.evaluation.spans import score_spans
from firth.evaluation.tags import score_tags, tag_error


def test_accuracy_by_hand():
    gold, found = [["N", "V"], ["N"]], [["N", "N"], ["N"]]
    scores = score_tags(gold, found, spans=False, known=[[True, False], [True]])
    assert (scores.words, scores.accuracy, scores.score) == (3, 2 / 3, 2 / 3)
    assert (scores.unknown_words, scores.unknown_accuracy) == (1, 0.0)
    assert 0.5 <= scores.interval[0] <= scores.interval[1] == 1.0
    assert str(scores).startswith("accuracy 66.67 (from 50.00 to 100.00), 3 words; 1 unknown words 0.00")
    assert tag_error(gold, found, spans=False) == pytest.approx(1 / 3)
    assert math.isnan(score_tags(gold, found, spans=False).unknown_accuracy)


def test_spans_have_the_scores_of_conlleval():
    draw = random.Random(0)
    gold, found = ([[draw.choice(["O", "B-A", "I-A", "B-B"]) for _ in range(6)] for _ in range(50)] for _ in range(2))
    scores = score_tags(gold, found, spans=True)
    assert scores.spans == score_spans(gold, found)
    assert scores.score == scores.spans.total.f1
    assert tag_error(gold, found, spans=True) == pytest.approx(1 - scores.score)
    assert scores.interval[0] < scores.score < scores.interval[1]
    assert str(scores).splitlines()[-1].startswith("F1 of all from")


def test_no_spans_and_no_sentences():
    assert tag_error([["O"]], [["O"]], spans=True) == 0.0
    assert score_tags([], [], spans=False).words == 0


def test_numbers_that_differ_are_refused():
    with pytest.raises(ShapeError, match="sentence 0: 1 gold tags and 2"):
        score_tags([["O"]], [["O", "O"]], spans=False)
    with pytest.raises(ShapeError, match="1 sentence with gold tags and 0"):
        tag_error([["O"]], [], spans=False)
