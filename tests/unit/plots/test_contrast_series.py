import pytest

import firth
from firth import plots
from firth.plots.picture import Curve, Lines, Points
from tests.unit.alignment.grouped import documents


@pytest.fixture(scope="module")
def series():
    model = firth.Word2Vec(dim=4, epochs=1, sample=0)
    groups = {"a": documents(5, 1), "b": [*documents(5, 2), "new new"], "c": [*documents(5, 3), "new new"]}
    with pytest.warns(UserWarning, match="permutations=4"):
        return firth.contrast_series(model, groups, permutations=4, runs=2, min_count=2, progress=False)


def test_a_word_has_intervals_and_chance_levels_in_each_pair(series):
    (word,) = series.most_changed(1)
    changes = series.facts(word)["changes"]
    levels, intervals, course, points = plots.contrast_course(series, [word]).marks
    assert isinstance(levels, Lines)
    assert isinstance(course, Curve)
    assert isinstance(points, Points)
    assert points.xy.tolist() == [[x, change["distance"]] for x, change in zip((0, 1, 2.5), changes, strict=True)]
    assert course.xy.tolist() == points.xy[:2].tolist()
    assert levels.ends[:, :, 1].tolist() == [[change["chance"]] * 2 for change in changes]
    assert intervals.ends[:, :, 1].tolist() == [[change["low"], change["high"]] for change in changes]
    assert points.hollow == [True] * 3  # four permutations tell nothing


def test_a_word_of_two_groups_has_one_point(series):
    picture = plots.contrast_course(series, ["new", "w1"])
    assert [len(mark.xy) for mark in picture.marks if isinstance(mark, Points)] == [1, 3]
    assert [text for _, text in picture.x.ticks] == ["a → b", "b → c", "a → c"]
    assert picture.groups == ["new", "w1"]


def test_no_more_words_than_colours(series):
    picture = plots.contrast_course(series, series.words[:9])
    assert (len(picture.rows), picture.notes) == (8, ["the first 8 of 9 words are drawn"])
