"""Exact match and F1 of answers, by hand and against the definition."""

import random

import pytest

from firth.errors import ShapeError
from firth.evaluation.answers import exact_match, f1, normalised, score_answers


@pytest.mark.parametrize(
    ("answer", "right", "exact", "overlap"),
    [
        ("The cat.", ["cat"], 1, 1),  # articles and punctuation
        ("a  U.S. Army", ["US army"], 1, 1),
        ("Theatre", ["atre"], 0, 0),  # an article is a word of its own
        ("Battle of the Somme", ["the Somme"], 0, 2 * 1 / (3 + 1)),
        ("Somme Somme", ["Somme"], 0, 2 * 1 / 3),  # shared words count as often as in both
        ("10 April 1912", ["April 10", "10 April 1912"], 1, 1),  # the best of several
        ("10 April", ["April 10", "1912"], 0, 1),
        ("x", ["y"], 0, 0),
        ("", [], 1, 1),
        ("x", [], 0, 0),
        ("", ["x"], 0, 0),
        ("the", ["a"], 1, 1),  # nothing is left of either
        ("", ["the", "x"], 0, 0),  # a right answer of which nothing is left does not count
        ("l'Été", ["lété"], 1, 1),
    ],
)
def test_cases_by_hand(answer, right, exact, overlap):
    assert exact_match(answer, right) == exact
    assert f1(answer, right) == pytest.approx(overlap)


def test_normalised_twice_is_normalised_once():
    assert normalised(normalised("The  A, an (the) B's!")) == normalised("The  A, an (the) B's!") == "bs"


def test_scores_are_means_in_percent():
    scores = score_answers(["a cat", "dog", ""], [["cat"], ["the dog house"], []])
    assert (scores.questions, scores.unanswerable, scores.no_answer_f1) == (3, 1, 100)
    assert scores.exact_match == pytest.approx(200 / 3)
    assert scores.f1 == pytest.approx(100 * (1 + 2 / 3 + 1) / 3)
    assert scores.f1_interval[0] <= scores.f1 <= scores.f1_interval[1]
    assert "exact match 66.67" in str(scores)
    assert "88.89 (66.67" in scores._repr_html_()


def test_f1_is_symmetric_and_at_least_exact_match():
    draw = random.Random(0)
    for _ in range(200):
        one, other = (" ".join(draw.choices(["the", "cat", "Dog,", "x"], k=draw.randint(0, 4))) for _ in range(2))
        assert f1(one, [other]) == f1(other, [one]) >= exact_match(one, [other])


def test_other_numbers_are_refused():
    with pytest.raises(ShapeError, match="1 answers of 2 questions"):
        score_answers(["a"], [["a"], ["b"]])
    with pytest.raises(ShapeError, match="0 answers"):
        score_answers([], [])
