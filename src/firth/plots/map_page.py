"""A map as one HTML page, which opens without a server, without the network and without a plotting library.

It holds `scatter/scatter.js` as it is, the labels and their places; the places are rounded to a 32,000th of half the
map. Zoom, search and the names under the mouse work in any browser; 20,000 words take about 1 MB.
"""

import base64
import html
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, counted
from firth.options import check_whole
from firth.plots.picture import Picture, Points
from firth.plots.projection import project
from firth.plots.word_groups import Groups, word_groups
from firth.plots.words import Vectors, check_vectors, name_of
from firth.storage.files import replacing_file
from firth.vectors.cosine import unit

MOST = 20_000  # words of a page
SCRIPT, PAGE = "scatter.js", "page.html"
PART = re.compile(r"@(title|caption|data|scatter)@")  # of the page
HEIGHT = 560  # pixels of a notebook's cell
NEITHER = "#888888"  # colour of points of no group, seen on white and on black


@dataclass(frozen=True)
class MapPage:
    """A map as a page. A notebook shows it in a cell.

    Attributes:
        title: of the page.
        html: the page.
    """

    title: str
    html: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Raises:
            OptionError: the name does not end in .html.
        """
        if not os.fspath(path).lower().endswith(".html"):
            raise OptionError(f"{path}: expected a name that ends in .html")
        with replacing_file(path) as file:
            file.write(self.html.encode("utf-8", "backslashreplace"))

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{html.escape(self.title)}" srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            f'style="box-sizing:border-box;width:100%;height:{HEIGHT}px;border:1px solid #8884;border-radius:6px">'
            "</iframe>"
        )


def map_page(
    labels: Sequence[str],
    positions: npt.NDArray[np.floating],
    *,
    groups: npt.NDArray[np.integer],
    names: Sequence[str] = (),
    palette: Sequence[str] = (),
    bold: Sequence[int] = (),
    title: str = "",
    caption: str = "",
) -> MapPage:
    """Return a page with a map.

    Args:
        positions: (n, 2).
        groups: (n,) the number of each point's colour, below 65,536.
        palette: the colours, as "#rrggbb", used in turn; "" stands for the explorer's of that place, as none do.
    """
    middle = (positions.max(0) + positions.min(0)) / 2
    widest = float(np.abs(positions - middle).max()) or 1.0
    rounded = np.round((positions - middle) * (32_000 / widest)).astype(np.int16)
    data = {
        "words": list(labels), "places": packed(rounded), "groups": packed(np.asarray(groups, dtype=np.uint16)),
        "names": list(names), "palette": list(palette), "bold": list(bold),
    }  # fmt: skip
    folder = files("firth.plots") / "scatter"
    parts = {
        "title": html.escape(title),
        "caption": html.escape(caption),
        "data": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
        "scatter": scatter_script(),
    }
    return MapPage(title, PART.sub(lambda match: parts[match[1]], (folder / PAGE).read_text(encoding="utf-8")))


def scatter_script() -> str:
    """Return the JavaScript of the scatter plot, a module."""
    return (files("firth.plots") / "scatter" / SCRIPT).read_text(encoding="utf-8")


def packed(numbers: npt.NDArray[Any]) -> str:
    """Return numbers as base64 of their little-endian bytes, which JSON can hold."""
    return base64.b64encode(np.ascontiguousarray(numbers.astype(numbers.dtype.newbyteorder("<"))).tobytes()).decode()


def grouped_page(
    labels: Sequence[str],
    projection: tuple[npt.NDArray[np.floating], str],
    groups: Groups,
    *,
    name: str,
    what: str = "word",
) -> MapPage:
    """Return a page with the first 20,000 labels of a map in the colours of their groups.

    Args:
        projection: (n, 2) places of the first labels, and how to read them.
    """
    n = min(MOST, len(projection[0]))
    title = counted(n, what) + (f" of {name}" if name else "")
    return map_page(
        labels[:n], projection[0][:n], groups=groups.labels[:n], names=groups.names, title=title, caption=projection[1]
    )


def explore(vectors: Vectors, *, number: int = MOST, method: str = "pca", seed: int = 0) -> MapPage:
    """Return the map that `WordVectors.explore` shows in a cell, whose arguments and errors it has.

    Raises:
        OptionError: an argument is out of its range.
    """
    check_vectors(vectors)
    check_whole("number", number, 3)
    if number > MOST:
        raise OptionError(f"number={number:,}: expected at most {MOST:,}; firth explore shows more")
    if len(vectors) < 3:
        raise OptionError(f"{counted(len(vectors), 'word')}: expected at least 3 for a map")
    rows = unit(np.asarray(vectors.vectors[:number], dtype=np.float32))
    words = vectors.words[:number]
    projection = project(rows.astype(np.float64), method, seed)
    return grouped_page(words, projection, word_groups(rows, words), name=name_of(vectors).strip(" ()"))


def is_map(picture: Picture) -> bool:
    """Return whether a picture holds nothing but points, without axes."""
    return picture.x is None and picture.y is None and len(picture.marks) == 1 and isinstance(picture.marks[0], Points)


def picture_page(picture: Picture) -> MapPage:
    """Return a map that was made for a picture as a page.

    Args:
        picture: a map; see `is_map`.
    """
    (points,) = picture.marks
    assert isinstance(points, Points), "is_map was asked"
    numbers = np.array([points.group(i) for i in range(len(points.labels))])
    in_order = dict.fromkeys([*range(len(picture.groups)), *numbers.tolist()])  # of the legend
    colours = sorted(in_order, key=lambda number: number < 0)
    number_of = {number: i for i, number in enumerate(colours)}
    return map_page(
        points.labels, points.xy, groups=np.array([number_of[number] for number in numbers.tolist()]),
        names=picture.groups, palette=[NEITHER if c < 0 else "" for c in colours],
        bold=[i for i in range(len(points.labels)) if points.is_head(i)], title=picture.title,
        caption=picture.caption,
    )  # fmt: skip
