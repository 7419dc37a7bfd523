import numpy as np
import pytest

from firth.classify.features import Features
from firth.classify.scores import LabelScore, label_scores
from firth.errors import OptionError


def given(*labels):
    flat, ends = [label for some in labels for label in some], np.cumsum([len(some) for some in labels])
    return Features(np.zeros(0, np.int32), np.zeros(len(labels), np.int64), np.array(flat, np.int32), ends)


def test_counts_by_hand():
    """Texts have a; a b; none; b; two labels are predicted: a b; a c; a b; c a, the last c too unlikely to count.

    Right: a, a, -, -: 2 of the 5 predicted for texts with labels, and of the 4 there.
    """
    best = np.array([[0, 1], [0, 2], [0, 1], [2, 0]], dtype=np.int32)
    counted = np.array([[True, True], [True, True], [True, True], [False, True]])
    scores = label_scores(["a", "b", "c"], given([0], [0, 1], [], [1]), best, counted)
    assert scores.texts == 3
    assert scores.overall == LabelScore(correct=2, predicted=5, support=4)
    assert scores.by_label == {"a": LabelScore(2, 3, 2), "b": LabelScore(0, 1, 2), "c": LabelScore(0, 1, 0)}
    assert (scores.precision, scores.recall) == (0.4, 0.5)
    assert scores.f1 == pytest.approx(2 * 0.4 * 0.5 / 0.9)
    with pytest.raises(OptionError, match=r"accuracy of 2 predicted labels per text: expected test\(..., k=1\)"):
        _ = scores.accuracy
    assert label_scores(["a", "b", "c"], given([0], [0, 1], [], [1]), best[:, :1], counted[:, :1]).accuracy == 2 / 3


def test_a_label_given_twice_is_there_once():
    scores = label_scores(["a", "b"], given([0, 0]), np.array([[0]], dtype=np.int32), np.array([[True]]))
    assert scores.overall == LabelScore(1, 1, 1)


def test_nothing_there_and_nothing_predicted_are_zero():
    nothing = LabelScore(0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def test_the_table_has_a_line_a_label():
    text = str(label_scores(["a", "b"], given([0], [1]), np.array([[0], [0]], np.int32), np.ones((2, 1), bool)))
    assert text.splitlines() == [
        "label       precision  recall      f1   texts",
        "all labels     0.5000  0.5000  0.5000       2",
        "a              0.5000  1.0000  0.6667       1",
        "b              0.0000  0.0000  0.0000       1",
    ]
