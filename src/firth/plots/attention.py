"""A heat map of the attention of each word of a translation over its source."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.arguments import explained
from firth.errors import ShapeError
from firth.plots.picture import Axis, Heat, Picture

MOST = 60  # words of a side; more labels cannot be read
END = "</s>"
_INCHES = 2.4, 0.36, 11.0  # of a side: of none, of each word, at most


@explained
def attention_heat_map(
    attention: Any,
    source: Sequence[str],
    target: Sequence[str],
    *,
    title: str | None = None,
    caption: str = "Each row sums to 1: what the step that writes its word attends to.",
) -> Picture:
    """Return attention as a heat map: a row per word of the translation, a column per word of the source.

    Args:
        attention: (T, S) or (T + 1, S + 1) weights, the latter with the ends of both texts.
        source: S words.
        target: T words.
        caption: what stands below it; by default what a translation's weights are.

    Raises:
        ShapeError: the attention has another shape.

    Source:
        Bahdanau, Cho and Bengio 2015, figure 3.
    """
    weights = np.asarray(attention, dtype=np.float64)
    columns, rows = ([str(word) for word in words] for words in (source, target))
    if weights.shape == (len(rows) + 1, len(columns) + 1):
        columns, rows = [*columns, END], [*rows, END]
    if not weights.size or weights.shape != (len(rows), len(columns)):
        raise ShapeError(
            f"attention of shape {weights.shape} for {len(rows)} words of the translation and {len(columns)} of the "
            "source; expected a row and a column for each, or also for both ends"
        )
    shown = weights[:MOST, :MOST]
    left_out = weights.shape != shown.shape
    rows, columns = rows[:MOST], columns[:MOST]
    width, height = (min(_INCHES[0] + _INCHES[1] * len(words), _INCHES[2]) for words in (columns, rows))
    return Picture(
        kind="attention",
        title="Attention over the source" if title is None else title,
        marks=[Heat(values=shown, labels=rows, columns=columns, low=0.0, high=1.0, name="weight")],
        rows=[
            {"target": row, "source": column, "row": i, "column": j, "weight": float(shown[i, j])}
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
        ],
        caption=caption,
        notes=[f"the first {MOST} words of each side are drawn"] if left_out else [],
        x=Axis(name="", ticks=list(enumerate(columns)), low=-0.5, high=len(columns) - 0.5, grid=False),
        y=Axis(name="", ticks=list(enumerate(rows)), low=-0.5, high=len(rows) - 0.5, grid=False),
        size=(width + 1.2, height),
    )
