import numpy as np
import pytest

from firth.errors import OptionError, UnknownWordError
from firth.plots import sense_map
from firth.vectors.sense_vectors import SenseVectors


@pytest.fixture
def senses():
    """Six directions ten degrees apart or more: "a" points to 0 and to 90 degrees, the others stand between."""
    angles = np.radians([0, 90, 10, 25, 80, 60])
    rows = np.column_stack([np.cos(angles), np.sin(angles)])
    return SenseVectors(list("abcde"), [0, 2, 3, 4, 5, 6], rows, priors=[0.5, 0.5, 1, 1, 1, 1])


def test_each_sense_with_its_own_neighbours(senses):
    """The nearest two of a at 0 degrees are b (10) and c (25); of a at 90 degrees d (80) and e (60)."""
    picture = sense_map(senses, ["a"], number=2)
    groups = {row["word"]: row["group"] for row in picture.rows}
    assert groups == {"a#0": "a#0", "b": "a#0", "c": "a#0", "a#1": "a#1", "d": "a#1", "e": "a#1"}
    heads = dict(zip(picture.marks[0].labels, picture.marks[0].heads, strict=True))
    assert [name for name, is_head in heads.items() if is_head] == ["a#0", "a#1"]
    assert (picture.kind, picture.title) == ("senses", "Senses of a, each with 2 neighbours")


def test_words_without_senses(senses):
    picture = sense_map(senses, ["a", "z", "b"], number=1, title="Mine")
    assert picture.title == "Mine"
    assert "1 of 3 words have no senses: z" in picture.notes
    with pytest.raises(UnknownWordError, match="'z' is not in the vocabulary"):
        sense_map(senses, ["z"])
    with pytest.raises(OptionError, match="no words to draw the senses of"):
        sense_map(senses, [])
