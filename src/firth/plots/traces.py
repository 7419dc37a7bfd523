"""The marks of a picture as plotly's traces and annotations, in its JSON."""

import html
import math
from typing import Any

import numpy as np

from firth.plots.labels import BOLD, CROWD, LONGEST, label_text, text_width
from firth.plots.picture import FAINT, LARGE, SMALL, WRITTEN, Curve, Floats, Heat, Lines, Picture, Points, colour_of

PER_INCH = 100  # pixels
PER_POINT = PER_INCH / 72 * 0.9  # pixels per point of font size, reduced because fonts of pages are wide
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "star")
_HIDDEN_DOT = 14  # pixels around the centre of a label that show the hover text
_STEPS = 4  # number of line widths of links

Json = dict[str, Any]


def safe(text: str, longest: int = LONGEST) -> str:
    """A label escaped for plotly, which interprets some HTML."""
    return html.escape(label_text(text, longest), quote=False)


def points_traces(points: Points) -> list[Json]:
    """One trace per colour."""
    traces = []
    for group in sorted({points.group(i) for i in range(len(points.labels))}):
        of = [i for i in range(len(points.labels)) if points.group(i) == group]
        symbol = _symbol(group)
        marker: Json = {
            "color": colour_of(group),
            "symbol": [f"{symbol}-open" if points.is_hollow(i) else symbol for i in of],
            "size": [_dot_size(points, i) for i in of],
            "opacity": 1,
            "line": {"width": 1.5, "color": colour_of(group)},
        }
        if not points.dotted:
            marker |= {"size": _HIDDEN_DOT, "opacity": 0}
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                **_split(points.xy[of]),
                "text": [safe(points.labels[i]) for i in of],
                "hovertemplate": "%{text}<extra></extra>",
                "marker": marker,
                "showlegend": False,
            }
        )
    return traces


def legend_traces(picture: Picture) -> list[Json]:
    """Traces of nothing but their names: a group whose points have no dots has a colour all the same."""
    return [
        {
            "type": "scatter", "mode": "markers", "x": [None], "y": [None], "name": safe(name),
            "marker": {"color": colour_of(i), "symbol": _symbol(i), "size": 9},
        }
        for i, name in enumerate(picture.groups)
    ]  # fmt: skip


def _symbol(group: int) -> str:
    return SYMBOLS[max(group, 0) // 8 % len(SYMBOLS)]


def _split(places: Floats) -> Json:
    return {"x": places[:, 0].tolist(), "y": places[:, 1].tolist()}


def curve_trace(curve: Curve) -> Json:
    """Return a curve."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        **_split(curve.xy),
        "name": safe(curve.name),
        "line": {"color": colour_of(curve.group), "width": 2},
        "marker": {"size": 5},
        "showlegend": False,
    }


def line_traces(lines: Lines) -> list[Json]:
    """One trace per line style: a page with a thousand traces would be slow."""
    looks: dict[tuple[str, int], list[int]] = {}
    for i in range(len(lines.ends)):
        strength = lines.strengths[i] if lines.strengths else 0.3
        looks.setdefault((lines.colour(i), round(strength * _STEPS)), []).append(i)
    traces = []
    for (colour, step), of in looks.items():
        strength = step / _STEPS
        styles: Json = {
            "link": {"width": 0.8 + 3 * strength},
            "interval": {"width": 2.5},
            "guide": {"width": 1.3, "dash": "dash"},
        }
        opacity = 0.35 + 0.5 * strength if lines.style == "link" else 0.55 if lines.style == "interval" else 1.0
        segments = [[[*start], [*end], [None, None]] for start, end in lines.ends[of].tolist()]
        x, y = zip(*[place for line in segments for place in line], strict=True)
        traces.append(
            {
                "type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "opacity": opacity, "hoverinfo": "skip",
                "line": {"color": colour, **styles[lines.style]}, "showlegend": False,
            }
        )  # fmt: skip
    return traces + ([_middles(lines)] if lines.labels else [])


def _middles(lines: Lines) -> Json:
    """Invisible spots at the centres of lines, with their hover texts."""
    return {
        "type": "scatter",
        "mode": "markers",
        **_split(lines.ends.mean(axis=1)),
        "text": [safe(label) for label in lines.labels],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"size": 10, "opacity": 0},
        "showlegend": False,
    }


def arrows(lines: Lines) -> list[Json]:
    """Return arrows as plotly's annotations."""
    return [
        {
            "x": end[0], "y": end[1], "ax": start[0], "ay": start[1], "xref": "x", "yref": "y", "axref": "x",
            "ayref": "y", "showarrow": True, "arrowhead": 2, "arrowwidth": 2, "arrowcolor": lines.colour(i),
            "standoff": 5, "startstandoff": 5, "text": "",
        }
        for i, (start, end) in enumerate(lines.ends.tolist())
    ]  # fmt: skip


def heat_trace(heat: Heat) -> Json:
    """Return a heat map with numbered rows and columns: two truncated labels may be equal."""
    names, columns = ([safe(label) for label in labels] for labels in (heat.labels, heat.across))
    trace: Json = {
        "type": "heatmap",
        "z": heat.values.tolist(),
        "x": list(range(len(columns))),
        "y": list(range(len(names))),
        "zmin": heat.low,
        "zmax": heat.high,
        "colorscale": [[place, colour] for place, colour in heat.scale],
        "customdata": [
            [f"{one}, {other}: {value:z.3f}" for other, value in zip(columns, row, strict=True)]
            for one, row in zip(names, heat.values.tolist(), strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "colorbar": {"title": {"text": safe(heat.name), "side": "right"}, "thickness": 14, "len": 0.6},
        "xgap": 1,
        "ygap": 1,
    }
    if max(len(names), len(columns)) <= WRITTEN:
        trace |= {"text": [[f"{value:z.2f}" for value in row] for row in heat.values.tolist()]}
        trace |= {"texttemplate": "%{text}", "textfont": {"size": heat_size(heat) - 2}}
    return trace


def heat_size(heat: Heat) -> float:
    """Return the font size of a heat map's labels, in pixels."""
    return float(np.clip(500 / max(len(heat.labels), len(heat.across)), 7, 14))


def _font_size(points: Points, i: int) -> float:
    size = SMALL if not points.is_head(i) else SMALL + 1 if points.dotted else LARGE
    return size * PER_POINT


def label_size(points: Points, i: int) -> tuple[float, float]:
    """Return the maximum width and height of a point's label, in pixels."""
    size = _font_size(points, i)
    bold = BOLD if points.is_head(i) else 1.0
    return text_width(label_text(points.labels[i]), size) * bold + 6, size * 1.3 + 2


def annotation(points: Points, i: int, spot: tuple[float, float], shift: tuple[float, float], *, led: bool) -> Json:
    """Return the label of point i, `shift` pixels (right, up) from `spot` in axis coordinates; `led` adds a line."""
    text = safe(points.labels[i])
    common = {
        "x": spot[0],
        "y": spot[1],
        "text": f"<b>{text}</b>" if points.is_head(i) else text,
        "font": {"size": _font_size(points, i), "color": colour_of(points.group(i))},
        "xanchor": "center",
        "yanchor": "middle",
        "borderpad": 0,
    }
    if not points.dotted:
        common["bgcolor"] = "rgba(255,255,255,0.8)"  # hides guides and lines to labels
    if not led and (points.dotted or math.hypot(*shift) < _HIDDEN_DOT):
        return {**common, "showarrow": False, "xshift": shift[0], "yshift": shift[1]}
    # A displaced label gets a line to its point.
    return {**common, "showarrow": True, "arrowhead": 0, "arrowwidth": 0.8, "arrowcolor": FAINT, "ax": shift[0],
            "ay": -shift[1], "standoff": dot_radius(points, i) if points.dotted else 0}  # fmt: skip


def dot_radius(points: Points, i: int) -> float:
    """Return the radius of a point's dot with its outline, in pixels."""
    return _dot_size(points, i) / 2 + 0.75


def _dot_size(points: Points, i: int) -> int:
    return 10 if points.is_head(i) else 7 if len(points.labels) <= CROWD else 4
