import struct
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from firth.plots import similarity_heat_map, word_map
from firth.plots.fonts import families
from firth.plots.labels import label_text
from firth.plots.picture import Points
from firth.plots.still import draw, render, texts
from firth.vectors.word_vectors import WordVectors

pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
from matplotlib.patches import Rectangle


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
    named = {
        row[key] for row in picture.rows for key in ("word", "a", "model", "name", "vectors", "source") if key in row
    }
    assert named
    assert [name for name in named if name not in found] == []
    assert picture.title in found


def test_the_same_picture_is_the_same_bytes(pictures):
    for form in ("png", "svg", "pdf"):
        assert render(pictures["map"], form) == render(pictures["map"], form)


@pytest.mark.parametrize("count", [60, 200])
def test_labels_do_not_overlap_and_stay_inside(count):
    """Words of a tight bunch: sixty labels all find a place, of two hundred dots only some have one."""
    words = [f"word{i}" for i in range(count)]
    space = WordVectors(words, np.random.default_rng(0).normal(size=(count, 3)))
    with draw(word_map(space, words, heads=words[-3:], method="pca")) as figure:
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
    with draw(word_map(WordVectors(words, rows), words, heads=["word299"], method="pca")) as figure:
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
    assert set(map(label_text, scripts.words)) <= set(texts(similarity_heat_map(scripts, scripts.words)))


def test_halos_lie_behind_all_marks(pictures):
    for name in ("dots", "analogy", "neighbours", "curve"):
        with draw(pictures[name]) as figure:
            axes = figure.axes[0]
            halos = [patch.get_zorder() for patch in axes.patches if isinstance(patch, Rectangle)]
            marks = [each.get_zorder() for each in axes.collections]
            lines = [
                each.get_zorder() for each in axes.lines if each.get_linestyle() == "-" and each.get_linewidth() > 0.8
            ]
            arrows = [text.get_zorder() for text in axes.texts if not text.get_text()]
        assert halos
        assert max(halos) < min([*marks, *lines, *arrows])
        assert not any(text.get_bbox_patch() for text in axes.texts)


def test_a_title_ends_before_the_legend(vectors):
    groups = {"colours, and other things": vectors.words[:3], "house": vectors.words[3:]}
    picture = word_map(vectors, groups=groups, title="a long title that says what is shown and " * 4)
    with draw(picture) as figure:
        title, legend = figure._suptitle.get_window_extent(), figure.legends[0].get_window_extent()
    assert title.x1 < legend.x0
    assert title.y0 > 0


def test_a_label_stands_apart_from_its_dot(pictures):
    """Of the dot's edge, 3 pixels at least: its area is the square of its width in points, and it has an outline."""
    picture = pictures["analogy"]
    with draw(picture) as figure:
        axes, (points,) = figure.axes[0], [mark for mark in picture.marks if isinstance(mark, Points)]
        middles = axes.transData.transform(points.xy)
        radius = (26**0.5 / 2 + 0.6) * 150 / 72
        for text in axes.texts:
            if text.get_text():
                box = text.get_window_extent()
                nearest = np.clip(middles, [box.x0, box.y0], [box.x1, box.y1])
                assert np.hypot(*(nearest - middles).T).min() > radius + 2


def test_no_negative_zeros():
    space = WordVectors(["one", "other"], np.array([[1.0, 0.0], [-0.001, 1.0]]))
    with draw(similarity_heat_map(space, space.words)) as figure:
        written = {text.get_text() for text in figure.axes[0].texts}
    assert written == {"1.00", "0.00"}


def test_a_picture_and_its_marks_are_shown_in_a_line(pictures):
    for picture in pictures.values():
        assert len(repr(picture)) < 250
        assert repr(picture).startswith(f"<Picture {picture.kind!r}: {picture.title!r}; ")
        assert "array" not in repr(picture)
    assert repr(pictures["curve"]).endswith("; Curve 'one': 2 points, Curve 'two': 2 points, Points: 2>")


def test_a_notebook_shows_it(pictures):
    png, how = pictures["map"]._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert how == {"width": round(100 * pictures["map"].size[0])}  # as wide as the page, and sharp
