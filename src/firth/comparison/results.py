"""The result of a comparison, as a table and as JSON."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firth.errors import brief_repr
from firth.notebook import note, table

HEADINGS = ("model", "seconds", "counting", "words/s", "peak MB", "file MB")
METRICS = ("spearman", "3cosadd")  # one figure a set


@dataclass(frozen=True)
class Comparison:
    """Models side by side.

    Attributes:
        rows: one per model, with "model", "options", "seconds" of training, "counting_seconds" and
            "compiling_seconds" (not part of "seconds"), "resumed" (whether an interrupted training was continued),
            "words_per_second", "peak_bytes", "file_bytes", "loss", "sample_loss" if the model measures it, and
            "figures", as `firth.evaluate` returns them.
        run: corpus, options, seed and environment.
    """

    rows: Sequence[Mapping[str, Any]]
    run: Mapping[str, Any]

    __repr__ = brief_repr

    @property
    def sets(self) -> list[str]:
        """The test sets in the order of the figures."""
        return list(dict.fromkeys(figure["set"] for row in self.rows for figure in shown(row)))

    def __str__(self) -> str:
        return self.table()

    def table(self) -> str:
        """Return an aligned table. Figures are percentages with 95 % intervals."""
        lines = self._cells()
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        rows = []
        for line in lines:
            cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
            rows.append("  ".join([line[0].ljust(widths[0]), *cells[1:]]).rstrip())
        return "\n".join(rows)

    def to_json(self) -> str:
        """Return one JSON object per line, one line per model."""
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in self.rows)

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        head, *body = self._cells()
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        return table(head, body, more=note("Figures are percentages with 95 % intervals."))

    def _cells(self) -> list[list[str]]:
        return [[*HEADINGS, *self.sets], *(self._line(row) for row in self.rows)]

    def _line(self, row: Mapping[str, Any]) -> list[str]:
        peak = row["peak_bytes"]
        figures = {figure["set"]: figure for figure in shown(row)}
        return [
            row["model"], f"{row['seconds']:,.1f}", _seconds(row["counting_seconds"]), f"{row['words_per_second']:,}",
            "-" if peak is None else f"{peak / 1e6:,.0f}", f"{row['file_bytes'] / 1e6:,.0f}",
            *(_figure(figures.get(name)) for name in self.sets),
        ]  # fmt: skip


def shown(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return one figure per test set of a model: whole sets, and analogies by 3CosAdd."""
    return [figure for figure in row["figures"] if figure["metric"] in METRICS and "/" not in figure["set"]]


def quality(row: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return the means of a model's figures, of their lower bounds and of their upper bounds; NaN without figures."""
    figures = [figure for figure in shown(row) if figure["value"] is not None]
    if not figures:
        return math.nan, math.nan, math.nan
    value, low, high = (sum(figure[key] for figure in figures) / len(figures) for key in ("value", "low", "high"))
    return value, low, high


def _seconds(seconds: float) -> str:
    return f"{seconds:,.1f}" if seconds else "-"  # the model needs no counts, or another model counted


def _figure(figure: Mapping[str, Any] | None) -> str:
    if figure is None or figure["value"] is None:
        return "-"
    value, low, high = (100 * figure[key] for key in ("value", "low", "high"))
    share = round(100 * figure["covered"] / figure["total"])
    covered = "" if share == 100 else f" of {share} %"
    return f"{value:.1f} ({low:.0f} to {high:.0f}){covered}"
