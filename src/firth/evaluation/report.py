"""Evaluation results as tables: one row per metric, several models side by side."""

import html
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from firth.errors import brief_repr
from firth.notebook import Markup, note, table

BEST, EQUAL = "*", "="  # marks behind a value
SIGNIFICANT = 0.05
AGAINST = (
    f"<, > before a baseline: the best value is significantly below or above it; {EQUAL}: no significant difference\n"
    f"(p >= {SIGNIFICANT}: paired bootstrap, Steiger's test for correlations; Holm's correction over the models)"
)
LEGEND = (
    f"{BEST} best   {EQUAL} no significant difference from the best\n"
    f"(p >= {SIGNIFICANT}: paired bootstrap, Steiger's test for correlations; Holm's correction per line)"
)
NARROWED = "The 95 % intervals are hidden: the table would be wider than {width} columns. --json has them."


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """One value.

    Attributes:
        suite: name of the suite of the set.
        set: gold set; a part of it follows a slash, as in "google-analogies/capital-world".
        metric: such as "spearman", or "3cosadd" for the accuracy on analogies.
        value: on the metric's scale; NaN if it could not be computed.
        low: lower bound of the 95 % interval: Wilson's for accuracies, else a bootstrap over items.
        high: upper bound of the interval.
        covered: number of items whose words all have vectors; for sentence classification, any word.
        total: number of items in the set.
        baseline: score of a model without knowledge, or of a simple one, on the same items; None where zero is that
            score.
        baseline_name: name of the baseline, such as "random"; "" without one.
        baseline_low: lower bound of the baseline's 95 % interval; None for a baseline without items.
        baseline_high: upper bound.
        baseline_p: two-sided p-value of equal performance of vectors and baseline, by the test of `Contrast`, with
            Holm's correction over the vectors.
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
    baseline_low: float | None = None
    baseline_high: float | None = None
    baseline_p: float | None = None

    @property
    def is_section(self) -> bool:
        """Whether this is a section of a set, hidden by default; the halves of analogy sets are not sections."""
        return "/" in self.set and not self.set.endswith(("/semantic", "/syntactic"))


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """Comparison of the best model of a line with another.

    Attributes:
        suite: as in `ScoreRow`.
        set: as in `ScoreRow`.
        metric: as in `ScoreRow`.
        best: name of the best vectors, each on all items it covers.
        difference: best minus other, on the items that both cover.
        low: lower bound of the 95 % interval of the difference, by the paired bootstrap.
        high: upper bound.
        p: two-sided p-value of equal performance.
        corrected: p with Holm's correction over the contrasts of the line.
        test: "paired bootstrap" or "Steiger".
        items: number of items that both cover.
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
class EvaluationReport:
    """Evaluation results, one value per row.

    Attributes:
        rows: in the order of the vectors, then of the sets.
        contrasts: with several vectors, the best of each line against each other one.
        notes: how values were computed, such as sacrebleu's signatures; shown below the table.
    """

    rows: Sequence[ScoreRow]
    contrasts: Sequence[Contrast] = ()
    notes: Sequence[str] = ()

    __repr__ = brief_repr

    def __str__(self) -> str:
        return self.table()

    @property
    def names(self) -> list[str]:
        """Names of the vectors."""
        return list(dict.fromkeys(row.vectors for row in self.rows))

    def table(self, *, sections: bool = False, bold: bool = False, width: int | None = None) -> str:
        """Return an aligned table; several vectors are side by side, with marks for the best and those not worse.

        Args:
            sections: whether to list the sections of analogy sets.
            bold: whether to print the best value of a line in bold, with terminal codes.
            width: width of the terminal in columns; if the table of several vectors is wider, the intervals are hidden.
                None: no limit.
        """
        cells = self._cells(sections)
        widths = _widths(cells)
        notes = ["", *self._notes()] if self._notes() else []
        if len(self.names) > 1 and width is not None and sum(widths) + 2 * len(widths) - 2 > width:
            cells = self._cells(sections, intervals=False)
            widths = _widths(cells)
            notes.append(NARROWED.format(width=width))
        words = 3 if len(self.names) <= 1 else 2  # columns of words, aligned left; numbers are aligned right
        return "\n".join([*(_aligned(line, widths, words, bold) for line in cells), *notes])

    def to_json(self) -> str:
        """Return one JSON object per line: rows with sections, contrasts, notes; NaN becomes null."""
        items = [*map(asdict, self.rows), *map(asdict, self.contrasts), *({"note": note} for note in self.notes)]
        return "\n".join(json.dumps(_jsonable(item), ensure_ascii=False) for item in items)

    def to_markdown(self, *, sections: bool = False) -> str:
        """Return the table in Markdown.

        Args:
            sections: whether to list the sections of analogy sets.
        """
        head, *body = self._cells(sections)
        rule = ["---" if i < 2 else "---:" for i in range(len(head))]
        lines = [head, rule, *([_strong(cell) for cell in line] for line in body)]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def _repr_html_(self) -> str:
        head, *body = self._cells(sections=False)
        single = len(self.names) <= 1
        rows = [[_marked(cell) for cell in line] for line in body]
        legend = "".join(map(note, "\n".join(self._notes()).replace(f"{BEST} best", "bold: best;").splitlines()))
        return table(head, rows, words=3 if single else 2, more=legend)

    def _notes(self) -> list[str]:
        tested = any(row.baseline_p is not None for row in self.rows)
        return [LEGEND] * (len(self.names) > 1) + [AGAINST] * tested + list(self.notes)

    def _cells(self, sections: bool, *, intervals: bool = True) -> list[list[str]]:
        visible = [row for row in self.rows if sections or not row.is_section]
        baseline = any(row.baseline is not None for row in visible)
        names = self.names
        if len(names) <= 1:
            head = [
                "vectors",
                "set",
                "metric",
                "value",
                "95 % interval",
                *(["baseline"] if baseline else []),
                "covered",
            ]
            return [head, *(_single(row, baseline) for row in visible)]
        head = ["set", "metric", *_short(names), *(["baseline"] if baseline else []), "covered"]
        return [head, *(self._line(line, baseline, intervals) for line in _lines(visible))]

    def _line(self, rows: Sequence[ScoreRow], baseline: bool, intervals: bool) -> list[str]:
        row_of = {row.vectors: row for row in rows}
        marks = self._marks(rows)
        blank = "  " if marks else ""  # keeps the values aligned
        values = [
            _value(row_of[name], intervals) + marks.get(name, blank) if name in row_of else "-" for name in self.names
        ]
        first = rows[0]
        return [first.set, first.metric, *values, *([_baseline(rows)] if baseline else []), _coverage(rows)]

    def _marks(self, rows: Sequence[ScoreRow]) -> dict[str, str]:
        key = rows[0].suite, rows[0].set, rows[0].metric
        contrasts = [contrast for contrast in self.contrasts if (contrast.suite, contrast.set, contrast.metric) == key]
        equal = {contrast.other: f" {EQUAL}" for contrast in contrasts if not contrast.corrected < SIGNIFICANT}
        return equal | {contrast.best: f" {BEST}" for contrast in contrasts}


def _widths(cells: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]


def _lines(rows: Iterable[ScoreRow]) -> list[list[ScoreRow]]:
    """The rows of each line of the side-by-side table."""
    order: dict[tuple[str, str, str], list[ScoreRow]] = {}
    for row in rows:
        order.setdefault((row.suite, row.set, row.metric), []).append(row)
    return list(order.values())


def _short(names: Sequence[str]) -> list[str]:
    """File names instead of paths, if they are unique."""
    short = [Path(name).name for name in names]
    return short if len(set(short)) == len(names) else list(names)


def _single(row: ScoreRow, baseline: bool) -> list[str]:
    valid = not math.isnan(row.value)
    interval = f"{row.low:.3f} to {row.high:.3f}" if valid else "-"
    middle = [_baseline([row])] if baseline else []
    value = f"{row.value:.3f}" if valid else "-"
    return [row.vectors, row.set, row.metric, value, interval, *middle, f"{row.covered:,}/{row.total:,}"]


def _value(row: ScoreRow, interval: bool) -> str:
    if math.isnan(row.value):
        return "-"
    return f"{row.value:.3f}" + (f" ({row.low:.2f} to {row.high:.2f})" if interval else "")


def _baseline(rows: Sequence[ScoreRow]) -> str:
    """The baseline of a line, compared with the best row."""
    values = [row.baseline for row in rows if row.baseline is not None]
    if not values:
        return "-"
    best = max(rows, key=lambda row: -math.inf if math.isnan(row.value) else row.value)
    return f"{_against(best)}{max(values):.3f} {rows[0].baseline_name}"


def _against(row: ScoreRow) -> str:
    if row.baseline is None or row.baseline_p is None or math.isnan(row.baseline_p):
        return ""
    if row.baseline_p >= SIGNIFICANT:
        return f"{EQUAL} "
    return "< " if row.value < row.baseline else "> "


def _coverage(rows: Sequence[ScoreRow]) -> str:
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


def _marked(cell: str) -> str:
    bare = html.escape(cell.removesuffix(f" {BEST}"))
    return Markup(f"<b>{bare}</b>") if cell.endswith(f" {BEST}") else cell


def _jsonable(values: Mapping[str, object]) -> dict[str, object]:
    return {name: None if value != value else value for name, value in values.items()}
