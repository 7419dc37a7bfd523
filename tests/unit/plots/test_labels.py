import numpy as np
import pytest

from firth.plots.labels import place, priority, shown_text, text_width
from firth.plots.picture import Points

BOX = (200.0, 100.0)
NOTHING = np.empty((0, 2))


def points(count, **how):
    return Points(xy=np.zeros((count, 2)), labels=[f"w{i}" for i in range(count)], **how)


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("naïve", "naïve"), ("a\tb", "a\\tb"), ("a\u2028b", "a\\u2028b"), ("\ud800", "\\ud800"),
        ("می‌خواهم", "می‌خواهم"), ("x" * 41, "x" * 39 + "…"), ("x" * 40, "x" * 40),
    ],
)  # fmt: skip
def test_labels_are_clean_and_short(word, label):
    assert shown_text(word) == label


def test_widths_know_scripts():
    assert text_width("日本", 10) > 20
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("ill", 10) < text_width("mmm", 10)


def test_a_label_stands_to_the_right_of_its_dot_where_there_is_room():
    """A label 20 x 10 at (100, 50): its middle is 10 + 5 to the right of the dot, and 0.6 x (5 + 2.5) above it."""
    placed = place(points(1), np.array([[100.0, 50.0]]), np.array([[20.0, 10.0]]), BOX, NOTHING)
    np.testing.assert_allclose(placed.middles, [[115, 54.5]])
    assert placed.shown.tolist() == [True]


def test_a_label_goes_left_where_the_right_is_taken_or_the_edge():
    anchors = np.array([[190.0, 50.0]])
    sizes = np.array([[40.0, 10.0]])
    assert place(points(1), anchors, sizes, BOX, NOTHING).middles[0, 0] == 165
    others = np.column_stack([np.full(21, 120.0), np.linspace(40, 60, 21)])
    assert place(points(1), anchors - (90, 0), sizes, BOX, others).middles[0, 0] == 75


def test_of_labels_that_find_no_room_the_head_is_shown():
    anchors, sizes = np.full((40, 2), 50.0), np.full((40, 2), 30.0)
    for dotted in (True, False):
        heads = [i == 39 for i in range(40)]
        placed = place(points(40, heads=heads, dotted=dotted), anchors, sizes, (80.0, 80.0), NOTHING)
        assert placed.shown[39]
        assert placed.shown.sum() < 12
        low, high = placed.middles[placed.shown] - 15, placed.middles[placed.shown] + 15
        shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        assert np.triu((shared > 1).all(axis=2), 1).sum() == 0


def test_of_a_crowd_only_so_many_are_tried():
    crowd = points(3000, heads=[i == 2999 for i in range(3000)])
    assert priority(crowd) == [2999, *range(999)]
    assert priority(points(3, labelled=False)) == []


def test_labels_keep_off_those_that_stand_there():
    taken = np.array([[115.0, 54.5, 20.0, 10.0]])
    placed = place(points(1), np.array([[100.0, 50.0]]), np.array([[20.0, 10.0]]), BOX, NOTHING, taken)
    assert placed.shown.tolist() == [True]
    assert placed.middles[0, 0] < 100
