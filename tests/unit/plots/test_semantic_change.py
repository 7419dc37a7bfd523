import numpy as np
import pytest

from firth.alignment.semantic_change import SemanticChange
from firth.errors import OptionError, UnknownWordError
from firth.plots import word_path
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import twins


@pytest.fixture(scope="module")
def moved():
    old, _ = twins()
    rows = old.vectors.copy()
    rows[[30, 40]] = rows[[40, 30]]
    return SemanticChange().measure(old, WordVectors(old.words, rows))


def test_a_word_goes_from_its_old_neighbours_to_its_new_ones(moved):
    picture = word_path(moved, "a30", number=5)
    arrow, points = picture.marks
    np.testing.assert_array_equal(arrow.ends[0], points.xy[:2])
    assert points.labels[:2] == ["a30 then", "a30 now"]
    facts = moved.facts("a30", 5)
    near = dict(zip(points.labels, points.groups, strict=True))
    assert [near[word] for word in facts["old"]] == [0] * 5
    assert [near[word] for word in facts["new"]] == [1] * 5

    def far(place, group):
        return np.median(np.linalg.norm(points.xy[2:][np.array(points.groups[2:]) == group] - points.xy[place], axis=1))

    assert far(0, 0) < far(0, 1)
    assert far(1, 1) < far(1, 0)
    assert picture.groups == ["near it then", "near it now"]


def test_a_word_that_stayed_keeps_its_neighbours(moved):
    picture = word_path(moved, "a5", number=4)
    assert picture.marks[1].groups[2:] == [2] * 4
    assert picture.title == "a5: distance 0.00, neighbourhood 0.00"


def test_what_is_refused(moved):
    with pytest.raises(UnknownWordError):
        word_path(moved, "b1")
    with pytest.raises(OptionError, match="number=31: expected from 1 to 30"):
        word_path(moved, "a5", number=31)
