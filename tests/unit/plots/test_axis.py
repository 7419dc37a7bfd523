import itertools

import numpy as np
import pytest

from firth.directions import axis_between, project
from firth.errors import OptionError, UnknownWordError
from firth.plots import word_axis
from firth.plots.picture import Lines, Points


def test_places_by_hand(plane):
    """From west (-1, 0) to east (1, 0) the direction is (1, 0): east 1, north 0, west -1, (1, 1) has 1 / sqrt(2)."""
    picture = word_axis(plane, ("west", "east"), plane.words)
    found = {row["word"]: row["x"] for row in picture.rows}
    assert found == pytest.approx({"east": 1, "north": 0, "west": -1, "between": 0.70710678}, abs=1e-6)
    assert [row["word"] for row in picture.rows] == ["east", "between", "north", "west"]
    assert [text for _, text in picture.y.ticks] == ["east", "between", "north", "west"]
    assert [place for place, _ in picture.y.ticks] == [3, 2, 1, 0]
    assert picture.x.name == "west → east (cosine)"
    assert picture.title == "4 words between west and east"


def test_a_pole_of_several_words_is_their_mean(plane):
    """The pole of east (1, 0) and north (0, 1) is (1/2, 1/2); from west (-1, 0) there it is (3/2, 1/2): for north
    1/2 / sqrt(10/4) = 0.3162."""
    picture = word_axis(plane, ("west", ["east", "north"]), ["north"])
    assert picture.rows[0]["x"] == pytest.approx(0.5 / np.sqrt(2.5))
    assert picture.x.name == "west → east (cosine)"


def test_two_axes_make_a_plane(plane):
    """Up is from east (1, 0) to north (0, 1), which is (-1, 1) / sqrt(2)."""
    picture = word_axis(plane, ("west", "east"), plane.words, second=("east", "north"))
    found = {row["word"]: (row["x"], row["y"]) for row in picture.rows}
    half = 1 / np.sqrt(2)
    assert found["east"] == pytest.approx((1, -half))
    assert found["north"] == pytest.approx((0, half))
    assert found["between"] == pytest.approx((half, 0), abs=1e-12)
    assert picture.y.name == "east → north (cosine)"


def test_of_many_words_those_that_lean_most_are_drawn(many):
    picture = word_axis(many, ("w0", "w1"), many.words, number=500)
    every = word_axis(many, ("w0", "w1"), many.words[:500], second=("w2", "w3"))
    values = sorted((row["x"] for row in every.rows), reverse=True)
    assert [row["x"] for row in picture.rows] == pytest.approx(values[:30] + values[-30:])
    assert list(picture.notes) == [
        "the 500 most frequent of 2,000 words are drawn",
        "the 60 words that lean most to a pole, of 500, are drawn",
    ]


def test_wrong_poles_are_refused(plane):
    with pytest.raises(OptionError, match="have the same vector"):
        word_axis(plane, ("east", "east"), ["north"])
    with pytest.raises(OptionError, match="expected two"):
        word_axis(plane, ("east", []), ["north"])
    with pytest.raises(UnknownWordError, match="'up'"):
        word_axis(plane, ("east", "up"), ["north"])
    picture = word_axis(plane, ("east", ["west", "up"]), ["north"])
    assert list(picture.notes) == ["1 of 2 words have no vector: up"]


def test_the_caption_says_what_a_pole_is_the_mean_of(plane):
    picture = word_axis(plane, ("west", ["east", "north"]), ["north"])
    assert picture.title == "1 word between west and east"
    assert picture.caption.endswith("0 is neutral. east is the mean of east, north.")


def test_runs_have_intervals(runs):
    words = ["w4", "w5", "w6"]
    picture = word_axis(runs, ("w0", "w1"), words)
    along = runs.estimate(lambda v: project(v, axis_between(v, "w0", "w1"), words))
    expected = {word: numbers for word, *numbers in zip(words, along.value, along.low, along.high, strict=True)}
    assert {row["word"]: [row["x"], row["x_low"], row["x_high"]] for row in picture.rows} == expected
    _, lines, points = picture.marks
    assert isinstance(lines, Lines)
    assert isinstance(points, Points)
    assert lines.ends[:, :, 0].tolist() == [expected[label][1:] for label in points.labels]
    assert picture.caption.endswith("Means of 3 runs, with intervals of 95 %.")


def test_runs_in_a_plane_have_two_intervals_each(runs):
    picture = word_axis(runs, ("w0", "w1"), ["w4", "w5"], second=("w2", "w3"))
    row = picture.rows[0]
    _, across, upright, points = picture.marks
    assert across.ends[0].tolist() == [[row["x_low"], row["y"]], [row["x_high"], row["y"]]]
    assert upright.ends[0].tolist() == [[row["x"], row["y_low"]], [row["x"], row["y_high"]]]
    assert points.xy[0].tolist() == [row["x"], row["y"]]


def test_a_word_that_runs_lack(runs):
    """Its interval is that of the runs that have it; with one of them there is none."""
    lacking = [word for word in runs.words if word in runs and sum(word in run for run in runs) == 1]
    (row,) = word_axis(runs, ("w0", "w1"), lacking[:1]).rows
    assert np.isfinite(row["x"])
    assert (row["x_low"], row["x_high"]) == (None, None)


def test_words_that_no_run_has_with_the_poles(runs):
    present = {word: [word in run for run in runs] for word in runs.words if word in runs}
    a, b = next(pair for pair in itertools.combinations(present, 2) if not any(map(min, *(present[w] for w in pair))))
    picture = word_axis(runs, ("w0", a), ["w1", b])
    assert [row["word"] for row in picture.rows] == ["w1"]
    assert picture.notes == [f"left out 1 word that no run has together with the poles: ['{b}']"]
    with pytest.raises(OptionError, match="no run has one of them and all poles; expected more frequent words"):
        word_axis(runs, ("w0", a), [b])
