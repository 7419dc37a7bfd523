import struct
import sys

import numpy as np
import pytest

from firth.errors import MissingExtraError, UnknownWordError
from firth.plots.map import draw_map
from firth.plots.text_map import text_map
from firth.vectors.word_vectors import WordVectors

GROUPS = {"red": ["blue", "green"], "house": ["garden", "door", "red"]}


@pytest.fixture
def vectors():
    words = ["red", "blue", "green", "house", "garden", "door"]
    rows = np.repeat(np.eye(2, 8), 3, axis=0) + 0.3 * np.random.default_rng(0).normal(size=(6, 8))
    return WordVectors(words, rows.astype(np.float32))


def test_draws_a_png(vectors, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    path = tmp_path / "map.png"
    draw_map(vectors, GROUPS, path, title="Colours and houses")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert struct.unpack(">II", content[16:24]) == (1500, 975)
    draw_map(vectors, GROUPS, path, title="Colours and houses")
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["map.png"]


def test_an_unknown_word_draws_nothing(vectors, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    with pytest.raises(UnknownWordError):
        draw_map(vectors, {"rde": []}, tmp_path / "map.png")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_extra_is_named(vectors, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'firth\[plots\]'"):
        draw_map(vectors, GROUPS, tmp_path / "map.png")


def test_the_map_in_text(vectors):
    drawn = text_map(vectors, vectors.words, width=60, height=12)
    lines = drawn.splitlines()
    assert 1 < len(lines) <= 12
    assert max(map(len, lines)) <= 60
    assert sorted(drawn.split()) == sorted(vectors.words)
    colours = [lines.index(line) for line in lines for word in ("red", "blue", "green") if word in line.split()]
    assert len(colours) == 3


def test_words_that_find_no_room_are_left_out_and_nothing_is_overwritten(vectors):
    drawn = text_map(vectors, vectors.words, width=8, height=2)
    assert 0 < len(drawn.split()) < 6
    assert set(drawn.split()) <= set(vectors.words)
