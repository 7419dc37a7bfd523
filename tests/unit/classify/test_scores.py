import numpy as np
import pytest

from firth.classify.features import Features
from firth.classify.labels import LabelSet
from firth.classify.scores import LabelScore, label_scores, scores_of_probabilities
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
        "macro F1 0.3333",
    ]


def test_macro_f1_confusions_and_calibration_by_hand():
    """Four texts of a, one of b, one of a and b; a, a, a, b, a and a are most likely, with .9 each.

    F1 of a: 2 * 4 / (5 + 5) = .8; of b: 0, for b is predicted where a is true. Right in 4 of 6 texts, .9 on average:
    the calibration error is .9 - 4 / 6. The text of two labels is in no cell of the confusions.
    """
    names = LabelSet(["a", "b"], np.array([5, 2]))
    rows = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.1], [0.9, 0.1]])
    scores = scores_of_probabilities(names, [["a"], ["a"], ["a"], ["a"], ["b"], ["a", "b"]], rows, 1, 0.0)
    assert scores.by_label == {"a": LabelScore(4, 5, 5), "b": LabelScore(0, 1, 2)}
    assert scores.macro_f1 == pytest.approx(0.4)
    assert scores.confusion.tolist() == [[3, 1], [1, 0]]
    assert scores.calibration_error == pytest.approx(0.9 - 4 / 6)
    assert scores.confusion_table().splitlines() == ["label  a  b", "a      3  1", "b      1  0"]


def test_a_label_that_the_model_does_not_know_has_a_row():
    names = LabelSet(["a", "b"], np.array([1, 1]))
    scores = scores_of_probabilities(names, [["a"], ["new"]], np.array([[0.6, 0.4], [0.7, 0.3]]), 1, 0.0)
    assert list(scores.by_label) == ["a", "new"]
    assert scores.confusion.tolist() == [[1, 0], [1, 0]]
