"""A figure as plain values: marks on a plane, axes, a title.

Each kind of figure is a function that returns a `Picture`. `firth.plots.still` draws any picture. It
knows only the four marks below, not words or vectors.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from firth import registry

Floats = npt.NDArray[np.float64]
Style = Literal["arrow", "link", "interval", "guide"]

# Okabe and Ito's colours, distinguishable with any colour vision, without their yellow, which is too light for text.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A5C00", "#3A8FB7", "#444444", "#8E44AD")
INK, FAINT, PALE, GREY = "#1b1b1b", "#c8c8c8", "#ececec", "#a6a6a6"
NO_GROUP, FADED = -1, -2
# From opposite through unrelated to equal: dark at both ends, so that it is readable in grey.
SCALE = ((0.0, "#D55E00"), (0.5, "#ffffff"), (1.0, "#005B8F"))

SIZE = (10.0, 6.5)  # inches
WRITTEN = 16  # largest heat map, in rows, that shows its numbers
SMALL, LARGE = 11, 14  # points, of labels and of bold labels


@dataclass(frozen=True, kw_only=True, repr=False)
class Points:
    """Labelled points.

    Attributes:
        xy: (n, 2) positions.
        labels: (n,) labels; also the hover text of a page.
        groups: (n,) the number of each point's colour; `NO_GROUP` is ink, `FADED` grey. Empty: all have the first.
        heads: (n,) whether a label is bold and placed before the others. Empty: none.
        hollow: (n,) whether only the outline of the dot is drawn. Empty: none.
        labelled: whether to draw labels, as far as there is room.
        dotted: whether to draw dots; without dots the label stands at the position.
    """

    xy: Floats
    labels: Sequence[str]
    groups: Sequence[int] = ()
    heads: Sequence[bool] = ()
    hollow: Sequence[bool] = ()
    labelled: bool = True
    dotted: bool = True

    def __repr__(self) -> str:
        return f"<Points: {len(self.labels):,}>"

    def group(self, i: int) -> int:
        """Return the number of a point's colour."""
        return self.groups[i] if self.groups else 0

    def is_head(self, i: int) -> bool:
        """Return whether a point's label is bold."""
        return bool(self.heads) and self.heads[i]

    def is_hollow(self, i: int) -> bool:
        """Return whether a point is drawn as an outline."""
        return bool(self.hollow) and self.hollow[i]


@dataclass(frozen=True, kw_only=True, repr=False)
class Lines:
    """Straight lines.

    Attributes:
        ends: (m, 2, 2) start and end.
        style: an "arrow", a "link" between two points, an "interval" around one, or a dashed "guide".
        labels: (m,) hover texts of links. Empty: none.
        groups: (m,) numbers of colours, as for points. Empty: faint.
        strengths: (m,) from 0 to 1, thickness of a link. Empty: all are thin.
    """

    ends: Floats
    style: Style
    labels: Sequence[str] = ()
    groups: Sequence[int] = ()
    strengths: Sequence[float] = ()

    def __repr__(self) -> str:
        return f"<Lines: {len(self.ends):,}, style {self.style}>"

    def colour(self, i: int) -> str:
        """Return the colour of a line."""
        return colour_of(self.groups[i]) if self.groups else FAINT


@dataclass(frozen=True, kw_only=True, repr=False)
class Curve:
    """A line through points, from left to right.

    Attributes:
        name: hover text.
        xy: (n, 2) its points.
        group: the number of its colour.
    """

    name: str
    xy: Floats
    group: int = 0

    def __repr__(self) -> str:
        return f"<Curve {self.name!r}: {len(self.xy):,} points>"


@dataclass(frozen=True, kw_only=True, repr=False)
class Heat:
    """A matrix as colours, the first row on top.

    Attributes:
        values: (n, m).
        labels: (n,) of rows.
        columns: (m,) of columns; none for those of rows.
        low: lower end of the colour scale.
        high: upper end of the colour scale.
        name: of the quantity.
    """

    values: Floats
    labels: Sequence[str]
    low: float
    high: float
    name: str
    columns: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"<Heat: {len(self.labels):,} x {len(self.across):,}, {self.name}>"

    @property
    def across(self) -> Sequence[str]:
        """The labels of columns."""
        return self.columns or self.labels

    @property
    def scale(self) -> Sequence[tuple[float, str]]:
        """Places from 0 to 1 with their colours; white stands for 0."""
        return SCALE if self.low < 0 else ((0.0, SCALE[1][1]), (1.0, SCALE[2][1]))


Mark = Points | Lines | Curve | Heat


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis.

    Attributes:
        name: the quantity, with its unit.
        low: lower end; None derives it from the marks.
        high: upper end; None derives it from the marks.
        log: whether the axis is logarithmic.
        ticks: positions and labels; empty for the renderer's default.
        grid: whether to draw grid lines.
    """

    name: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    ticks: Sequence[tuple[float, str]] = ()
    grid: bool = True


@dataclass(frozen=True, kw_only=True, repr=False)
class Picture:
    """A figure before it is drawn.

    Attributes:
        kind: kind of figure, such as "map".
        title: title line.
        marks: the marks, the first at the back.
        rows: the plotted numbers, one mapping per item, for use in other plots.
        caption: a line below: how to read the figure.
        notes: what was left out, and why.
        x: horizontal axis; None if directions have no meaning.
        y: vertical axis; None if directions have no meaning.
        groups: names of the colours, for a legend; empty for none.
        equal: whether both axes have the same scale.
        size: width and height in inches.
    """

    kind: str
    title: str
    marks: Sequence[Mark]
    rows: Sequence[Mapping[str, Any]]
    caption: str = ""
    notes: Sequence[str] = ()
    x: Axis | None = None
    y: Axis | None = None
    groups: Sequence[str] = ()
    equal: bool = False
    size: tuple[float, float] = SIZE

    def save(self, path: str | os.PathLike[str]) -> None:
        """Draw the picture into a file: .png, .svg, .pdf, or .html, which works offline.

        The page of a map zooms, and finds words; any other holds the picture as SVG.

        Raises:
            OptionError: the path has another extension.
            MissingExtraError: matplotlib is not installed; the page of a map does not need it.
            OSError: the file cannot be written.
        """
        registry.resolve(registry.SAVE_PICTURE)(self, path)

    def __repr__(self) -> str:
        marks = ", ".join(repr(mark)[1:-1] for mark in self.marks)
        return f"<Picture {self.kind!r}: {self.title!r}; {marks}>"

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        png: bytes = registry.resolve(registry.RENDER_PICTURE)(self, "png")
        return png, {"width": round(100 * self.size[0])}


def colour_of(group: int) -> str:
    """Return the colour of a group; after eight, colours repeat with another symbol."""
    if group < 0:
        return GREY if group == FADED else INK
    return COLOURS[group % len(COLOURS)]


def limits(picture: Picture) -> tuple[Floats, Floats]:
    """Return the lower and the upper corner of a picture's marks with a margin, each (2,)."""
    points = np.concatenate([_places(mark) for mark in picture.marks])
    low, high = np.empty(2), np.empty(2)
    for i, axis in enumerate((picture.x, picture.y)):
        low[i], high[i] = _range(points[:, i], axis)
    return low, high


def equal_scale(low: Floats, high: Floats, plane: Floats) -> tuple[Floats, Floats]:
    """Widen one of two ranges so that both axes have the same scale.

    Args:
        low: (2,) lower ends.
        high: (2,) upper ends.
        plane: (2,) width and height of the plane, in pixels.
    """
    extent = high - low
    wider = plane * (extent / plane).max()
    return low - (wider - extent) / 2, high + (wider - extent) / 2


def _places(mark: Mark) -> Floats:
    if isinstance(mark, Lines):
        return mark.ends.reshape(-1, 2)
    if isinstance(mark, Heat):
        return np.array([[-0.5, -0.5], [len(mark.across) - 0.5, len(mark.labels) - 0.5]])
    return mark.xy.reshape(-1, 2)


def _range(values: Floats, axis: Axis | None) -> tuple[float, float]:
    log = axis is not None and axis.log
    low, high = (float(end) for end in (values.min(), values.max()))
    margin = 0.07 if axis is None else 0.05
    if log:
        wide = max(high / low, 1.5) ** 0.2
        low, high = low / wide, high * wide
    else:
        wide = (high - low) * margin or max(abs(high), 1.0) * margin
        low, high = low - wide, high + wide
    low = low if axis is None or axis.low is None else axis.low
    return low, high if axis is None or axis.high is None else axis.high
