"""Which words moved: by hand, against naive loops, and words that were planted."""

import re

import numpy as np
import pytest

from firth.alignment.semantic_change import SemanticChange
from firth.errors import OptionError, UnknownWordError
from firth.vectors.cosine import unit
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import rotation, twins


@pytest.fixture
def times():
    old, _ = twins()
    rows = old.vectors @ rotation(20, 9) + 0.05 * np.random.default_rng(3).normal(size=(300, 20))
    rows[[30, 40]] = rows[[40, 30]]
    return old, WordVectors(old.words, rows.astype(np.float32))


def test_by_hand():
    """Four corners of a square stay, and x and y, which stood with east and west, change places.

    Both times are centred, and the map that is learned from the corners alone is the identity: x and y lie opposite to
    where they were, 1 - cos 180 = 2; the corners stay, 0. With one neighbour, x had east and has west now: its cosines
    with the two were (1, -1) and are (-1, 1), 1 - -1 = 2. East, which did not move, had x and has y now: 2 likewise.
    """
    corners = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
    words = ["east", "north", "west", "south", "x", "y"]
    old = WordVectors(words, [*corners, [1.0, 0.0], [-1.0, 0.0]])
    new = WordVectors(words, [*corners, [-1.0, 0.0], [1.0, 0.0]])
    found = SemanticChange(neighbours=1, anchors=4).measure(old, new)
    assert found.distance == pytest.approx([0, 0, 0, 0, 2, 2], abs=1e-6)
    assert found.neighbourhood[[0, 2, 4, 5]] == pytest.approx([2, 2, 2, 2], abs=1e-6)
    assert found.kept[[0, 2, 4, 5]].tolist() == [0, 0, 0, 0]


def test_html_names_the_most_changed_words_and_their_neighbours(times):
    found = SemanticChange().measure(*times)
    page = found._repr_html_()
    facts = found.facts(found.most_changed(1)[0])
    cells = [facts["word"], ", ".join(facts["old"]), ", ".join(facts["new"]), f"{facts['distance']:.3f}"]
    assert re.findall("<td[^>]*>([^<]*)<", page)[:4] == cells
    assert page.count("<tr>") == 11


def test_the_words_that_were_planted_are_found(times):
    found = SemanticChange().measure(*times)
    for by in ("distance", "neighbourhood"):
        assert set(found.most_changed(2, by)) == {"a30", "a40"}
    assert found.distance[30] > 0.3
    assert np.median(found.distance) < 0.01
    assert found.anchors == 300
    assert set(found.facts("a30")["new"]) & set(found.facts("a40")["old"])


def test_measures_are_those_of_naive_loops(times):
    found = SemanticChange(neighbours=5).measure(*times)
    then, now = unit(found.old.vectors), unit(found.new.vectors)

    def nearest(rows, i):
        return [j for j in np.argsort(-(rows @ rows[i]), kind="stable").tolist() if j != i][:5]

    for i in (0, 30, 299):
        before, after = nearest(then, i), nearest(now, i)
        union = sorted({*before, *after})
        s, t = then[union] @ then[i], now[union] @ now[i]
        cosine = s @ t / np.linalg.norm(s) / np.linalg.norm(t)
        assert found.neighbourhood[i] == pytest.approx(1 - cosine, abs=1e-5)
        assert found.kept[i] == len({*before} & {*after}) / 5
        assert found.distance[i] == pytest.approx(1 - then[i] @ now[i], abs=1e-5)


def test_only_frequent_words_of_both(times):
    old, new = times
    first = WordVectors(old.words, old.vectors, counts=range(300, 0, -1))
    second = WordVectors(new.words[::-1], new.vectors[::-1], counts=[100] * 300)
    found = SemanticChange(min_count=250).measure(first, new)
    assert found.words == [f"a{i}" for i in range(51)]
    assert len(SemanticChange(min_count=100).measure(first, second).words) == 201
    assert SemanticChange(anchors=40).measure(old, new).anchors == 40


def test_what_is_refused(times):
    old, new = times
    with pytest.raises(OptionError, match="0 common words of 300 and 2: expected two texts of one language"):
        SemanticChange().measure(old, WordVectors(["x", "y"], np.ones((2, 20))))
    with pytest.raises(OptionError, match="vectors of dimensions 20 and 3"):
        SemanticChange().measure(old, WordVectors(old.words, new.vectors[:, :3]))
    found = SemanticChange().measure(old, new)
    with pytest.raises(UnknownWordError):
        found.facts("b1")
    with pytest.raises(OptionError, match="by='far'"):
        found.most_changed(1, "far")
    with pytest.raises(OptionError, match="n=0"):
        found.most_changed(0)
