"""The effect sizes of bias tests, with intervals and p-values."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from firth.arguments import explained
from firth.bias.query import title_of
from firth.errors import OptionError, counted
from firth.plots.picture import Axis, Lines, Picture, Points

MOST = 100
LEVEL = 0.05
_ROW = 0.32  # inches


@explained
def bias_summary(rows: Sequence[Mapping[str, Any]], *, title: str | None = None) -> Picture:
    """Return effect sizes with their intervals, one per line; hollow dots are not significant.

    Args:
        rows: mappings with "name" and "effect", and where they are known "low" and "high", the ends of the effect's
            interval, and "p", the probability of one as great by chance.

    Raises:
        OptionError: there is no effect, one has no name, or its figures are not numbers.
    """
    if not rows:
        raise OptionError("no effects to draw: expected lines of name, effect, low, high and p")
    tests = [_checked(row) for row in rows[:MOST]]
    heights = np.arange(len(tests))[::-1].astype(np.float64)
    effects = np.array([row["effect"] for row in tests])
    bounded = [i for i, row in enumerate(tests) if row["low"] is not None]
    ends = np.array([[[tests[i]["low"], heights[i]], [tests[i]["high"], heights[i]]] for i in bounded]).reshape(
        -1, 2, 2
    )
    zero = np.array([[[0.0, -0.7], [0.0, len(tests) - 0.3]]])
    by_chance = [row["p"] is not None and row["p"] >= LEVEL for row in tests]
    return Picture(
        kind="bias",
        title=f"{counted(len(tests), 'test')} of bias: effect sizes" if title is None else title,
        marks=[
            Lines(ends=zero, style="guide"),
            Lines(ends=ends, style="interval", groups=[0] * len(bounded)),
            Points(
                xy=np.column_stack([effects, heights]),
                labels=[_hover_text(row) for row in tests],
                hollow=by_chance,
                labelled=False,
            ),
        ],
        rows=tests,
        caption=f"Lines are intervals. Hollow dots are not significant: p of {LEVEL} or more.",
        notes=[f"the first {MOST} of {len(rows):,} tests are drawn"] if len(rows) > MOST else [],
        x=Axis(name="effect size"),
        y=Axis(
            name="",
            low=-0.7,
            high=len(tests) - 0.3,
            ticks=[(float(y), _tick_label(row)) for row, y in zip(tests, heights, strict=True)],
            grid=False,
        ),
        size=(9.0, 1.8 + _ROW * len(tests)),
    )


def _checked(row: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(row.get("name"), str):
        raise OptionError(f"an effect without a name: {dict(row)!r}; expected name, effect, low, high and p")
    effect: dict[str, Any] = {"name": row["name"]}
    for key in ("effect", "low", "high", "p"):
        value = row.get(key)
        usable = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not usable and (key == "effect" or value is not None):
            raise OptionError(f"{row['name']}: {key} is {value!r}; expected a number")
        effect[key] = value
    if (effect["low"] is None) != (effect["high"] is None):
        raise OptionError(f"{row['name']}: one end of an interval; expected low and high, or neither")
    return effect


def _tick_label(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return title_of(row["name"])
    probability = "< 0.001" if row["p"] < 0.001 else f"= {row['p']:z.3f}"
    return f"{title_of(row['name'])} (p {probability})"


def _hover_text(row: Mapping[str, Any]) -> str:
    interval = "" if row["low"] is None else f" ({row['low']:z.2f} to {row['high']:z.2f})"
    return f"{_tick_label(row)}: {row['effect']:z.2f}{interval}"
