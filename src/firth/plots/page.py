"""Draws pictures as self-contained HTML pages with plotly; a page loads nothing from the network."""

import html
import json
from typing import Any

import numpy as np

from firth.plots.extras import library
from firth.plots.labels import (
    BOLD,
    LONGEST_TICK,
    clean,
    label_text,
    legend_room,
    obstacles,
    place,
    priority,
    text_width,
    wrap,
)
from firth.plots.picture import (
    FAINT,
    INK,
    LARGE,
    PALE,
    SMALL,
    Axis,
    Curve,
    Floats,
    Heat,
    Picture,
    Points,
    equal_scale,
    limits,
)
from firth.plots.traces import (
    PER_INCH,
    PER_POINT,
    Json,
    annotation,
    arrows,
    curve_trace,
    dot_radius,
    heat_size,
    heat_trace,
    label_size,
    legend_traces,
    line_traces,
    points_traces,
    safe,
)

CAPTION = 12  # pixels
FONT = '"DejaVu Sans", Verdana, "Noto Sans", sans-serif'
# Plotly's buttons for zooming and saving; none sends data.
BUTTONS = ["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"]
CONFIG = {"displaylogo": False, "responsive": False, "scrollZoom": True, "modeBarButtons": [BUTTONS]}

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ margin: 0; background: white; }}</style>
</head>
<body>
<div id="figure"></div>
<script>{library}</script>
<script type="application/json" id="rows">{rows}</script>
<script type="application/json" id="drawing">{drawing}</script>
<script>
const drawing = JSON.parse(document.getElementById("drawing").textContent);
Plotly.newPlot("figure", drawing.data, drawing.layout, drawing.config);
</script>
</body>
</html>
"""


def render(picture: Picture) -> str:
    """Return a picture as a page: plotly's library (4.8 MB), the drawing, and the plotted numbers as JSON.

    Raises:
        MissingExtraError: plotly is not installed.
    """
    source = library("plotly.offline", "draw a page").get_plotlyjs()
    return PAGE.format(
        title=html.escape(clean(picture.title) or picture.kind),
        library=source,
        rows=_embedded(list(picture.rows)),
        drawing=_embedded(drawing(picture)),
    )


def _embedded(value: Any) -> str:
    """JSON that is safe inside a page: a word may be "</script>"."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def drawing(picture: Picture) -> Json:
    """Return plotly's data, layout and config."""
    space = _Space(picture)
    layout: Json = {
        "width": space.width,
        "height": space.height,
        "margin": {"l": space.left, "r": space.right, "t": space.top, "b": space.below, "autoexpand": False},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "font": {"family": FONT, "size": SMALL * PER_POINT, "color": INK},
        "hovermode": "closest",
        "showlegend": bool(picture.groups),
        "legend": {"itemsizing": "constant", "x": 1.01, "y": 1, "itemclick": False, "itemdoubleclick": False},
        "xaxis": _axis(picture.x, space.low[0], space.high[0]),
        "yaxis": _axis(picture.y, space.low[1], space.high[1]),
        "annotations": [*_around(picture, space), *_labels(picture, space)],
    }
    data = legend_traces(picture)
    for mark in picture.marks:
        if isinstance(mark, Heat):
            data.append(heat_trace(mark))
            layout["yaxis"] |= {"autorange": "reversed"}
            layout["xaxis"] |= {"tickangle": -90}
            for axis in ("xaxis", "yaxis"):
                layout[axis] |= {"tickfont": {"size": heat_size(mark)}, "showgrid": False}
        elif isinstance(mark, Curve):
            data.append(curve_trace(mark))
        elif isinstance(mark, Points):
            data += points_traces(mark)
        elif mark.style == "arrow":
            layout["annotations"] += arrows(mark)
        else:
            data += line_traces(mark)
    return {"data": data, "layout": layout, "config": CONFIG}


class _Space:
    """The position of a picture's plane on the page, in pixels."""

    def __init__(self, picture: Picture) -> None:
        self.width, self.height = (round(side * PER_INCH) for side in picture.size)
        room = self.width - 20
        self.title = wrap(clean(picture.title), LARGE * PER_POINT * BOLD, room) if picture.title else []
        self.caption = wrap(clean(picture.caption), 0.93 * CAPTION, room) if picture.caption else []
        self.left = 20 + _tick_room(picture.y) + (30 if picture.y and picture.y.name else 0)
        self.right = 20 + round(legend_room(picture.groups, SMALL * PER_POINT))
        self.top = 45 + 26 * len(self.title)  # the buttons stand above
        self.below = 20 + 20 * len(self.caption) + (50 if picture.x else 0)
        for mark in picture.marks:
            if isinstance(mark, Heat):
                size = heat_size(mark)
                longest = max(text_width(label_text(label), size) for label in mark.across)
                self.below += round(longest) - 20
                self.right += 90
        self.low, self.high = _scaled(limits(picture), picture)
        if picture.equal:
            self.low, self.high = equal_scale(self.low, self.high, self.plane)

    @property
    def plane(self) -> Floats:
        """Width and height of the plane, (2,)."""
        return np.array([self.width - self.left - self.right, self.height - self.top - self.below], dtype=np.float64)

    def pixels(self, places: Floats, picture: Picture) -> Floats:
        """Positions in pixels from the lower left corner of the plane: (n, 2)."""
        low, high = self.low, self.high
        return (_scaled((places, places), picture)[0] - low) / (high - low) * self.plane


def _scaled(ends: tuple[Floats, Floats], picture: Picture) -> tuple[Floats, Floats]:
    """Positions in the coordinates of plotly's ranges and annotations: logarithms on a logarithmic axis."""
    scaled = [np.array(end, dtype=np.float64) for end in ends]
    for i, axis in enumerate((picture.x, picture.y)):
        if axis is not None and axis.log:
            for end in scaled:
                end[..., i] = np.log10(end[..., i])
    return scaled[0], scaled[1]


def _tick_room(axis: Axis | None) -> int:
    if axis is None:
        return 0
    if not axis.ticks:
        return 50
    return 10 + round(max(text_width(label_text(text, LONGEST_TICK), SMALL * PER_POINT) for _, text in axis.ticks))


def _axis(axis: Axis | None, low: float, high: float) -> Json:
    if axis is None:
        return {"visible": False, "range": [low, high]}
    settings: Json = {
        "range": [low, high],
        "title": {"text": html.escape(clean(axis.name), quote=False), "standoff": 12},
        "type": "log" if axis.log else "linear",
        "showgrid": axis.grid,
        "gridcolor": PALE,
        "linecolor": FAINT,
        "zeroline": False,
        "automargin": False,
    }
    if axis.ticks:
        settings |= {
            "tickvals": [place for place, _ in axis.ticks],
            "ticktext": [safe(text, LONGEST_TICK) for _, text in axis.ticks],
        }
    return settings


def _around(picture: Picture, space: _Space) -> list[Json]:
    """Title and caption."""
    common = {"xref": "paper", "yref": "paper", "showarrow": False, "align": "left", "xanchor": "left", "x": 0}
    annotations: list[Json] = []
    if space.title:
        text = f"<b>{'<br>'.join(html.escape(line, quote=False) for line in space.title)}</b>"
        font = {"size": LARGE * PER_POINT}
        shifts = {"xshift": 10 - space.left, "yshift": 10}
        annotations.append({**common, **shifts, "y": 1, "yanchor": "bottom", "text": text, "font": font})
    if space.caption:
        text = "<br>".join(html.escape(line, quote=False) for line in space.caption)
        place = {"y": 0, "yanchor": "bottom", "xshift": 10 - space.left, "yshift": 5 - space.below}
        annotations.append({**common, **place, "text": text, "font": {"size": CAPTION, "color": "#555555"}})
    return annotations


def _labels(picture: Picture, space: _Space) -> list[Json]:
    """Labels as annotations, placed without collisions at the page's initial size."""
    annotations: list[Json] = []
    others, occupied = obstacles(picture).transform(lambda places: space.pixels(places, picture)), np.empty((0, 4))
    for mark in picture.marks:
        if isinstance(mark, Points) and (order := priority(mark)):
            anchors, sizes = space.pixels(mark.xy, picture), np.zeros((len(mark.labels), 2))
            sizes[order] = [label_size(mark, i) for i in order]
            radii = np.array([dot_radius(mark, i) for i in range(len(mark.labels))])
            layout = place(mark, anchors, sizes, radii, space.plane.tolist(), others, occupied)
            occupied = np.concatenate([occupied, np.hstack([layout.middles, sizes])[layout.shown]])
            spots = _scaled((mark.xy, mark.xy), picture)[0]
            shifts = layout.middles - anchors
            shown = np.flatnonzero(layout.shown).tolist()
            annotations += [
                annotation(mark, i, (spots[i, 0], spots[i, 1]), (shifts[i, 0], shifts[i, 1]), led=bool(layout.led[i]))
                for i in shown
            ]
    return annotations
