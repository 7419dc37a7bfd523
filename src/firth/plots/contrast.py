"""The words that two groups of texts use differently, each with its distance, interval and chance level."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.alignment.contrast_result import Contrast
from firth.arguments import explained
from firth.errors import counted
from firth.options import check_whole
from firth.plots.picture import Axis, Lines, Picture, Points

MOST = 60
LEVEL = 0.05
_ROW = 0.32  # inches
_NEAR = 3  # neighbours in a hover text


@explained
def contrast_summary(
    contrast: Contrast, words: Sequence[str] | None = None, *, number: int = 20, title: str | None = None
) -> Picture:
    """Return the distances of words, one per line, beside what chance does to each of them.

    Args:
        contrast: of two groups, from `firth.contrast`.
        words: the words; None for those that differ most.
        number: how many of these.

    Raises:
        OptionError: `number` is out of its range.
        RareWordError: a word is too rare in a group.
        UnknownWordError: a word is in neither.
    """
    check_whole("number", number)
    chosen = list(words) if words else contrast.most_changed(number)
    rows = [contrast.facts(word, _NEAR) for word in chosen[:MOST]]
    heights = np.arange(len(rows))[::-1].astype(np.float64)
    bounded = [i for i, row in enumerate(rows) if row["low"] is not None]
    tested = [i for i, row in enumerate(rows) if row["chance"] is not None]
    intervals = [[[rows[i]["low"], heights[i]], [rows[i]["high"], heights[i]]] for i in bounded]
    levels = [[[0.0, heights[i]], [rows[i]["chance"], heights[i]]] for i in tested]
    ends = [[[rows[i]["chance"], heights[i] - 0.3], [rows[i]["chance"], heights[i] + 0.3]] for i in tested]
    return Picture(
        kind="contrast",
        title=f"{' and '.join(contrast.names)}: {counted(len(rows), 'word')}" if title is None else title,
        marks=[
            Lines(ends=np.array(levels).reshape(-1, 2, 2), style="link"),
            Lines(ends=np.array(ends).reshape(-1, 2, 2), style="link", groups=[6] * len(ends)),
            Lines(ends=np.array(intervals).reshape(-1, 2, 2), style="interval", groups=[0] * len(intervals)),
            Points(
                xy=np.column_stack([[row["distance"] for row in rows], heights]),
                labels=[_hover_text(row) for row in rows],
                hollow=[not (row["adjusted"] is not None and row["adjusted"] <= LEVEL) for row in rows],
                labelled=False,
            ),
        ],
        rows=rows,
        caption=(
            "Grey lines end at the chance level: 95 % of random divisions of the texts are left of it. Hollow dots: "
            f"adjusted p above {LEVEL}."
        ),
        notes=[f"the first {MOST} of {len(chosen):,} words are drawn"] if len(chosen) > MOST else [],
        x=Axis(name="distance between the two groups", low=0.0),
        y=Axis(
            name="",
            low=-0.7,
            high=len(rows) - 0.3,
            ticks=[(float(y), row["word"]) for row, y in zip(rows, heights, strict=True)],
            grid=False,
        ),
        size=(9.0, 1.8 + _ROW * len(rows)),
    )


def _hover_text(row: dict[str, Any]) -> str:
    sides = [f"{name}: {', '.join(near)}" for name, near in row["neighbours"].items()]
    return f"{row['word']} {row['distance']:.3f}; {'; '.join(sides)}"
