import numpy as np
import pytest

from firth.alignment.procrustes import Procrustes
from firth.errors import OptionError, UnknownWordError
from firth.plots import translation_map
from tests.unit.alignment.spaces import translations, twins


@pytest.fixture(scope="module")
def alignment():
    return Procrustes().align(*twins(noise=0.05), translations(0, 60), progress=False)


def test_words_are_tied_to_their_translations(alignment):
    picture = translation_map(alignment, ["a1", "a100", "a200"])
    links, points = picture.marks
    assert points.labels == ["a1", "a100", "a200", "b1", "b100", "b200"]
    assert points.groups == [0, 0, 0, 1, 1, 1]
    np.testing.assert_array_equal(links.ends, np.stack([points.xy[:3], points.xy[3:]], axis=1))
    # A word and its translation are much nearer to each other than to the others.
    lengths = np.linalg.norm(links.ends[:, 0] - links.ends[:, 1], axis=1)
    assert lengths.max() < 0.5 * np.linalg.norm(points.xy[0] - points.xy[1])
    assert picture.groups == ["A", "B"]
    assert picture.rows[3]["word"] == "b1"
    assert picture.rows[3]["side"] == "B"


def test_several_translations_and_what_is_left_out(alignment):
    picture = translation_map(alignment, ["a1", "nowhere", "a1"], number=3)
    assert len(picture.marks[0].ends) == 3
    assert picture.notes == ["1 of 2 words have no vector: nowhere"]
    many = translation_map(alignment, [f"a{i}" for i in range(70)])
    assert many.notes == ["the first 60 of 70 words are drawn"]


def test_what_is_refused(alignment):
    with pytest.raises(UnknownWordError):
        translation_map(alignment, ["b1"])
    with pytest.raises(OptionError, match="0 words with 1 translations"):
        translation_map(alignment, [])
    with pytest.raises(OptionError, match="1 words with 0 translations"):
        translation_map(alignment, ["a1"], number=0)
