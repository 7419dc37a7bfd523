"""Labels as they are drawn: cleaned of what no picture can show, measured, and put where they do not collide."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from firth.plots.layout import separate
from firth.plots.picture import Curve, Floats, Lines, Picture, Points

LONGEST = 40  # characters of a label; a word that is longer ends in "…"
LONGEST_TICK = 60  # characters of what stands at an axis
_HIDDEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}  # control characters, halves of characters, none at all, line ends
MOST_TRIED = 1000  # labels that a place is looked for
BOLD = 1.12  # times the width of a text in its usual weight
CROWD = 200  # points beyond which dots are small, and a label gives way to them
_MOST_COVERED = 1  # dots that a label may cover, in a crowd none; one that would is not shown, unless it is a head's
_GAP = 3.0  # pixels between a dot and its label
_RING = 16.0  # pixels by which a label goes farther out, on a line that leads to it, where it has no room near its dot
_RINGS = 3
_SAMPLES = 60  # points of a line that labels keep off
# Widths in ems of a wide sans serif; a label must never be wider on screen than it is thought to be.
_NARROW, _USUAL, _WIDE, _FULL = 0.42, 0.66, 1.0, 1.05


def clean(text: str) -> str:
    """Return a text with what cannot be shown replaced by its code."""
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in _HIDDEN else letter
        for letter in text
    )


def shown_text(word: str, longest: int = LONGEST) -> str:
    """Return a word as a label: clean, and cut where it is too long."""
    shown = clean(word[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is drawn, rather too wide than too narrow, in the unit of `size`."""
    return size * sum(_letter_width(letter) for letter in text)


def wrapped(text: str, size: float, width: float) -> list[str]:
    """Return a text in lines none of which is wider than `width`, in the unit of `size`; long words are cut."""
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
    """Return about how wide a legend is, in the unit of `size`; 0 where there are no groups."""
    return max((text_width(shown_text(name), size) for name in groups), default=-4 * size) + 4 * size


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter) or unicodedata.category(letter) in {"Mn", "Cf"}:
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return _FULL
    if letter in "ijlftrI.,:;'|!()[] ":
        return _NARROW
    return _WIDE if letter in "mwMW%@—…" else _USUAL if letter.islower() or letter.isdigit() else 0.8


@dataclass(frozen=True)
class Placed:
    """Where labels went.

    Attributes:
        middles: (n, 2) their middles.
        shown: (n,) which of them found room.
        led: (n,) which of them are so far from their dots that a line must lead there.
    """

    middles: Floats
    shown: npt.NDArray[np.bool_]
    led: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Obstacles:
    """What labels had better not cover.

    Attributes:
        lines: (k, 2) places on lines and curves.
        dots: (m, 2) places of dots.
    """

    lines: Floats
    dots: Floats

    def moved(self, move: Callable[[Floats], Floats]) -> "Obstacles":
        """Return the same places in other units."""
        return Obstacles(move(self.lines), move(self.dots))


def priority(points: Points) -> list[int]:
    """Return the points in the order in which their labels are placed: heads, then the others, each as given.

    Those far down in a crowd, who would hardly find room, are not tried.
    """
    if not points.labelled:
        return []
    return sorted(range(len(points.labels)), key=lambda i: not points.is_head(i))[:MOST_TRIED]


def obstacles(picture: Picture) -> Obstacles:
    """Return what labels of a picture had better not cover, in the picture's own units."""
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


def place(
    points: Points,
    anchors: Floats,
    sizes: Floats,
    radii: Floats,
    box: npt.ArrayLike,
    others: Obstacles,
    taken: Floats | None = None,
) -> Placed:
    """Put labels where they do not collide.

    Args:
        points: the points that have the labels.
        anchors: (n, 2) where these are, in pixels from a corner of the box.
        sizes: (n, 2) widths and heights of the labels, in pixels; only those of `priority` are looked at.
        radii: (n,) of the points' dots, in pixels.
        box: width and height of the box, in pixels.
        others: what labels had better not cover, in pixels.
        taken: (t, 4) middles and sizes of labels that stand there already.

    Returns:
        Places within the box; of two labels that would touch, only the one of higher priority is shown.
    """
    edge = np.asarray(box, dtype=np.float64)
    order = priority(points)
    if points.dotted:
        placed = np.empty((0, 4)) if taken is None else taken
        crowded = [i for i in order if len(order) > CROWD and not points.is_head(i)]
        return _beside(
            order, anchors, sizes, radii, edge, others, placed, set(crowded), {i for i in order if points.is_head(i)}
        )
    middles = np.clip(separate(anchors, sizes), sizes / 2, edge - sizes / 2)
    shown = np.zeros(len(anchors), dtype=bool)
    for i in order:
        shown[i] = not _touches(middles[i], sizes[i], middles[shown], sizes[shown])
    return Placed(middles, shown, np.zeros(len(anchors), dtype=bool))


def _touches(middle: Floats, size: Floats, middles: Floats, sizes: Floats) -> bool:
    reach = (size + sizes) / 2 - 0.5  # half a pixel is not seen
    return bool((np.abs(middle - middles) < reach).all(axis=1).any())


def _beside(
    order: list[int],
    anchors: Floats,
    sizes: Floats,
    radii: Floats,
    edge: Floats,
    others: Obstacles,
    taken: Floats,
    crowded: set[int],
    heads: set[int],
) -> Placed:
    """Put each label on that side of its dot where it covers least, if there is one without another label."""
    middles, shown, led = anchors.copy(), np.zeros(len(anchors), dtype=bool), np.zeros(len(anchors), dtype=bool)
    widest = float(radii.max(initial=0.0))
    for i in order:
        best = np.inf
        fixed = np.concatenate([middles[shown], taken[:, :2]]), np.concatenate([sizes[shown], taken[:, 2:]])
        for ring, (rank, side) in product(range(1 if i in crowded else _RINGS), enumerate(_SIDES)):
            gap = radii[i] + _GAP + ring * _RING
            middle = anchors[i] + side * (sizes[i] / 2 + (gap, gap if ring or not side[0] else gap / 2))
            if (np.abs(middle - edge / 2) + sizes[i] / 2 > edge / 2).any() or _touches(middle, sizes[i], *fixed):
                continue
            dots, lines = _covered(middle, sizes[i] / 2 + widest, others)
            dots += _crossed(anchors[i], middle, others.dots, widest) if ring else 0
            cost = 4 * dots + 0.5 * lines + 1.5 * ring + 0.1 * rank
            if cost < best and (dots <= (0 if i in crowded else _MOST_COVERED) or i in heads):
                best, middles[i], shown[i], led[i] = cost, middle, True, ring > 0
    return Placed(middles, shown, led)


def _covered(middle: Floats, half: Floats, others: Obstacles) -> tuple[int, int]:
    """Return how many dots and how many places on lines a label covers."""
    dots, lines = (int((np.abs(places - middle) < half).all(axis=1).sum()) for places in (others.dots, others.lines))
    return dots, lines


def _crossed(anchor: Floats, middle: Floats, dots: Floats, radius: float) -> int:
    """Return how many dots a line from a dot to its label runs through, that dot left out."""
    way = middle - anchor
    along = np.clip((dots - anchor) @ way / (way @ way), 0, 1)
    near = np.hypot(*(anchor + along[:, None] * way - dots).T) < radius
    return int((near & (np.hypot(*(dots - anchor).T) > 0.5)).sum())


# Right, left, above, below, and the corners.
_SIDES = np.array([[1, 0.6], [1, 0], [-1, 0], [-1, 0.6], [0, 1], [0, -1], [1, -0.6], [-1, -0.6]])
