"""Pictures of methods: columns of boxes with arrows from each column to the next, as SVG in the colours of the page."""

from html import escape
from itertools import pairwise

BOX, GAP, LINE, PAD = 170, 60, 18, 12  # width of a box, space between columns, height of a line of text, padding
TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs>'
)


def picture(columns: list[list[str]], title: str) -> str:
    """Return a drawing of columns of boxes.

    Args:
        columns: the texts of the boxes of each column; a line feed breaks a text.
        title: what the picture shows, for readers who cannot see it.
    """
    heights = [[LINE * (text.count("\n") + 1) + 2 * PAD for text in column] for column in columns]
    height = max(sum(column) + PAD * (len(column) - 1) for column in heights) + 2
    width = len(columns) * BOX + (len(columns) - 1) * GAP + 2
    boxes = [_places(column, i * (BOX + GAP) + 1, height) for i, column in enumerate(heights)]
    marks = [
        _arrow(left[0] + BOX, left[1], right[0], right[1]) for a, b in pairwise(boxes) for left in a for right in b
    ]
    for places, texts in zip(boxes, columns, strict=True):
        marks += [_box(*place, text) for place, text in zip(places, texts, strict=True)]
    shown = "; then ".join(", ".join(text.replace("\n", " ") for text in column) for column in columns)
    label = escape(f"{title}: {shown}")
    style = f"min-width:{width * 3 // 4}px; max-width:{width}px"
    return (
        f'<div class="picture"><svg class="method" role="img" aria-label="{label}" viewBox="0 0 {width} {height}" '
        f'style="{style}">{TIP}{"".join(marks)}</svg></div>'
    )


def _places(heights: list[int], x: int, height: int) -> list[tuple[float, float, int]]:
    """Left edge, middle and height of the boxes of a column, centred."""
    y = (height - sum(heights) - PAD * (len(heights) - 1)) / 2
    places = []
    for each in heights:
        places.append((x, y + each / 2, each))
        y += each + PAD
    return places


def _box(x: float, middle: float, height: int, text: str) -> str:
    lines = text.split("\n")
    first = middle - LINE * (len(lines) - 1) / 2
    words = "".join(
        f'<text x="{x + BOX / 2}" y="{first + i * LINE}">{escape(line)}</text>' for i, line in enumerate(lines)
    )
    return f'<rect x="{x}" y="{middle - height / 2}" width="{BOX}" height="{height}" rx="6"/>{words}'


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    bend = (x2 - x1) / 2
    return f'<path class="arrow" d="M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}" marker-end="url(#tip)"/>'
