"""What a figure shows, as plain values: a few marks on a plane, its axes, a title.

A kind of figure is one small function that makes a `Picture`. `firth.plots.still` draws any picture as PNG, SVG or PDF,
`firth.plots.page` as a page of HTML; both know the four marks below, and nothing of words or vectors.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Style = Literal["arrow", "link", "interval", "guide"]

# Okabe and Ito's colours, which people with any colour vision can tell apart; their yellow is too light for text.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#7A5C00", "#3A8FB7", "#444444", "#8E44AD")
INK, FAINT, PALE = "#1b1b1b", "#c8c8c8", "#ececec"
NO_GROUP = -1
# From opposite through nothing in common to the same: dark at both ends, so that it reads in grey too.
SCALE = ((0.0, "#D55E00"), (0.5, "#ffffff"), (1.0, "#005B8F"))

SIZE = (10.0, 6.5)  # inches
WRITTEN = 16  # rows of a heat map whose numbers can still be read
SMALL, LARGE = 11, 14  # points, of a label and of a head's


@dataclass(frozen=True, kw_only=True, repr=False)
class Points:
    """Things at places, each with a label.

    Attributes:
        xy: (n, 2) places.
        labels: (n,) what they are; whoever hovers over a point of a page reads it.
        groups: (n,) the number of each point's colour; `NO_GROUP` is ink. Empty: all have the first colour.
        heads: (n,) whether a label is bold, and placed before the others. Empty: none is.
        hollow: (n,) whether only the outline of the dot is drawn. Empty: none is.
        labelled: whether labels are drawn. Those that find no room are not.
        dotted: whether a dot stands at the place; without dots the label itself does.
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
        ends: (m, 2, 2) from where, to where.
        style: an "arrow", a "link" between two points, an "interval" around one, or a dashed "guide".
        labels: (m,) what whoever hovers over a link reads. Empty: nothing.
        groups: (m,) numbers of colours, as of points. Empty: faint.
        strengths: (m,) from 0 to 1, how thick a link is. Empty: all are thin.
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
        name: what it shows.
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
    """A square of numbers as colours, the first row on top.

    Attributes:
        values: (n, n).
        labels: (n,) of rows and of columns.
        low: the number at the lower end of the scale of colours.
        high: the number at the upper end.
        name: what the numbers are.
    """

    values: Floats
    labels: Sequence[str]
    low: float
    high: float
    name: str

    def __repr__(self) -> str:
        return f"<Heat: {len(self.labels):,} x {len(self.labels):,}, {self.name}>"


Mark = Points | Lines | Curve | Heat


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis.

    Attributes:
        name: what it measures, with the unit.
        low: its lower end; None leaves it to the marks.
        high: its upper end; None leaves it to the marks.
        log: whether equal steps are equal ratios.
        ticks: places and what stands there; empty leaves them to the renderer.
        grid: whether there is a light line at each tick.
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
        kind: what sort of figure, such as "map".
        title: a line above it: what is shown, and how many.
        marks: what is drawn, the first at the back.
        rows: the plotted numbers, one mapping a thing, for whoever wants to draw them otherwise.
        caption: a line below it: how to read it.
        notes: what was left out, and why.
        x: the axis below; None for a plane whose directions mean nothing.
        y: the axis on the left; None as for x.
        groups: the names of the colours, for a legend; empty for none.
        equal: whether a step on one axis is as long as on the other.
        size: width and height in inches; a page has 100 pixels an inch.
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
        """Draw the picture into a file: .png, .svg or .pdf by matplotlib, .html by plotly, which needs no network.

        Raises:
            OptionError: the path ends in something else.
            MissingExtraError: the library that draws is not installed.
            OSError: the file cannot be written.
        """
        from firth.plots.saving import save

        save(self, path)

    def __repr__(self) -> str:
        marks = ", ".join(repr(mark)[1:-1] for mark in self.marks)
        return f"<Picture {self.kind!r}: {self.title!r}; {marks}>"

    def _repr_png_(self) -> bytes:
        from firth.plots.still import render

        return render(self, "png")


def colour_of(group: int) -> str:
    """Return the colour of a group; after eight they repeat, with another symbol."""
    return INK if group == NO_GROUP else COLOURS[group % len(COLOURS)]


def limits(picture: Picture) -> tuple[Floats, Floats]:
    """Return the lower and the upper corner of what a picture's marks cover, wide of it by a margin, each (2,)."""
    places = np.concatenate([_places(mark) for mark in picture.marks])
    low, high = np.empty(2), np.empty(2)
    for i, axis in enumerate((picture.x, picture.y)):
        low[i], high[i] = _range(places[:, i], axis)
    return low, high


def levelled(low: Floats, high: Floats, plane: Floats) -> tuple[Floats, Floats]:
    """Widen one of two ranges so that a step is as long on both axes.

    Args:
        low: (2,) the lower ends.
        high: (2,) the upper ends.
        plane: (2,) width and height of what they are drawn on, in pixels.
    """
    extent = high - low
    wider = plane * (extent / plane).max()
    return low - (wider - extent) / 2, high + (wider - extent) / 2


def _places(mark: Mark) -> Floats:
    if isinstance(mark, Lines):
        return mark.ends.reshape(-1, 2)
    if isinstance(mark, Heat):
        return np.array([[-0.5, -0.5], [len(mark.labels) - 0.5] * 2])
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
