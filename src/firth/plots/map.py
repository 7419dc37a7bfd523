"""A map of words: one picture, words near each other when their vectors are."""

import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from firth.errors import MissingExtraError
from firth.files import replacing_file
from firth.plots.layout import Points, flatten, separate
from firth.vectors.word_vectors import WordVectors

# Okabe and Ito's colours, which people with any colour vision can tell apart; their yellow is too light for text.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A5C00", "#3A8FB7", "#444444", "#8E44AD")
SIZE = (10.0, 6.5)  # inches
DPI = 150
INK, FAINT = "#1b1b1b", "#c8c8c8"


def draw_map(
    vectors: WordVectors,
    groups: Mapping[str, Sequence[str]],
    path: str | os.PathLike[str],
    *,
    title: str = "",
) -> None:
    """Draw words on a map and save it as PNG.

    Args:
        vectors: the vectors.
        groups: words under the word that stands for them, which is drawn bold; a group has a colour. A word that
            several groups name belongs to the first.
        path: the file to write or replace.
        title: a line above the map.

    Raises:
        MissingExtraError: matplotlib is not installed.
        UnknownWordError: a word has no vector.
        OSError: the file cannot be written.
    """
    figure_module, canvas_module = matplotlib_module("figure"), matplotlib_module("backends.backend_agg")
    colours = _colours(groups)
    words = list(colours)
    figure = figure_module.Figure(figsize=SIZE, dpi=DPI, facecolor="white")
    canvas = canvas_module.FigureCanvasAgg(figure)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.9 if title else 0.96))
    axes.set_axis_off()
    if title:
        figure.text(0.02, 0.955, title, fontsize=15, color=INK, fontweight="bold", va="center")
    _place(axes, flatten(vectors.get_vector(words)), canvas, words, colours, set(groups))
    with replacing_file(path) as file:
        canvas.print_png(file)


def matplotlib_module(module: str) -> Any:
    """Return a module of matplotlib, such as "figure".

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(f"matplotlib.{module}")
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "draw a map") from None


def _colours(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Each word once, with its group's colour."""
    colours: dict[str, str] = {}
    for i, (head, members) in enumerate(groups.items()):
        for word in (head, *members):
            colours.setdefault(word, COLOURS[i % len(COLOURS)])
    return colours


def _place(
    axes: Any, points: Points, canvas: Any, words: list[str], colours: Mapping[str, str], heads: set[str]
) -> None:
    """Draw points and labels; work in pixels, where the sizes of labels are known."""
    low, high = points.min(axis=0), points.max(axis=0)
    box = axes.get_window_extent()
    margin = np.array([0.07, 0.05]) * (box.width, box.height)
    inside = np.array([box.width, box.height]) - 2 * margin
    pixels = (points - low) / np.maximum(high - low, 1e-12) * inside + margin
    axes.set_xlim(0, box.width)
    axes.set_ylim(0, box.height)
    labels = [
        axes.text(*pixels[i], word, color=colours[word], ha="center", va="center", zorder=3, **_style(word in heads))
        for i, word in enumerate(words)
    ]
    extents = [label.get_window_extent(canvas.get_renderer()) for label in labels]
    sizes = np.array([[extent.width + 10, extent.height + 4] for extent in extents])
    spots = separate(pixels, sizes)
    spots = np.clip(spots, sizes / 2, np.array([box.width, box.height]) - sizes / 2)
    for label, spot, pixel in zip(labels, spots, pixels, strict=True):
        label.set_position(spot)
        axes.plot(*np.stack([pixel, spot], axis=1), color=FAINT, linewidth=0.8, zorder=1)


def _style(head: bool) -> dict[str, Any]:
    return {"fontsize": 14, "fontweight": "bold"} if head else {"fontsize": 11}
