import numpy as np
import pytest

from firth.errors import OptionError, UnknownWordError
from firth.plots import neighbour_network
from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def ring():
    """Five words on a quarter circle, ten degrees apart: each is nearest to those beside it."""
    angles = np.radians([0, 10, 20, 30, 41])
    return WordVectors(list("abcde"), np.column_stack([np.cos(angles), np.sin(angles)]))


def edges(picture):
    return {(row["a"], row["b"]): row["cosine"] for row in picture.rows if "cosine" in row}


def test_one_hop_by_hand(ring):
    """The two nearest of a are b (10 degrees) and c (20)."""
    picture = neighbour_network(ring, ["a"], number=2)
    assert edges(picture) == pytest.approx({("a", "b"): np.cos(np.radians(10)), ("a", "c"): np.cos(np.radians(20))})
    assert {row["word"]: row["hop"] for row in picture.rows if "word" in row} == {"a": 0, "b": 1, "c": 1}
    links, points = picture.marks
    place = dict(zip(points.labels, points.xy.tolist(), strict=True))
    assert links.ends.tolist() == [[place["a"], place["b"]], [place["a"], place["c"]]]
    assert list(links.strengths) == pytest.approx([1, 0])
    assert list(points.heads) == [True, False, False]


def test_two_hops_by_hand(ring):
    """The nearest of a is b, whose nearest are a and c; a pair that are each other's nearest has one line."""
    picture = neighbour_network(ring, ["a"], number=1, hops=2)
    assert set(edges(picture)) == {("a", "b")}
    picture = neighbour_network(ring, ["a"], number=2, hops=2)
    assert set(edges(picture)) == {("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")}
    assert {row["word"]: row["hop"] for row in picture.rows if "word" in row} == {"a": 0, "b": 1, "c": 1, "d": 2}


def test_words_share_the_colour_of_the_word_they_were_found_from(ring):
    picture = neighbour_network(ring, ["a", "e"], number=1)
    colours = dict(zip(picture.marks[1].labels, picture.marks[1].groups, strict=True))
    assert colours == {"a": 0, "b": 0, "e": 1, "d": 1}


def test_more_neighbours_than_words_are_all_there_are(ring):
    assert len(edges(neighbour_network(ring, ["a"], number=50))) == 4


def test_too_many_are_cut_with_a_note(many):
    picture = neighbour_network(many, many.words[:40], number=10)
    assert sum("word" in row for row in picture.rows) == 150
    assert "the first 150 of" in picture.notes[0]


def test_wrong_arguments_are_refused(ring):
    with pytest.raises(OptionError, match="no words to start from"):
        neighbour_network(ring, [])
    with pytest.raises(OptionError, match="hops=3: expected at least 1 neighbour, and 1 or 2 hops"):
        neighbour_network(ring, ["a"], hops=3)
    with pytest.raises(UnknownWordError):
        neighbour_network(ring, ["z"])
    assert list(neighbour_network(ring, ["a", "z"]).notes) == ["1 of 2 words have no vector: z"]
