import numpy as np
import pytest

from firth.plots.labels import Obstacles, label_text, legend_room, obstacles, place_labels, priority, text_width, wrap
from firth.plots.picture import FADED, Curve, Lines, Picture, Points

BOX = (200.0, 100.0)
NONE = np.empty((0, 2))
NOTHING = Obstacles(NONE, NONE)
DOT = np.full(3000, 2.0)


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
    assert label_text(word) == label


def test_widths_know_scripts():
    assert text_width("日本", 10) > 20
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("ill", 10) < text_width("mmm", 10)


def test_a_label_stands_to_the_right_of_its_dot_where_there_is_room():
    """A label 20 x 10 at (100, 50): its middle is 10 + 2 (dot) + 3 to the right, and 0.6 x (5 + 2.5) above it."""
    placed = place_labels(points(1), np.array([[100.0, 50.0]]), np.array([[20.0, 10.0]]), DOT[:1], BOX, NOTHING)
    np.testing.assert_allclose(placed.middles, [[115, 54.5]])
    assert placed.shown.tolist() == [True]


def test_a_label_goes_left_where_the_right_is_taken_or_the_edge():
    anchors = np.array([[190.0, 50.0]])
    sizes = np.array([[40.0, 10.0]])
    assert place_labels(points(1), anchors, sizes, DOT[:1], BOX, NOTHING).middles[0, 0] == 165
    others = np.column_stack([np.full(21, 120.0), np.linspace(40, 60, 21)])
    assert place_labels(points(1), anchors - (90, 0), sizes, DOT[:1], BOX, Obstacles(others, NONE)).middles[0, 0] == 75


def test_of_labels_that_find_no_room_the_head_is_shown():
    anchors, sizes = np.full((40, 2), 50.0), np.full((40, 2), 30.0)
    for dotted in (True, False):
        heads = [i == 39 for i in range(40)]
        placed = place_labels(points(40, heads=heads, dotted=dotted), anchors, sizes, DOT[:40], (80.0, 80.0), NOTHING)
        assert placed.shown[39]
        assert placed.shown.sum() < 12
        low, high = placed.middles[placed.shown] - 15, placed.middles[placed.shown] + 15
        shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        assert np.triu((shared > 1).all(axis=2), 1).sum() == 0


def test_of_a_crowd_only_so_many_are_tried():
    crowd = points(3000, heads=[i == 2999 for i in range(3000)])
    assert priority(crowd) == [2999, *range(999)]
    assert priority(points(3, labelled=False)) == []


def test_labels_avoid_earlier_labels():
    taken = np.array([[115.0, 54.5, 20.0, 10.0]])
    placed = place_labels(points(1), np.array([[100.0, 50.0]]), np.array([[20.0, 10.0]]), DOT[:1], BOX, NOTHING, taken)
    assert placed.shown.tolist() == [True]
    assert placed.middles[0, 0] < 100


def test_a_label_leaves_room_around_its_own_dot_however_large():
    for radius in (1.0, 8.0, 20.0):
        placed = place_labels(
            points(1), np.array([[80.0, 50.0]]), np.array([[20.0, 10.0]]), np.array([radius]), BOX, NOTHING
        )
        assert placed.middles[0, 0] - 10 == 80 + radius + 3


def test_a_label_covers_no_dot_and_goes_out_on_a_line_where_its_dot_is_among_others():
    """Eight dots around the label's own leave it no side that is free; the next ring does."""
    around = np.array([[x, y] for x in (82, 100, 118) for y in (38.0, 50, 62) if (x, y) != (100, 50)])
    anchors, sizes = np.array([[100.0, 50.0]]), np.array([[20.0, 10.0]])
    others = Obstacles(NONE, np.concatenate([anchors, around]))
    placed = place_labels(points(1), anchors, sizes, DOT[:1], BOX, others)
    assert placed.led.tolist() == placed.shown.tolist() == [True]
    assert not (np.abs(others.dots - placed.middles) < sizes / 2 + 2).all(axis=1).any()
    crowd = Points(xy=np.zeros((300, 2)), labels=["w"] * 300)
    sides = np.repeat(anchors, 300, axis=0)
    placed = place_labels(crowd, sides, np.repeat(sizes, 300, axis=0), DOT[:300], BOX, others)
    assert not placed.led.any()  # in a crowd a label without room is left out


def test_a_line_to_a_label_runs_through_no_other_dot():
    anchors, sizes = np.array([[100.0, 50.0]]), np.array([[20.0, 10.0]])
    wall = np.column_stack([np.full(31, 125.0), np.linspace(20, 80, 31)])
    placed = place_labels(points(1), anchors, sizes, DOT[:1], BOX, Obstacles(NONE, np.concatenate([anchors, wall])))
    assert placed.middles[0, 0] + 10 < 125


def test_obstacles_of_labels():
    """Lines and curves at short steps, and dots; guides may be covered."""
    line = np.array([[[0.0, 0.0], [1.0, 0.0]]])
    picture = Picture(
        kind="",
        title="",
        marks=[
            Lines(ends=line, style="arrow"),
            Lines(ends=line, style="guide"),
            Curve(name="", xy=np.array([[0.0, 1], [1, 1], [2, 1]])),
            Points(xy=np.array([[5.0, 5.0]]), labels=["a"]),
            Points(xy=np.array([[6.0, 6.0]]), labels=["b"], dotted=False),
        ],
        rows=[],
    )
    found = obstacles(picture)
    assert len(found.lines) == 60 + 2 * 60
    assert found.dots.tolist() == [[5, 5]]


def test_lines_of_a_title_are_as_wide_as_there_is_room():
    text = "eight nearest neighbours of river and physics"
    lines = wrap(text, 10, 120)
    assert " ".join(lines) == text
    assert max(text_width(line, 10) for line in lines) <= 120
    assert wrap("w" * 30, 10, 100) == ["w" * 10] * 3
    assert wrap("", 10, 100) == [""]
    assert legend_room([], 10) == 0
    assert legend_room(["animals", "food"], 10) > text_width("animals", 10)


def test_the_few_points_in_colour_among_faded_ones_have_labels_first():
    """A grid of 20 x 20 faded dots leaves no label room; that of the one point in colour covers some of them."""
    grid = np.array([[x, y] for x in range(0, 200, 10) for y in range(0, 100, 5)], dtype=np.float64)
    groups = [0 if i == 210 else FADED for i in range(len(grid))]
    sizes, marks = np.tile([30.0, 10.0], (len(grid), 1)), Obstacles(NONE, grid)
    placed = place_labels(points(len(grid), groups=groups), grid, sizes, DOT[: len(grid)], BOX, marks)
    assert np.flatnonzero(placed.shown).tolist() == [210]
    assert priority(points(len(grid), groups=groups))[:2] == [210, 0]
    placed = place_labels(points(len(grid)), grid, sizes, DOT[: len(grid)], BOX, marks)
    assert not placed.shown.any()
