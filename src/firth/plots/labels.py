"""Labels as they are drawn: cleaned of what no picture can show, measured, and put where they do not collide."""

import unicodedata
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.plots.layout import separate
from firth.plots.picture import Floats, Lines, Picture, Points

LONGEST = 40  # characters of a label; a word that is longer ends in "…"
LONGEST_TICK = 60  # characters of what stands at an axis
_HIDDEN = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}  # control characters, halves of characters, none at all, line ends
MOST_TRIED = 1000  # labels that a place is looked for
CROWD = 200  # points beyond which dots are small, and a label gives way to them
_MOST_COVERED = 2  # dots that a label may cover; one that would cover more is not shown, unless it is a head's
_DOT = 5.0  # pixels around a place that its label leaves free
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
    """

    middles: Floats
    shown: npt.NDArray[np.bool_]


def priority(points: Points) -> list[int]:
    """Return the points in the order in which their labels are placed: heads, then the others, each as given.

    Those far down in a crowd, who would hardly find room, are not tried.
    """
    if not points.labelled:
        return []
    return sorted(range(len(points.labels)), key=lambda i: not points.is_head(i))[:MOST_TRIED]


def obstacles(picture: Picture) -> Floats:
    """Return places on lines and at dots, in the picture's own units, that labels had better not cover: (k, 2)."""
    found = [np.empty((0, 2))]
    steps = np.linspace(0, 1, _SAMPLES)[:, None]
    for mark in picture.marks:
        if isinstance(mark, Lines):
            found += [start + steps * (end - start) for start, end in mark.ends]
        elif isinstance(mark, Points) and mark.dotted:
            found.append(mark.xy.reshape(-1, 2))
    return np.concatenate(found)


def place(
    points: Points, anchors: Floats, sizes: Floats, box: npt.ArrayLike, others: Floats, taken: Floats | None = None
) -> Placed:
    """Put labels where they do not collide.

    Args:
        points: the points that have the labels.
        anchors: (n, 2) where these are, in pixels from a corner of the box.
        sizes: (n, 2) widths and heights of the labels, in pixels; only those of `priority` are looked at.
        box: width and height of the box, in pixels.
        others: (k, 2) places that labels had better not cover.
        taken: (t, 4) middles and sizes of labels that stand there already.

    Returns:
        Places within the box; of two labels that would touch, only the one of higher priority is shown.
    """
    edge = np.asarray(box, dtype=np.float64)
    order = priority(points)
    if points.dotted:
        placed = np.empty((0, 4)) if taken is None else taken
        crowded = [i for i in order if len(order) > CROWD and not points.is_head(i)]
        return _beside(order, anchors, sizes, edge, others, placed, set(crowded))
    middles = np.clip(separate(anchors, sizes), sizes / 2, edge - sizes / 2)
    shown = np.zeros(len(anchors), dtype=bool)
    for i in order:
        shown[i] = not _touches(middles[i], sizes[i], middles[shown], sizes[shown])
    return Placed(middles, shown)


def _touches(middle: Floats, size: Floats, middles: Floats, sizes: Floats) -> bool:
    reach = (size + sizes) / 2 - 0.5  # half a pixel is not seen
    return bool((np.abs(middle - middles) < reach).all(axis=1).any())


def _beside(
    order: list[int], anchors: Floats, sizes: Floats, edge: Floats, others: Floats, taken: Floats, crowded: set[int]
) -> Placed:
    """Put each label on that side of its dot where it covers least, if there is one without another label."""
    middles, shown = anchors.copy(), np.zeros(len(anchors), dtype=bool)
    for i in order:
        best = np.inf
        fixed = np.concatenate([middles[shown], taken[:, :2]]), np.concatenate([sizes[shown], taken[:, 2:]])
        for rank, side in enumerate(_SIDES):
            middle = anchors[i] + side * (sizes[i] / 2 + (_DOT, _DOT / 2 if side[0] else _DOT))
            if (np.abs(middle - edge / 2) + sizes[i] / 2 > edge / 2).any() or _touches(middle, sizes[i], *fixed):
                continue
            covered = (np.abs(others - middle) < sizes[i] / 2 + 2).all(axis=1).sum() + 0.1 * rank
            if covered < best and not (i in crowded and covered > _MOST_COVERED + 1):
                best, middles[i], shown[i] = covered, middle, True
    return Placed(middles, shown)


# Right, left, above, below, and the corners.
_SIDES = np.array([[1, 0.6], [1, 0], [-1, 0], [-1, 0.6], [0, 1], [0, -1], [1, -0.6], [-1, -0.6]])
