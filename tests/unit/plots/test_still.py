import struct
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from firth.plots import similarity_heat_map, word_map
from firth.plots.fonts import families
from firth.plots.labels import shown_text
from firth.plots.still import drawn, render, texts
from firth.vectors.word_vectors import WordVectors

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")


def words_of(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def boxes(figure, words):
    """The corners of the labels of words, as they are drawn: (n, 4)."""
    (axes,) = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    found = [text.get_window_extent() for text in axes.texts if text.get_text() in words]
    return np.array([[box.x0, box.y0, box.x1, box.y1] for box in found])


def overlaps(found) -> int:
    """How many pairs of boxes share a place."""
    apart = np.minimum(found[:, None, 2:], found[None, :, 2:]) - np.maximum(found[:, None, :2], found[None, :, :2])
    return int(np.triu((apart > 0.5).all(axis=2), 1).sum())  # half a pixel is not seen


def test_every_kind_is_a_png_of_its_size(picture):
    content = render(picture, "png")
    assert content.startswith(b"\x89PNG")
    size = [round(150 * side) for side in picture.size]
    assert np.abs(np.array(struct.unpack(">II", content[16:24])) - size).max() <= 1


def test_every_kind_is_an_svg_that_holds_its_words(picture):
    found = " ".join(words_of(render(picture, "svg")))
    named = {row[key] for row in picture.rows for key in ("word", "a", "model", "name", "vectors") if key in row}
    assert named
    assert [name for name in named if name not in found] == []
    assert picture.title in found


def test_the_same_picture_is_the_same_bytes(pictures):
    for form in ("png", "svg"):
        assert render(pictures["map"], form) == render(pictures["map"], form)


@pytest.mark.parametrize("count", [60, 200])
def test_labels_do_not_overlap_and_stay_inside(count):
    """Words of a tight bunch: sixty labels all find a place, of two hundred dots only some have one."""
    words = [f"word{i}" for i in range(count)]
    space = WordVectors(words, np.random.default_rng(0).normal(size=(count, 3)))
    with drawn(word_map(space, words, heads=words[-3:], method="pca")) as figure:
        found = boxes(figure, words)
        width, height = figure.canvas.get_width_height()
    assert overlaps(found) == 0
    assert len(found) == 60 if count == 60 else 30 < len(found) < 200
    assert (found[:, :2] >= -1).all()
    assert (found[:, 2] <= width + 1).all()
    assert (found[:, 3] <= height + 1).all()


def test_heads_are_labelled_before_the_others():
    """All words in one place: the one label that finds room first is the head's, though it is the rarest word."""
    words = [f"word{i}" for i in range(300)]
    rows = np.array([1.0, 0]) + 0.001 * np.random.default_rng(0).normal(size=(300, 2))
    with drawn(word_map(WordVectors(words, rows), words, heads=["word299"], method="pca")) as figure:
        shown = [text.get_text() for text in figure.axes[0].texts]
    assert "word299" in shown
    assert len(shown) < 300


def test_a_word_of_any_script_and_of_none_is_drawn_without_a_warning(scripts):
    picture = word_map(scripts, scripts.words, title="Any $script$")
    assert render(picture, "png").startswith(b"\x89PNG")
    found = words_of(render(picture, "svg"))
    assert "日本語" in found
    assert "$x_1$" in found
    assert "<b>&amp;" in found
    assert "tab\\there" in found
    assert "\\udc80bad" in found
    assert "l" * 39 + "…" in found
    assert "Any $script$" in found


def test_letters_without_a_font_are_known():
    """No font has a letter for a code that will never be one; DejaVu Sans has the Cyrillic ones."""
    found, missing = families(["хлеб", "a\U000e0fff"])
    assert found == ["DejaVu Sans"]
    assert missing <= {"\U000e0fff"}


def test_texts_are_as_they_are_drawn(scripts):
    assert set(map(shown_text, scripts.words)) <= set(texts(similarity_heat_map(scripts, scripts.words)))


def test_a_notebook_shows_it(pictures):
    assert pictures["map"]._repr_png_().startswith(b"\x89PNG")
