"""Pictures as one page of HTML, by plotly: everything is inside, and nothing is fetched when it is opened."""

import html
import json
from typing import Any

import numpy as np

from firth.plots.extras import library
from firth.plots.labels import (
    BOLD,
    LONGEST_TICK,
    clean,
    legend_room,
    obstacles,
    place,
    priority,
    shown_text,
    text_width,
    wrapped,
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
    levelled,
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
# Of plotly's buttons those that look closer and those that keep a picture; none sends anything anywhere.
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
    """Return a picture as a page: the library that draws it (4.8 MB), the drawing, and the plotted numbers as JSON.

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
    """JSON that may stand within a page: a word may read "</script>"."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def drawing(picture: Picture) -> Json:
    """Return what plotly draws: data, layout and config, as its own JSON."""
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
    """Where the plane of a picture lies on the page, in pixels."""

    def __init__(self, picture: Picture) -> None:
        self.width, self.height = (round(side * PER_INCH) for side in picture.size)
        room = self.width - 20
        self.title = wrapped(clean(picture.title), LARGE * PER_POINT * BOLD, room) if picture.title else []
        self.caption = wrapped(clean(picture.caption), 0.93 * CAPTION, room) if picture.caption else []
        self.left = 20 + _tick_room(picture.y) + (30 if picture.y and picture.y.name else 0)
        self.right = 20 + round(legend_room(picture.groups, SMALL * PER_POINT))
        self.top = 45 + 26 * len(self.title)  # the buttons stand above
        self.below = 20 + 20 * len(self.caption) + (50 if picture.x else 0)
        for mark in picture.marks:
            if isinstance(mark, Heat):
                size = heat_size(mark)
                longest = max(text_width(shown_text(label), size) for label in mark.labels)
                self.below += round(longest) - 20
                self.right += 90
        self.low, self.high = _scaled(limits(picture), picture)
        if picture.equal:
            self.low, self.high = levelled(self.low, self.high, self.plane)

    @property
    def plane(self) -> Floats:
        """Width and height of the plane, (2,)."""
        return np.array([self.width - self.left - self.right, self.height - self.top - self.below], dtype=np.float64)

    def pixels(self, places: Floats, picture: Picture) -> Floats:
        """Places on the page, from the lower left corner of the plane: (n, 2)."""
        low, high = self.low, self.high
        return (_scaled((places, places), picture)[0] - low) / (high - low) * self.plane


def _scaled(ends: tuple[Floats, Floats], picture: Picture) -> tuple[Floats, Floats]:
    """Places as plotly's ranges and annotations count them: logarithms on an axis of ratios."""
    made = [np.array(end, dtype=np.float64) for end in ends]
    for i, axis in enumerate((picture.x, picture.y)):
        if axis is not None and axis.log:
            for end in made:
                end[..., i] = np.log10(end[..., i])
    return made[0], made[1]


def _tick_room(axis: Axis | None) -> int:
    if axis is None:
        return 0
    if not axis.ticks:
        return 50
    return 10 + round(max(text_width(shown_text(text, LONGEST_TICK), SMALL * PER_POINT) for _, text in axis.ticks))


def _axis(axis: Axis | None, low: float, high: float) -> Json:
    if axis is None:
        return {"visible": False, "range": [low, high]}
    made: Json = {
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
        made |= {
            "tickvals": [place for place, _ in axis.ticks],
            "ticktext": [safe(text, LONGEST_TICK) for _, text in axis.ticks],
        }
    return made


def _around(picture: Picture, space: _Space) -> list[Json]:
    """Title and caption."""
    common = {"xref": "paper", "yref": "paper", "showarrow": False, "align": "left", "xanchor": "left", "x": 0}
    made: list[Json] = []
    if space.title:
        text = f"<b>{'<br>'.join(html.escape(line, quote=False) for line in space.title)}</b>"
        font = {"size": LARGE * PER_POINT}
        shifts = {"xshift": 10 - space.left, "yshift": 10}
        made.append({**common, **shifts, "y": 1, "yanchor": "bottom", "text": text, "font": font})
    if space.caption:
        text = "<br>".join(html.escape(line, quote=False) for line in space.caption)
        place = {"y": 0, "yanchor": "bottom", "xshift": 10 - space.left, "yshift": 5 - space.below}
        made.append({**common, **place, "text": text, "font": {"size": CAPTION, "color": "#555555"}})
    return made


def _labels(picture: Picture, space: _Space) -> list[Json]:
    """Labels as annotations, put where they do not collide at the size that the page opens in."""
    made: list[Json] = []
    others, taken = obstacles(picture).moved(lambda places: space.pixels(places, picture)), np.empty((0, 4))
    for mark in picture.marks:
        if isinstance(mark, Points) and (tried := priority(mark)):
            anchors, sizes = space.pixels(mark.xy, picture), np.zeros((len(mark.labels), 2))
            sizes[tried] = [label_size(mark, i) for i in tried]
            radii = np.array([dot_radius(mark, i) for i in range(len(mark.labels))])
            placed = place(mark, anchors, sizes, radii, space.plane.tolist(), others, taken)
            taken = np.concatenate([taken, np.hstack([placed.middles, sizes])[placed.shown]])
            spots = _scaled((mark.xy, mark.xy), picture)[0]
            shifts = placed.middles - anchors
            shown = np.flatnonzero(placed.shown).tolist()
            made += [
                annotation(mark, i, (spots[i, 0], spots[i, 1]), (shifts[i, 0], shifts[i, 1]), led=bool(placed.led[i]))
                for i in shown
            ]
    return made
