"""Models side by side: their figures with intervals, per test set or against training time."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from firth.arguments import explained
from firth.comparison.results import Comparison, quality
from firth.errors import OptionError, counted
from firth.plots.picture import Axis, Lines, Picture, Points

NEEDED = ("vectors", "set", "metric", "value", "low", "high")
MOST = 120  # lines of a picture
_ROW = 0.21  # inches


@explained
def models_by_set(rows: Sequence[Mapping[str, Any]], *, title: str | None = None) -> Picture:
    """Return the figures of models per test set, with 95 % intervals and one colour per model.

    Args:
        rows: figures as `firth.evaluate` and `firth evaluate --json` tell them: mappings with "vectors", "set",
            "metric", "value", "low" and "high". Left out are comparisons of two models, which have "best" and "other";
            sections of a set; 3CosMul where 3CosAdd is there; and what could not be measured, which the picture's notes
            say.

    Raises:
        OptionError: there is no figure to draw, or one lacks a key.
    """
    rows = [row for row in rows if not {"best", "other"} <= row.keys()]
    for row in rows:
        if missing := [name for name in NEEDED if name not in row]:
            raise OptionError(f"a figure without {', '.join(missing)}: expected lines of firth evaluate --json")
    whole = [row for row in rows if "/" not in row["set"]]
    additive = {row["set"] for row in whole if row["metric"] == "3cosadd"}
    whole = [row for row in whole if row["metric"] != "3cosmul" or row["set"] not in additive]
    figures = [row for row in whole if all(_is_number(row[name]) for name in ("value", "low", "high"))]
    if not figures:
        raise OptionError("no figures to draw: expected lines of firth evaluate --json that could be measured")
    unmeasured = len(whole) - len(figures)
    notes = [f"{counted(unmeasured, 'figure')} could not be measured"] if unmeasured else []
    if len(figures) > MOST:
        notes.append(f"the first {MOST} of {len(figures):,} figures are drawn")
        figures = figures[:MOST]
    models = list(dict.fromkeys(str(row["vectors"]) for row in figures))
    heights, ticks = _lanes(figures, models)
    groups = [models.index(str(row["vectors"])) for row in figures]
    values = np.array([row["value"] for row in figures], dtype=np.float64)
    ends = np.array([[[row["low"], y], [row["high"], y]] for row, y in zip(figures, heights, strict=True)])
    labels = [
        f"{row['vectors']}, {row['set']}: {row['value']:z.3f} ({row['low']:z.3f} to {row['high']:z.3f})"
        for row in figures
    ]
    sets = counted(len(ticks), "set")
    return Picture(
        kind="models",
        title=f"{counted(len(models), 'model')} on {sets}, with 95 % intervals" if title is None else title,
        marks=[
            Lines(ends=ends, style="interval", groups=groups),
            Points(xy=np.column_stack([values, heights]), labels=labels, groups=groups, labelled=False),
        ],
        rows=[{name: row[name] for name in NEEDED} for row in figures],
        caption="Overlapping intervals of one set do not show which model is better.",
        notes=notes,
        x=Axis(name="figure of the set, 1 is perfect"),
        y=Axis(name="", ticks=ticks, low=float(heights.min()) - 1, high=float(heights.max()) + 1, grid=False),
        groups=models,
        size=(10.0, 2.2 + _ROW * float(np.ptp(heights))),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _lanes(rows: Sequence[Mapping[str, Any]], models: Sequence[str]) -> tuple[np.ndarray, list[tuple[float, str]]]:
    """The height of each figure, sets from the top down and models within them, and of each set's name."""
    sets = list(dict.fromkeys((row["set"], row["metric"]) for row in rows))
    lane = len(models) + 1.0
    heights = [
        -lane * sets.index((row["set"], row["metric"])) - models.index(str(row["vectors"])) for row in rows
    ]  # fmt: skip
    middle = (len(models) - 1) / 2
    return np.array(heights), [(-lane * i - middle, f"{name} ({metric})") for i, (name, metric) in enumerate(sets)]


@explained
def models_by_time(comparison: Comparison, *, title: str | None = None) -> Picture:
    """Return the quality of models against their training time.

    Args:
        comparison: what was measured. A model without a figure is left out, with a note.

    Raises:
        OptionError: no model has a figure.
    """
    rows = [
        {"model": row["model"], "seconds": row["seconds"], "value": value, "low": low, "high": high}
        for row in comparison.rows
        for value, low, high in [quality(row)]
    ]
    figures = [row for row in rows if not math.isnan(row["value"]) and row["seconds"] > 0]
    if not figures:
        raise OptionError("no figures to draw: expected models that know two items or more of one of the sets")
    without = [row["model"] for row in rows if row not in figures]
    seconds = np.array([row["seconds"] for row in figures])
    value, low, high = (100 * np.array([row[name] for row in figures]) for name in ("value", "low", "high"))
    groups = list(range(len(figures)))
    return Picture(
        kind="models",
        title=f"{counted(len(figures), 'model')}, {comparison.run['tokens'] / 1e6:,.1f} M words, "
        f"{counted(comparison.run['threads'], 'thread')}"
        if title is None
        else title,
        marks=[
            Lines(
                ends=np.stack([np.column_stack([seconds, low]), np.column_stack([seconds, high])], axis=1),
                style="interval",
                groups=groups,
            ),
            Points(xy=np.column_stack([seconds, value]), labels=[row["model"] for row in figures], groups=groups),
        ],
        rows=figures,
        caption="Means over the sets of the figures and of the ends of their 95 % intervals.",
        notes=[f"without a figure: {', '.join(without)}"] if without else [],
        x=Axis(name="seconds of training", log=True, low=seconds.min() / 1.6, high=seconds.max() * 2.5,
               ticks=_decades(seconds.min() / 1.6, seconds.max() * 2.5), grid=False),
        y=Axis(name=f"mean of {counted(len(comparison.sets), 'set')}, %"),
        size=(8.0, 5.0),
    )  # fmt: skip


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    """1, 2 and 5 times each power of ten between two ends."""
    ticks = [step * 10.0**power for power in range(-3, 8) for step in (1, 2, 5)]
    return [(tick, f"{tick:,.0f}" if tick >= 1 else f"{tick:g}") for tick in ticks if low <= tick <= high]
