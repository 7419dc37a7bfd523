"""Attention as a heat map of words by words."""

import numpy as np
import pytest

from firth.errors import ShapeError
from firth.plots import attention_heat_map


def test_rows_are_words_of_the_translation():
    weights = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
    picture = attention_heat_map(weights, ["a", "b", "c"], ["x", "y"])
    (heat,) = picture.marks
    assert (heat.labels, heat.across) == (["x", "y"], ["a", "b", "c"])
    assert picture.rows[-1] == {"target": "y", "source": "c", "row": 1, "column": 2, "weight": 0.5}


def test_ends_are_shown_where_they_are_given():
    picture = attention_heat_map(np.full((3, 2), 0.5), ["a"], ["x", "y"])
    assert picture.marks[0].labels == ["x", "y", "</s>"]
    assert picture.marks[0].across == ["a", "</s>"]


def test_long_texts_are_cut_with_a_note():
    picture = attention_heat_map(np.full((70, 3), 1 / 3), ["a"] * 3, ["x"] * 70)
    assert len(picture.marks[0].labels) == 60
    assert picture.notes == ["the first 60 words of each side are drawn"]


@pytest.mark.parametrize("shape", [(2, 2), (0, 0), (3,)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ShapeError, match="for 2 words of the translation and 3 of the source"):
        attention_heat_map(np.zeros(shape), ["a"] * 3, ["x"] * 2)
