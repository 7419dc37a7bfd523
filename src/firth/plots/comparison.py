"""Models side by side: how good each is, and how long its training took."""

import math
import os
from typing import Any

from firth.comparison.results import Comparison, quality
from firth.files import replacing_file
from firth.plots.map import COLOURS, DPI, FAINT, INK, matplotlib_module

SIZE = (8.0, 5.0)  # inches
NEAR = 1.2, 0.03  # in time and in quality, of a point that a label on the right would cover


def draw_comparison(comparison: Comparison, path: str | os.PathLike[str]) -> None:
    """Draw the quality of models against the time of their training, and save it as PNG.

    Args:
        comparison: what was measured.
        path: the file to write or replace.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: the file cannot be written.
    """
    figure = matplotlib_module("figure").Figure(figsize=SIZE, dpi=DPI, facecolor="white", layout="constrained")
    canvas = matplotlib_module("backends.backend_agg").FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    rows = [(row, *quality(row)) for row in comparison.rows]
    for i, (row, value, low, high) in enumerate(rows):
        if math.isnan(value):
            continue
        colour = COLOURS[i % len(COLOURS)]
        errors = [[100 * (value - low)], [100 * (high - value)]]
        axes.errorbar(
            row["seconds"], 100 * value, yerr=errors, fmt="o", color=colour, ecolor=FAINT, capsize=3, zorder=3
        )
        covers = any(
            1 < other["seconds"] / row["seconds"] < NEAR[0] and abs(its - value) < NEAR[1] for other, its, *_ in rows
        )
        side = {"xytext": (-7, 6), "ha": "right"} if covers else {"xytext": (7, 6)}
        axes.annotate(
            row["model"], (row["seconds"], 100 * value), textcoords="offset points", color=colour, fontsize=11,
            zorder=4, **side,
        )  # fmt: skip
    _dress(axes, comparison)
    with replacing_file(path) as file:
        canvas.print_png(file)


def _dress(axes: Any, comparison: Comparison) -> None:
    axes.set_xscale("log")
    seconds = [row["seconds"] for row in comparison.rows]
    axes.set_xlim(min(seconds) / 1.6, max(seconds) * 2.5)
    ticks = [tick for power in range(-2, 7) for tick in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)]
    axes.set_xticks([tick for tick in ticks if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]])
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter(lambda tick, _: f"{tick:,.0f}" if tick >= 1 else f"{tick:g}")
    axes.set_xlabel("seconds of training", color=INK)
    axes.set_ylabel(f"mean of {len(comparison.sets)} sets, %", color=INK)
    run = comparison.run
    axes.set_title(f"{run['tokens'] / 1e6:,.1f} M words, {run['threads']} threads", loc="left", color=INK, fontsize=12)
    axes.grid(axis="y", color=FAINT, linewidth=0.5, zorder=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
