"""Figures as tables: one model's below each other, several models' side by side."""

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

BEST, ALIKE = "*", "="  # marks behind a figure
SIGNIFICANT = 0.05
LEGEND = (
    f"{BEST} best   {ALIKE} no significant difference from the best\n"
    f"(p >= {SIGNIFICANT} by the paired bootstrap, for correlations by Steiger's test; Holm's correction over the line)"
)
NARROWED = "The 95 % intervals are left out, for the table would be wider than {width} columns; --json has them."


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure.

    Attributes:
        vectors: the name of the vectors judged.
        suite: the name of the suite that the set belongs to.
        set: the gold set; a part of it stands behind a slash, as in "google-analogies/capital-world".
        metric: such as "spearman", or "3cosadd" for the share of analogies answered right.
        value: on the metric's scale; NaN where nothing could be measured.
        low: lower end of the 95 % interval: Wilson's for shares of right answers, else the bootstrap's over items.
        high: upper end of the interval.
        covered: items of which every word has a vector; of a sentence to be classified, any word.
        total: items in the set.
        baseline: what a model without knowledge, or a plain one, reaches on the same items; None where the metric's
            zero says it.
        baseline_name: what that is, such as "random"; "" without one.
    """

    vectors: str
    suite: str = ""
    set: str
    metric: str
    value: float
    low: float
    high: float
    covered: int
    total: int
    baseline: float | None = None
    baseline_name: str = ""

    @property
    def is_section(self) -> bool:
        """Whether this is one part of a set, other than the halves that are usually printed."""
        return "/" in self.set and not self.set.endswith(("/semantic", "/syntactic"))


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """The best model of a line against another.

    Attributes:
        suite: as in `Row`.
        set: as in `Row`.
        metric: as in `Row`.
        best: the name of the best vectors, over all items that each model counts.
        other: the name of the others.
        difference: best less other, over the items that both count.
        low: lower end of the difference's 95 % interval, by the paired bootstrap.
        high: upper end.
        p: two-sided, that both are equally good.
        corrected: p by Holm's correction over the line's contrasts.
        test: "paired bootstrap" or "Steiger".
        items: how many items both count.
    """

    suite: str = ""
    set: str
    metric: str
    best: str
    other: str
    difference: float
    low: float
    high: float
    p: float
    corrected: float
    test: str
    items: int


@dataclass(frozen=True)
class Report:
    """Figures, one a row.

    Attributes:
        rows: in the order of the vectors, then of the sets.
        contrasts: where several vectors were judged, the best of each line against each other.
    """

    rows: Sequence[Row]
    contrasts: Sequence[Contrast] = ()

    def __str__(self) -> str:
        return self.table()

    @property
    def names(self) -> list[str]:
        """The vectors judged, each once."""
        return list(dict.fromkeys(row.vectors for row in self.rows))

    def table(self, *, sections: bool = False, bold: bool = False, width: int | None = None) -> str:
        """Return an aligned table; several vectors stand side by side, the best marked, and what is no worse.

        Args:
            sections: whether the sections of analogy sets have lines of their own.
            bold: whether the best figure of a line is bold, by a terminal's codes.
            width: of the terminal, in columns; where several vectors with their intervals need more, the intervals are
                left out. None: as wide as it comes.
        """
        cells = self._cells(sections)
        widths = _widths(cells)
        notes = ["", LEGEND] if len(self.names) > 1 else []
        if notes and width is not None and sum(widths) + 2 * len(widths) - 2 > width:
            cells = self._cells(sections, intervals=False)
            widths = _widths(cells)
            notes.append(NARROWED.format(width=width))
        words = 3 if len(self.names) <= 1 else 2  # columns of words, to the left; figures stand to the right
        return "\n".join([*(_aligned(line, widths, words, bold) for line in cells), *notes])

    def to_json(self) -> str:
        """Return one JSON object a line: rows, sections included, then contrasts; what was not measured is null."""
        found = [*map(asdict, self.rows), *map(asdict, self.contrasts)]
        return "\n".join(json.dumps(_jsonable(one), ensure_ascii=False) for one in found)

    def to_markdown(self, *, sections: bool = False) -> str:
        """Return the table in Markdown.

        Args:
            sections: whether the sections of analogy sets have lines of their own.
        """
        head, *body = self._cells(sections)
        rule = ["---" if i < 2 else "---:" for i in range(len(head))]
        lines = [head, rule, *([_strong(cell) for cell in line] for line in body)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _repr_html_(self) -> str:
        head, *body = self._cells(sections=False)
        top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
        rows = "".join("<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in line) + "</tr>" for line in body)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"

    def _cells(self, sections: bool, *, intervals: bool = True) -> list[list[str]]:
        shown = [row for row in self.rows if sections or not row.is_section]
        based = any(row.baseline is not None for row in shown)
        names = self.names
        if len(names) <= 1:
            head = ["vectors", "set", "metric", "value", "95 % interval", *(["baseline"] if based else []), "covered"]
            return [head, *(_single(row, based) for row in shown)]
        head = ["set", "metric", *_short(names), *(["baseline"] if based else []), "covered"]
        return [head, *(self._line(line, based, intervals) for line in _lines(shown))]

    def _line(self, rows: Sequence[Row], based: bool, intervals: bool) -> list[str]:
        of = {row.vectors: row for row in rows}
        marks = self._marks(rows)
        blank = "  " if marks else ""  # figures stay below each other, marked or not
        figures = [_figure(of[name], intervals) + marks.get(name, blank) if name in of else "-" for name in self.names]
        first = rows[0]
        return [first.set, first.metric, *figures, *([_baseline(rows)] if based else []), _coverage(rows)]

    def _marks(self, rows: Sequence[Row]) -> dict[str, str]:
        key = rows[0].suite, rows[0].set, rows[0].metric
        contrasts = [one for one in self.contrasts if (one.suite, one.set, one.metric) == key]
        alike = {one.other: f" {ALIKE}" for one in contrasts if not one.corrected < SIGNIFICANT}
        return alike | {one.best: f" {BEST}" for one in contrasts}


def _widths(cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]


def _lines(rows: Iterable[Row]) -> list[list[Row]]:
    """Rows that are one line of the side-by-side table, in the order of the first vectors."""
    order: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        order.setdefault((row.suite, row.set, row.metric), []).append(row)
    return list(order.values())


def _short(names: Sequence[str]) -> list[str]:
    """File names in the place of paths, where these tell the vectors apart."""
    short = [Path(name).name for name in names]
    return short if len(set(short)) == len(names) else list(names)


def _single(row: Row, based: bool) -> list[str]:
    measured = not math.isnan(row.value)
    interval = f"{row.low:.3f} to {row.high:.3f}" if measured else "-"
    middle = [_baseline([row])] if based else []
    value = f"{row.value:.3f}" if measured else "-"
    return [row.vectors, row.set, row.metric, value, interval, *middle, f"{row.covered:,}/{row.total:,}"]


def _figure(row: Row, interval: bool) -> str:
    if math.isnan(row.value):
        return "-"
    return f"{row.value:.3f}" + (f" ({row.low:.2f} to {row.high:.2f})" if interval else "")


def _baseline(rows: Sequence[Row]) -> str:
    values = [row.baseline for row in rows if row.baseline is not None]
    return f"{max(values):.3f} {rows[0].baseline_name}" if values else "-"


def _coverage(rows: Sequence[Row]) -> str:
    counts = sorted({row.covered for row in rows})
    covered = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return f"{covered}/{rows[0].total:,}"


def _aligned(line: Sequence[str], widths: Sequence[int], words: int, bold: bool) -> str:
    cells = [
        cell.ljust(width) if i < words else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
    if bold:
        cells = [f"\x1b[1m{cell}\x1b[0m" if cell.endswith(f" {BEST}") else cell for cell in cells]
    return "  ".join(cells).rstrip()


def _strong(cell: str) -> str:
    return f"**{cell.removesuffix(f' {BEST}')}**" if cell.endswith(f" {BEST}") else cell


def _html(cell: str) -> str:
    bare = html.escape(cell.removesuffix(f" {BEST}"))
    return f"<b>{bare}</b>" if cell.endswith(f" {BEST}") else bare


def _jsonable(values: Mapping[str, object]) -> dict[str, object]:
    return {name: None if value != value else value for name, value in values.items()}
