"""Labels of pictures: cleans, measures and places them without collisions."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from firth.plots.layout import separate
from firth.plots.picture import FADED, Curve, Floats, Lines, Picture, Points

LONGEST = 40  # characters of a label; a longer word ends in "…"
LONGEST_TICK = 60  # characters of a tick label
_HIDDEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}  # control characters, surrogates, unassigned characters, line ends
MAX_LABELS = 1000  # labels to place
BOLD = 1.12  # width of bold text relative to normal text
CROWD = 200  # with more points, dots are small and labels must not cover any
FEW = 60  # points in colour, up to which their labels may cover faded dots
_MOST_COVERED = 1  # dots that a label may cover if there is no crowd; labels of heads may cover more
_GAP = 3.0  # pixels between a dot and its label
_RING = 16.0  # pixels that a label moves outward, with a line to its dot, if there is no room near the dot
_RINGS = 3
_SAMPLES = 60  # points of a line that labels avoid
# Widths in ems of a wide sans serif: estimates must not be below the width on screen.
_NARROW, _USUAL, _WIDE, _FULL = 0.42, 0.66, 1.0, 1.05


def clean(text: str) -> str:
    """Return a text with characters that cannot be displayed replaced by their codes."""
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in _HIDDEN else letter
        for letter in text
    )


def label_text(word: str, longest: int = LONGEST) -> str:
    """Return a word as a label: cleaned, and truncated if it is too long."""
    text = clean(word[: longest + 1])
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def text_width(text: str, size: float) -> float:
    """Return an upper estimate of a text's width, in the unit of `size`."""
    return size * sum(_letter_width(letter) for letter in text)


def wrap(text: str, size: float, width: float) -> list[str]:
    """Return a text in lines of at most `width`, in the unit of `size`; long words are split."""
    lines = [""]
    for word in text.split():
        letters = max(1, int(len(word) * width / max(text_width(word, size), 1e-9)))
        for part in (word[i : i + letters] for i in range(0, len(word), letters)):
            longer = f"{lines[-1]} {part}".lstrip()
            if text_width(longer, size) <= width or not lines[-1]:
                lines[-1] = longer
            else:
                lines.append(part)
    return lines


def legend_room(groups: Sequence[str], size: float) -> float:
    """Return an estimate of a legend's width, in the unit of `size`; 0 without groups."""
    return max((text_width(label_text(name), size) for name in groups), default=-4 * size) + 4 * size


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter) or unicodedata.category(letter) in {"Mn", "Cf"}:
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _FULL
    if letter in "ijlftrI.,:;'|!()[] ":
        return _NARROW
    return _WIDE if letter in "mwMW%@—…" else _USUAL if letter.islower() or letter.isdigit() else 0.8


@dataclass(frozen=True)
class Placement:
    """The positions of labels.

    Attributes:
        middles: (n, 2) their centres.
        shown: (n,) whether there was room for the label.
        led: (n,) whether the label is so far from its dot that it needs a line.
    """

    middles: Floats
    shown: npt.NDArray[np.bool_]
    led: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Obstacles:
    """What labels should not cover.

    Attributes:
        lines: (k, 2) points on lines and curves.
        dots: (m, 2) positions of dots.
    """

    lines: Floats
    dots: Floats

    def transform(self, function: Callable[[Floats], Floats]) -> "Obstacles":
        """Return the obstacles in other coordinates."""
        return Obstacles(function(self.lines), function(self.dots))


def priority(points: Points) -> list[int]:
    """Return the points in the order in which labels are placed: heads first, faded ones last, at most MAX_LABELS."""
    if not points.labelled:
        return []
    ranks = [(not points.is_head(i), points.group(i) == FADED) for i in range(len(points.labels))]
    return sorted(range(len(points.labels)), key=ranks.__getitem__)[:MAX_LABELS]


def _prominent(points: Points) -> set[int]:
    """Return the points whose labels may cover dots: heads, and a few among many faded ones."""
    bright = {i for i in range(len(points.labels)) if points.group(i) != FADED}
    few = bright if len(bright) <= FEW < len(points.labels) - len(bright) else set()
    return few | {i for i in range(len(points.labels)) if points.is_head(i)}


def obstacles(picture: Picture) -> Obstacles:
    """Return what labels of a picture should not cover, in the picture's coordinates."""
    lines, dots = [np.empty((0, 2))], [np.empty((0, 2))]
    steps = np.linspace(0, 1, _SAMPLES)[:, None]
    for mark in picture.marks:
        if isinstance(mark, Lines) and mark.style != "guide":
            lines += [start + steps * (end - start) for start, end in mark.ends]
        elif isinstance(mark, Curve):
            lines += [start + steps * (end - start) for start, end in pairwise(mark.xy)]
        elif isinstance(mark, Points) and mark.dotted:
            dots.append(mark.xy.reshape(-1, 2))
    return Obstacles(np.concatenate(lines), np.concatenate(dots))


def place_labels(
    points: Points,
    anchors: Floats,
    sizes: Floats,
    radii: Floats,
    box: npt.ArrayLike,
    marks: Obstacles,
    occupied: Floats | None = None,
) -> Placement:
    """Place labels without collisions.

    Args:
        anchors: (n, 2) their positions, in pixels from a corner of the box.
        sizes: (n, 2) widths and heights of the labels, in pixels; only those from `priority` are used.
        radii: (n,) of the points' dots, in pixels.
        marks: what labels should not cover, in pixels.
        occupied: (t, 4) centres and sizes of earlier labels.

    Returns:
        Positions within the box; of two labels that would touch, only the one of higher priority is shown.
    """
    edge = np.asarray(box, dtype=np.float64)
    order = priority(points)
    if points.dotted:
        fixed = np.empty((0, 4)) if occupied is None else occupied
        heads = _prominent(points)
        crowded = {*order} - heads if len(order) > CROWD else set[int]()
        return _beside(order, anchors, sizes, radii, edge, marks, fixed, crowded, heads)
    middles = np.clip(separate(anchors, sizes), sizes / 2, edge - sizes / 2)
    shown = np.zeros(len(anchors), dtype=bool)
    for i in order:
        shown[i] = not _touches(middles[i], sizes[i], middles[shown], sizes[shown])
    return Placement(middles, shown, np.zeros(len(anchors), dtype=bool))


def _touches(middle: Floats, size: Floats, middles: Floats, sizes: Floats) -> bool:
    reach = (size + sizes) / 2 - 0.5  # half a pixel is invisible
    return bool((np.abs(middle - middles) < reach).all(axis=1).any())


def _beside(
    order: list[int],
    anchors: Floats,
    sizes: Floats,
    radii: Floats,
    edge: Floats,
    marks: Obstacles,
    occupied: Floats,
    crowded: set[int],
    heads: set[int],
) -> Placement:
    """Put each label on the side of its dot where it covers least, if some side is free of other labels."""
    middles, shown, led = anchors.copy(), np.zeros(len(anchors), dtype=bool), np.zeros(len(anchors), dtype=bool)
    widest = float(radii.max(initial=0.0))
    for i in order:
        best = np.inf
        fixed = np.concatenate([middles[shown], occupied[:, :2]]), np.concatenate([sizes[shown], occupied[:, 2:]])
        for ring, (rank, side) in product(range(1 if i in crowded else _RINGS), enumerate(_SIDES)):
            gap = radii[i] + _GAP + ring * _RING
            middle = anchors[i] + side * (sizes[i] / 2 + (gap, gap if ring or not side[0] else gap / 2))
            if (np.abs(middle - edge / 2) + sizes[i] / 2 > edge / 2).any() or _touches(middle, sizes[i], *fixed):
                continue
            dots, lines = _covered(middle, sizes[i] / 2 + widest, marks)
            dots += _crossed(anchors[i], middle, marks.dots, widest) if ring else 0
            cost = 4 * dots + 0.5 * lines + 1.5 * ring + 0.1 * rank
            if cost < best and (dots <= (0 if i in crowded else _MOST_COVERED) or i in heads):
                best, middles[i], shown[i], led[i] = cost, middle, True, ring > 0
    return Placement(middles, shown, led)


def _covered(middle: Floats, half: Floats, marks: Obstacles) -> tuple[int, int]:
    """Return the numbers of dots and of points on lines that a label covers."""
    dots, lines = (int((np.abs(points - middle) < half).all(axis=1).sum()) for points in (marks.dots, marks.lines))
    return dots, lines


def _crossed(anchor: Floats, middle: Floats, dots: Floats, radius: float) -> int:
    """Return the number of other dots on the line from a dot to its label."""
    way = middle - anchor
    along = np.clip((dots - anchor) @ way / (way @ way), 0, 1)
    near = np.hypot(*(anchor + along[:, None] * way - dots).T) < radius
    return int((near & (np.hypot(*(dots - anchor).T) > 0.5)).sum())


# Right, left, above, below, and the corners.
_SIDES = np.array([[1, 0.6], [1, 0], [-1, 0], [-1, 0.6], [0, 1], [0, -1], [1, -0.6], [-1, -0.6]])
