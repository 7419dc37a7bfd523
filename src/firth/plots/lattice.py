"""The lattice of a text: its units over the tokens, by length and probability, and its best segmentation."""

from html import escape
from typing import Any

from firth.errors import ArgumentTypeError, OptionError, brief
from firth.plots.drawing import FONT, Drawing
from firth.plots.labels import text_width
from firth.plots.picture import COLOURS, INK

WORD, SMALL = 13, 11  # pixels
ROW, GAP, MARGIN = 24, 4, 12  # pixels
LEAST = 0.001  # probability of a unit that is drawn


def lattice(found: Any, *, least: float = LEAST, title: str | None = None) -> Drawing:
    """Return a lattice as a drawing: a box per unit, darker if it is more probable; the best path has a frame.

    The box of a unit spans its tokens; longer units are higher. In a terminal, the best path is written with bars
    between its units, and its most probable rivals below it.

    Args:
        found: of `model.lattice(text)`.
        least: probability, given the text, from which on a unit is drawn.
        title: by default the text.

    Raises:
        ArgumentTypeError: it is not a lattice.
        OptionError: `least` is not a probability.
    """
    if not hasattr(found, "best_path"):
        raise ArgumentTypeError(f"found: found {brief(found)}; expected model.lattice(text)")
    if not 0 <= least <= 1:
        raise OptionError(f"least={least!r}: expected a probability, from 0 to 1")
    best = {(edge.start, edge.stop, edge.sense) for edge in found.best_path}
    shown = [edge for edge in found.edges if edge.probability >= least or _key(edge) in best]
    senses = 1 + max(edge.sense for edge in found.edges)
    tokens = {edge.start: edge.text for edge in found.edges if edge.stop - edge.start == 1}
    widths = [max(text_width(_seen(tokens[i]), WORD) + 10, 22) for i in range(len(found.tokens))]
    lefts = [MARGIN + sum(widths[:i]) for i in range(len(widths) + 1)]
    levels = max(edge.stop - edge.start for edge in shown) * senses
    parts = []
    for edge in shown:
        level = (edge.stop - edge.start - 1) * senses + edge.sense
        top, left = MARGIN + (levels - 1 - level) * ROW, lefts[edge.start] + GAP / 2
        width = lefts[edge.stop] - lefts[edge.start] - GAP
        frame = ' class="best"' if _key(edge) in best else ""
        label = f"{_seen(edge.text)}: {edge.probability:.3f}"
        parts.append(
            f"<g{frame}><title>{escape(label)}</title>"
            f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{ROW - GAP}" rx="3" '
            f'fill-opacity="{0.05 + 0.75 * edge.probability:.3f}"/>'
            f'<text x="{left + width / 2:.1f}" y="{top + 14}">{escape(_seen(edge.text))}</text></g>'
        )
    svg = _svg("\n".join(parts), lefts[-1] + MARGIN, levels * ROW + 2 * MARGIN)
    name = title or "".join(edge.text for edge in found.best_path)[:60]
    return Drawing(
        title=name,
        text=_text(found, shown, best),
        body=f'<div class="firth-lattice">{svg}</div>',
        style=".firth-lattice { overflow-x: auto; }",
        svg=svg,
    )


def _key(edge: Any) -> tuple[int, int, int]:
    return edge.start, edge.stop, edge.sense


def _seen(text: str) -> str:
    return text.replace(" ", "\N{OPEN BOX}")


def _text(found: Any, shown: list[Any], best: set[tuple[int, int, int]]) -> str:
    """The best path, and below it the other units by their probability."""
    rivals = sorted((edge for edge in shown if _key(edge) not in best), key=lambda edge: -edge.probability)[:10]
    lines = [" | ".join(_seen(edge.text) for edge in found.best_path)]
    lines += [f"{edge.probability:6.3f}  {edge.start:3d}  {_seen(edge.text)}" for edge in rivals]
    return "\n".join(lines)


def _svg(inner: str, width: float, height: float) -> str:
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" \
viewBox="0 0 {width:.0f} {height:.0f}" role="img"><style>
text {{ font: {WORD}px {FONT}; fill: {INK}; text-anchor: middle; }}
rect {{ fill: {COLOURS[0]}; stroke: none; }} .best rect {{ stroke: {COLOURS[1]}; stroke-width: 2; }}
</style><path fill="white" d="M0 0H{width:.0f}V{height:.0f}H0z"/>
{inner}
</svg>"""
