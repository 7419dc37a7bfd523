"""Finds how a table in a text file is written: its separator, its quoting, whether it has a header."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firth.corpus.table_options import SEPARATORS, TableOptions
from firth.errors import FirthError

CANDIDATES = (",", ";", "\t", "|")
ROWS = 200  # that are looked at
_NAMES = {character: name for name, character in SEPARATORS.items()}
_DECLARED = re.compile(r"\ufeff?\"?sep=(.)\"?\r?\n?", re.IGNORECASE)  # Excel's first line
_SLASH = re.compile(r"\\(.?)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?")
_HOW = {
    "none": "no quoted cells",
    "backslash": "quotation marks after backslashes",
    "apostrophes": "cells between apostrophes",
}
MIXED = "mixed"  # a line with as many cells as the first is a row, whatever quotation marks it holds


@dataclass(frozen=True)
class Dialect:
    """How a table is written.

    Attributes:
        separator: the character between cells.
        quoting: one of `QUOTING`, or "mixed".
        spaces: whether spaces after a separator belong to it.
        declared: whether the first line only names the separator.
        notes: what was assumed, and the option that says it, for a message.
    """

    separator: str
    quoting: str
    spaces: bool = False
    declared: bool = False
    notes: tuple[tuple[str, str], ...] = ()

    def _plain_slashes(self, line: str) -> str:
        """Return a line with two backslashes for each that is text: before no mark, separator or line end."""
        return _SLASH.sub(lambda match: match[0] if match[1] in f'"\\\r\n{self.separator}' else "\\" + match[0], line)

    def reader(self, lines: Iterable[str], *, strict: bool = True) -> Any:
        """Return Python's reader of rows."""
        kinds: dict[str, dict[str, Any]] = {
            "backslash": {"doublequote": False, "escapechar": "\\"},
            "apostrophes": {"quotechar": "'"},
            "none": {"quoting": csv.QUOTE_NONE},
        }
        kind = kinds.get(self.quoting, {})
        if self.quoting == "backslash":
            lines = map(self._plain_slashes, lines)
        return csv.reader(lines, delimiter=self.separator, skipinitialspace=self.spaces, strict=strict, **kind)


def name_of(separator: str) -> str:
    """Return the name of a separator for a message."""
    return {**{c: f"{name}s" for c, name in _NAMES.items()}, " ": "spaces"}.get(separator, repr(separator))


def dialect_of(
    sample: Sequence[str], default: Dialect, options: TableOptions, name: str, error: type[FirthError]
) -> Dialect:
    """Return how a table is written.

    Args:
        sample: its first lines, with their ends.
        default: what its file name stands for; the quoting is that of tables with tabs.
        options: what is given is not looked for.
        name: of the file, for the error.
    """
    declared = _DECLARED.fullmatch(sample[0]) if sample else None
    lines = [line for line in sample[1 if declared else 0 :] if line.strip("\r\n")]
    notes = list[tuple[str, str]]()
    separator = options.separator or (declared[1] if declared else "")
    if not separator:
        separator = _separator(lines, default.separator, options, name, error)
        if separator != default.separator:
            finding = f"{name_of(separator)} between its cells, not {name_of(default.separator)}"
            notes.append((finding, f"separator={separator!r}"))
    quoting = options.quoting or (default.quoting if separator == "\t" else "doubled")
    quoted = Dialect(separator, quoting, default.spaces, declared=bool(declared))
    dialect = quoted if options.quoting or separator == "\t" else _with_quoting(quoted, lines)
    if dialect.quoting != quoted.quoting:
        notes.append((_HOW[dialect.quoting], f"quoting={dialect.quoting!r}"))
    return replace(dialect, notes=tuple(notes))


def _separator(lines: Sequence[str], default: str, options: TableOptions, name: str, error: type[FirthError]) -> str:
    quoting = options.quoting or "doubled"
    ways = [quoting] if options.quoting or not _apostrophes(lines) else [quoting, "apostrophes"]
    fits = {
        separator: max(_fit(Dialect(separator, way), lines) for way in ways) for separator in (default, *CANDIDATES)
    }
    best = max(fits, key=lambda mark: (fits[mark], mark == default))
    rivals = [
        separator for separator in fits if separator != best and fits[separator] == fits[best] and fits[best][0] > 0
    ]
    cells, widths = _width(lines, best, quoting), [_width(lines, rival, quoting) for rival in rivals]
    for rival, width in zip(rivals, widths, strict=True):
        if width > cells:
            raise error(
                f"{name}: {name_of(best)} divide its lines into {cells} cells, {name_of(rival)} into {width}; expected "
                f"one of them: separator={best!r} or separator={rival!r}"
            )
    return best if fits[best][0] > 0 else default


def _apostrophes(lines: Sequence[str]) -> bool:
    """Return whether cells may stand between apostrophes."""
    return any(re.search(r"(^|[,;|\t])'", line) for line in lines) and any(
        re.search(r"'([,;|\t]|\s*$)", line) for line in lines
    )


def _fit(dialect: Dialect, lines: Sequence[str]) -> tuple[float, ...]:
    """Return the share of rows that have as many cells as the first one, and more than one."""
    rows = [row for row in dialect.reader(lines[:ROWS], strict=False) if row]
    if not rows or len(rows[0]) < 2:
        return (0.0,)
    return (sum(len(row) == len(rows[0]) for row in rows) / len(rows),)


def _width(lines: Sequence[str], separator: str, quoting: str) -> int:
    return len(next(Dialect(separator, quoting).reader(lines, strict=False), []))


def _with_quoting(dialect: Dialect, lines: Sequence[str]) -> Dialect:
    """Return the dialect with the quoting by which all of its lines can be read; as it is if there is none."""
    separator = re.escape(dialect.separator)
    apostrophes = replace(dialect, quoting="apostrophes")
    tried = [apostrophes, dialect] if _encloses("'", dialect, lines) else [dialect]
    if _apostrophes(lines):
        tried.append(apostrophes)
    if any('\\"' in line for line in lines):
        tried.append(replace(dialect, quoting="backslash"))
    if any(re.search(f'{separator} +"', line) for line in lines):
        spaced = [replace(candidate, spaces=True) for candidate in tried]
        tried = [*spaced, *tried] if _encloses('"', dialect, lines) else [*tried, *spaced]
    opened = [line for line in lines if re.search(f'(^|{separator})"', line)]
    if len(opened) > 1 and not any(quoted_cell(dialect.separator, line) for line in opened):
        tried.append(replace(dialect, quoting="none"))
    return next((candidate for candidate in tried if _reads(candidate, lines)), dialect)


def _encloses(mark: str, dialect: Dialect, lines: Sequence[str]) -> bool:
    """Return whether all cells of a column stand between marks that are read as text, after spaces or not."""
    rows = [row for row in replace(dialect, quoting="none").reader(lines[:ROWS]) if row]
    width = min(map(len, rows), default=0)
    enclosed = re.compile(f" *{mark}.*{mark} *")
    plain = re.compile(f"{mark}.*") if mark == '"' else re.compile("(?!)")  # quoted without spaces
    return any(
        all(enclosed.fullmatch(row[i]) for row in rows) and not any(plain.match(row[i]) for row in rows)
        for i in range(width)
    )


def quoted_cell(separator: str, text: str) -> bool:
    """Return whether a cell stands between quotation marks on one line."""
    mark = re.escape(separator)
    return re.search(rf'(?:^|{mark})"(?:[^"\r\n]|"")*"(?:{mark}|\r?$)', text, re.MULTILINE) is not None


def _reads(dialect: Dialect, lines: Sequence[str]) -> bool:
    """Return whether all rows but the last, which the sample may cut, have as many cells as the first one."""
    rows = list[list[str]]()
    reader = dialect.reader(lines)
    try:
        rows.extend(row for row in reader if row)
    except csv.Error as error:
        if "end of data" not in str(error) or not rows:
            return False
    return len({len(row) for row in rows}) == 1


def is_row(first: Sequence[str], rest: Sequence[Sequence[str]]) -> str:
    """Return why the first row of a table holds no names, from the rows below it; "" if it may hold names."""
    for column, cell in enumerate(map(str.strip, first)):
        below = [row[column].strip() for row in rest if column < len(row)]
        numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in below)
        if below and _NUMBER.fullmatch(cell) and 10 * numbers >= 9 * len(below):
            return f"column {column + 1} holds numbers from its first row on"
        if cell and cell in below:
            return f"{cell!r:.40} stands in column {column + 1} again"
    return ""
