"""Draws pictures as PNG, SVG and PDF with matplotlib."""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from firth.errors import import_extra
from firth.plots.fonts import families
from firth.plots.labels import (
    BOLD,
    CROWD,
    LONGEST_TICK,
    Placement,
    clean,
    label_text,
    legend_room,
    obstacles,
    place_labels,
    priority,
    wrap,
)
from firth.plots.picture import (
    FAINT,
    INK,
    LARGE,
    PALE,
    SMALL,
    WRITTEN,
    Axis,
    Curve,
    Floats,
    Heat,
    Lines,
    Picture,
    Points,
    colour_of,
    equal_scale,
    limits,
)

DPI = 150
_GUIDE, _HALO = 1.2, 1.5  # a label's halo covers the grid and guides but no marks
_OUTLINE = 1.2  # points, of a dot
_SHORTEST = 4.0  # pixels, of a line to a label
PURPOSE = "draw a picture"
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")  # after eight groups colours repeat with the next symbol
_METADATA = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
_CAPTION, _LEGEND = 9, 10  # points
_FEW = 40  # curves with at most so many points show them as dots


def render(picture: Picture, form: str) -> bytes:
    """Return a picture as a file: "png", "svg" or "pdf". SVG and PDF keep words as text that can be searched."""
    with draw(picture) as figure:
        buffer = io.BytesIO()
        figure.savefig(buffer, format=form, dpi=DPI, metadata=_METADATA[form])
    return buffer.getvalue()


@contextlib.contextmanager
def draw(picture: Picture) -> Iterator[Any]:
    """Draw a picture and yield matplotlib's figure; its settings stay active inside the context."""
    settings = {
        "font.family": families(texts(picture))[0],
        "text.parse_math": False,  # a word may contain dollar signs
        "axes.unicode_minus": False,
        "svg.fonttype": "none",
        "pdf.fonttype": 42,  # embed fonts instead of outlines, as journals require
        "svg.hashsalt": "firth",  # the same picture gives the same bytes
    }
    with import_extra("matplotlib", PURPOSE, "plots").rc_context(settings), _quiet():
        figure = import_extra("matplotlib.figure", PURPOSE, "plots").Figure(
            figsize=picture.size, dpi=DPI, facecolor="white", layout="constrained"
        )
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.08)
        import_extra("matplotlib.backends.backend_agg", PURPOSE, "plots").FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _frame(figure, axes, picture)
        for mark in picture.marks:
            _DRAW[type(mark)](axes, mark)
        _label(figure, axes, picture)
        yield figure


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress warnings about letters without a font, drawn as boxes, and about fonts without a bold face."""
    log = logging.getLogger("matplotlib.font_manager")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
            yield
    finally:
        log.disabled = before


def texts(picture: Picture) -> list[str]:
    """Return the texts in a picture."""
    labels = list(picture.groups)
    for axis in (picture.x, picture.y):
        labels += [] if axis is None else [axis.name, *(text for _, text in axis.ticks)]
    for mark in picture.marks:
        labels += [] if isinstance(mark, Lines | Curve) else list(mark.labels)
    return [clean(picture.title), clean(picture.caption), *map(label_text, labels)]


def _frame(figure: Any, axes: Any, picture: Picture) -> None:
    """Draw the title, caption, axes and legend."""
    if picture.title:
        room = 0.97 * picture.size[0] * 72 - legend_room(picture.groups, _LEGEND)
        title = "\n".join(wrap(clean(picture.title), LARGE * BOLD, room))
        figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, fontweight="bold", color=INK)
    if picture.caption:
        caption = "\n".join(wrap(clean(picture.caption), 0.93 * _CAPTION, 0.97 * picture.size[0] * 72))
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=_CAPTION, color="#555555")
    (left, below), (right, above) = limits(picture)
    for axis, name, ends in ((picture.x, "x", (left, right)), (picture.y, "y", (below, above))):
        _dress(axes, axis, name, ends)
    if picture.x is None and picture.y is None:
        axes.set_axis_off()
    if picture.groups:
        handles = [
            import_extra("matplotlib.lines", PURPOSE, "plots").Line2D(
                [], [], linestyle="", marker=_marker(i), color=colour_of(i), label=label_text(name)
            )
            for i, name in enumerate(picture.groups)
        ]
        figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=_LEGEND, labelcolor=INK)


def _dress(axes: Any, axis: Axis | None, name: str, ends: tuple[float, float]) -> None:
    if axis is None:
        axes.set(**{f"{name}lim": ends, f"{name}ticks": []})
        return
    axes.set(**{f"{name}scale": "log" if axis.log else "linear", f"{name}lim": ends})
    on = axes.xaxis if name == "x" else axes.yaxis
    on.set_label_text(clean(axis.name), color=INK, fontsize=SMALL)
    if axis.ticks:
        positions, texts = zip(*axis.ticks, strict=True)
        on.set_ticks(positions, [label_text(text, LONGEST_TICK) for text in texts])
        on.set_ticks([], minor=True)
    if axis.grid:
        axes.grid(axis=name, color=PALE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(axis=name, color=FAINT, labelcolor=INK)
    for side in axes.spines.values():
        side.set_color(FAINT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _marker(group: int) -> str:
    return MARKERS[max(group, 0) // 8 % len(MARKERS)]


def _points(axes: Any, points: Points) -> None:
    if not points.dotted:
        return
    for group in sorted({points.group(i) for i in range(len(points.labels))}):
        for hollow in (False, True):
            of = [
                i
                for i in range(len(points.labels))
                if points.group(i) == group and points.is_hollow(i) == hollow
            ]  # fmt: skip
            colour = colour_of(group)
            axes.scatter(
                *points.xy[of].T, marker=_marker(group), s=[_area(points, i) for i in of],
                facecolor="white" if hollow else colour, edgecolor=colour, linewidth=_OUTLINE, zorder=4,
            )  # fmt: skip


def _area(points: Points, i: int) -> float:
    """Return the area of a dot in matplotlib's unit, square points."""
    return 46 if points.is_head(i) else 26 if len(points.labels) <= CROWD else 9


def _lines(axes: Any, lines: Lines) -> None:
    if lines.style == "arrow":
        for i, (start, end) in enumerate(lines.ends):
            arrow = {"arrowstyle": "-|>", "color": lines.colour(i), "linewidth": 1.6, "shrinkA": 4, "shrinkB": 4}
            axes.annotate("", end, start, arrowprops=arrow, zorder=3)
        return
    for i, (start, end) in enumerate(lines.ends):
        strength = lines.strengths[i] if lines.strengths else 0.3
        styles: dict[str, dict[str, Any]] = {
            "link": {"linewidth": 0.6 + 2.4 * strength, "alpha": 0.35 + 0.5 * strength},
            "interval": {"linewidth": 1.8, "alpha": 0.55},
            "guide": {"linewidth": 1.0, "linestyle": (0, (4, 3))},
        }
        depth = _GUIDE if lines.style == "guide" else 2
        axes.plot(*np.stack([start, end], axis=1), color=lines.colour(i), zorder=depth, **styles[lines.style])


def _curve(axes: Any, curve: Curve) -> None:
    marker = "o" if len(curve.xy) <= _FEW else ""
    axes.plot(*curve.xy.T, color=colour_of(curve.group), linewidth=1.8, marker=marker, markersize=4, zorder=3)


def _heat(axes: Any, heat: Heat) -> None:
    colours = import_extra("matplotlib.colors", PURPOSE, "plots").LinearSegmentedColormap.from_list(
        "firth", list(heat.scale)
    )
    count = max(len(heat.labels), len(heat.across))
    image = axes.imshow(heat.values, cmap=colours, vmin=heat.low, vmax=heat.high, aspect="equal", zorder=1)
    axes.set_ylim(len(heat.labels) - 0.5, -0.5)
    size = label_size(count)
    axes.tick_params(length=0, labelsize=size)
    axes.tick_params(axis="x", rotation=90)
    for side in axes.spines.values():
        side.set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.6, aspect=18, pad=0.02)
    bar.set_label(heat.name, color=INK)
    bar.outline.set_visible(False)
    if count <= WRITTEN:
        for (row, column), value in np.ndenumerate(heat.values):
            axes.text(column, row, f"{value:z.2f}", ha="center", va="center", fontsize=size - 2, color=ink_on(value))


def label_size(count: int) -> float:
    """Return the font size of the labels of a heat map with `count` rows, in points."""
    return float(np.clip(330 / count, 5, SMALL))


def ink_on(value: float) -> str:
    """Return the text colour for a number on the colour of a cosine."""
    return "white" if abs(value) > 0.6 else INK


_DRAW: dict[type, Any] = {Points: _points, Lines: _lines, Curve: _curve, Heat: _heat}


def _label(figure: Any, axes: Any, picture: Picture) -> None:
    """Put labels on the finished figure, in pixels, because the sizes of texts are known only now."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    box = axes.get_window_extent()
    corner, edge = np.array([box.x0, box.y0]), np.array([box.width, box.height])
    if picture.equal:
        (left, below), (right, above) = equal_scale(*limits(picture), edge)
        axes.set(xlim=(left, right), ylim=(below, above))
    marks = obstacles(picture).transform(lambda points: axes.transData.transform(points) - corner)
    occupied = np.empty((0, 4))
    for mark in picture.marks:
        if isinstance(mark, Points) and (order := priority(mark)):
            anchors = axes.transData.transform(mark.xy) - corner
            artists = {i: _text(axes, mark, i) for i in order}
            sizes = _sizes(figure, artists, mark)
            radii = np.array([(_area(mark, i) ** 0.5 / 2 + _OUTLINE / 2) * DPI / 72 for i in range(len(anchors))])
            placement = place_labels(mark, anchors, sizes, radii, edge, marks, occupied)
            _put(axes, mark, artists, anchors, placement, sizes, edge)
            occupied = np.concatenate([occupied, np.hstack([placement.middles, sizes])[placement.shown]])


def _text(axes: Any, points: Points, i: int) -> Any:
    style: dict[str, Any] = {"fontsize": SMALL}
    if points.is_head(i):
        style = {"fontsize": LARGE if not points.dotted else SMALL + 1, "fontweight": "bold"}
    return axes.text(
        0, 0, label_text(points.labels[i]), color=colour_of(points.group(i)), ha="center", va="center",
        transform=axes.transAxes, zorder=5, **style,
    )  # fmt: skip


def _sizes(figure: Any, artists: Mapping[int, Any], points: Points) -> Floats:
    renderer = figure.canvas.get_renderer()
    room = (4, 2) if points.dotted else (10, 4)
    sizes = np.zeros((len(points.labels), 2))
    for i, text in artists.items():
        extent = text.get_window_extent(renderer)
        sizes[i] = extent.width + room[0], extent.height + room[1]
    return sizes


def _put(
    axes: Any,
    points: Points,
    artists: Mapping[int, Any],
    anchors: Floats,
    spots: Placement,
    sizes: Floats,
    edge: Floats,
) -> None:
    """Move labels to their places; each gets a halo, and a distant one a line to its dot."""
    patches = import_extra("matplotlib.patches", PURPOSE, "plots")
    for i, text in artists.items():
        colour, middle = colour_of(points.group(i)), spots.middles[i]
        if not spots.shown[i]:
            text.remove()
            if not points.dotted:
                axes.plot(*anchors[i] / edge, ".", color=colour, markersize=4, transform=axes.transAxes, zorder=2)
            continue
        text.set_position(middle / edge)
        lower, extent = (middle - sizes[i] / 2) / edge, sizes[i] / edge
        halo = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "transform": axes.transAxes, "zorder": _HALO}
        axes.add_patch(patches.Rectangle(lower, *extent, **halo))
        if spots.led[i] or not points.dotted:
            line = _leader(anchors[i], middle, sizes[i])
            if line is not None:
                axes.plot(*(line / edge).T, color=FAINT, linewidth=0.8, transform=axes.transAxes, zorder=_GUIDE)


def _leader(anchor: Floats, middle: Floats, size: Floats) -> Floats | None:
    """Return the line from a point to the edge of its label, (2, 2); None if it is too short to be visible."""
    way = middle - anchor
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = float(np.nanmin(np.where(way == 0, np.inf, size / 2 / np.abs(way))))
    if inside >= 1 or np.hypot(*way) * (1 - inside) < _SHORTEST:
        return None
    return np.stack([anchor, middle - way * inside])
