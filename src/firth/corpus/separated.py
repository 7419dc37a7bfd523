"""Rows of tables in text files: CSV, TSV, and what spreadsheets, databases and scripts make of them.

Every reader of such tables uses `Separated`. A row has as many cells as the first one. What cannot be read is an error
with its line, or is skipped and counted; empty cells beyond the last column are no fault.
"""

import contextlib
import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from firth.corpus.dialects import MIXED, ROWS, Dialect, dialect_of, is_row, quoted_cell
from firth.corpus.table_options import TableOptions
from firth.corpus.tables import DEFAULT_COLUMN, Kind, Schema
from firth.errors import CorpusError, FirthError, counted, warn_caller
from firth.storage.skipping import Skipping

SAMPLE = 1 << 17  # characters that tell how a table is written
BLOCK = 1 << 15  # characters that are read at once: rows that a processor's cache holds
_LINES = 100_000  # of a quoted cell, at most
_USUAL_NAMES = {
    DEFAULT_COLUMN,
    "label",
    "labels",
    "sentence",
    "sentence1",
    "source",
    "title",
    "class",
    "category",
    "id",
}
_AFTER = 1000  # lines that are read on for the end of a quoted cell before each row is looked at

Row = list[str]
Column = str | int | None


class Numbered(NamedTuple):
    """A row and the number of its first line."""

    line: int
    cells: Row


class Separated:
    """A table in a text file.

    Args:
        text: the file, opened with `newline=""`.
        usual: the separator that the name stands for, and the quoting of tables with tabs.
        options: how it is read; None where the caller has no such options to name.
        asked: the columns that are asked for, which tell whether the first row holds names; None for any.
        header: whether the first row holds names; None as the options have it.
        separator: the one to use where the options have none; None to find it.

    Attributes:
        names: of the columns: those in the header, or "1", "2", ...
        header: whether the first row holds them.

    Raises:
        CorpusError: the file is empty, or the first row cannot be read.
        OptionError: an option is out of its range.

    Warns:
        UserWarning: separator, quoting or header are not the usual ones.
    """

    def __init__(
        self,
        text: io.TextIOBase,
        name: str,
        default: Dialect,
        options: TableOptions | None = None,
        *,
        asked: Sequence[Column] = (),
        header: bool | None = None,
        separator: str | None = None,
        error: type[FirthError] = CorpusError,
    ) -> None:
        settings = (options or TableOptions()).normalised()
        settings = replace(
            settings, header=settings.header if header is None else header, separator=settings.separator or separator
        )
        self._text, self.name, self._error = text, name, error
        self.skipping = Skipping(name, None if options is None else settings.on_error, error=error)
        self._lines: list[str] = text.readlines(SAMPLE)
        self._number = 1  # of the first of them
        self.dialect = dialect_of(self._lines, default, settings, name, error)
        # A cell over several lines may be a lone quotation mark, unless other cells are quoted properly.
        self._quotes = (
            settings.quoting is not None
            or self.dialect.quoting == "apostrophes"
            or quoted_cell(self.dialect.separator, "".join(self._lines))
        )
        if self.dialect.declared:
            self._take(1)
        while self._lines and not self._lines[0].strip("\r\n"):
            self._take(1)
        self._width = 0
        self._doubtful = list[int]()  # lines with a quotation mark that may open a cell of several lines
        if not self._lines:
            raise error(f"{name}: empty; expected a line of column names, then rows")
        first, used = self._first_row()
        self._width = len(first)
        why = self._is_row(first, used, settings, asked)
        self.header = why is None
        self.names = [cell.strip() for cell in first] if self.header else [str(i + 1) for i in range(self._width)]
        if self.header:
            self._take(used)
        if notes := [*self.dialect.notes, *([(f"no names of columns: {why}", "header=False")] if why else [])]:
            findings, says = (list(side) for side in zip(*notes, strict=True))
            warn_caller(f"{name}: read as a table with {', and '.join(findings)}; said by {' and '.join(says)}")

    def indices(self, *columns: Column) -> list[int]:
        """Return where the column of texts and any others are, by name or by number from 1.

        Args:
            *columns: the column of texts, None for the only one or "text"; then the column of labels, if any.
        """
        keys = [name if name and self.names.count(name) == 1 else f"column {i}" for i, name in enumerate(self.names, 1)]
        arguments = ("column", "labels")
        asked = [self._key(column, keys, argument) for column, argument in zip(columns, arguments, strict=False)]
        if asked[0] is None and self.names.count(DEFAULT_COLUMN) > 1:
            self._key(DEFAULT_COLUMN, keys, "column")
        settled = Schema(self.name, dict.fromkeys(keys, Kind("text", True))).settle(*asked)
        if asked[0] is None and self.header and self._width == 1 and len(settled[0].split()) > 3:
            warn_caller(
                f"{self.name}: its first line, {settled[0]!r:.60}, is read as the name of its column; if it is a text, "
                "header=False"
            )
        return [keys.index(key) for key in settled]

    def _key(self, column: Column, keys: list[str], argument: str) -> str | None:
        """Return the key of a column that is named or numbered; what is neither as it is."""
        if isinstance(column, str) and self.names.count(column) > 1:
            same = [i for i, name in enumerate(self.names, 1) if name == column]
            raise self._error(
                f"{self.name}: columns {' and '.join(map(str, same))} are both called {column!r}; expected one of that "
                f"name; take it by its number, {argument}={same[0]} with header=True"
            )
        if column is None or column in self.names:
            return None if column is None else str(column)
        if not isinstance(column, int) and not column.isdecimal():
            if not self.header:
                raise self._error(
                    f"{self.name}: no column {column!r}, its columns have numbers only; expected {argument}=1 to "
                    f"{argument}={self._width}"
                )
            return column
        if not 1 <= int(column) <= self._width:
            raise self._error(
                f"{self.name}: no column {column}; expected a number from 1 to {self._width}, or a name: "
                f"{', '.join(self.names)}"
            )
        return keys[int(column) - 1]

    def blocks(self, filled: int | None = None) -> Iterator[list[Row]]:
        """Yield the rows below the header, many at once; at the end, tell which were skipped.

        Args:
            filled: a column whose cells must not be empty, such as that of labels.
        """
        while self._lines or self._more():
            rows = self._at_once(filled)
            rows = [row.cells for row in self._one_by_one(filled)] if rows is None else rows
            self.skipping.read += len(rows)
            yield rows
        self._tell()

    def numbered(self) -> Iterator[Numbered]:
        """Yield the rows below the header with their line numbers; errors are those of `blocks`."""
        while self._lines or self._more():
            for row in self._one_by_one(None):
                self.skipping.read += 1
                yield row
        self._tell()

    def _tell(self) -> None:
        self.skipping.tell()
        if self._doubtful:
            warn_caller(
                f"{self.name}: {counted(len(self._doubtful), 'line')}, from line {self._doubtful[0]:,} on, with a "
                "quotation mark that opens a cell and closes in a later line: read as rows by themselves; if cells "
                "have several lines, quoting='doubled'"
            )

    def _more(self) -> bool:
        lines = self._text.readlines(BLOCK)
        self._lines += lines
        return bool(lines)

    def _take(self, count: int) -> None:
        del self._lines[:count]
        self._number += count

    def _at_once(self, filled: int | None) -> list[Row] | None:
        """Return the rows of all lines; None if one of them needs a closer look."""
        if self.dialect.quoting == MIXED:
            text = "".join(self._lines)
            if text.startswith('"') or '\t"' in text or '\n"' in text:
                return None
            rows = list(map(_between_tabs, self._lines))
        else:
            self._end_cell()
            try:
                rows = list(self.dialect.reader(self._lines))
            except csv.Error:
                return None
            if len(rows) != len(self._lines) and not self._quotes:
                return None
        widths = set(map(len, rows))
        if 0 in widths:
            rows = [row for row in rows if row]
        if widths - {0, self._width}:
            return None
        if filled is not None and not all(map(str.strip, map(itemgetter(filled), rows))):
            return None
        self._take(len(self._lines))
        return rows

    def _end_cell(self) -> None:
        """Read on to the end of a quoted cell, which an odd number of quotation marks shows."""
        text, quoting = "".join(self._lines), self.dialect.quoting
        mark = "'" if quoting == "apostrophes" else '"'
        marks = text.count(mark) - (text.count('\\"') if quoting == "backslash" else 0)
        if marks % 2 and quoting != "none":
            for line in islice(self._text, _AFTER):
                self._lines.append(line)
                if line.count(mark) % 2:
                    break

    def _one_by_one(self, filled: int | None) -> Iterator[Numbered]:
        """Yield the rows of the lines that are read, each looked at."""
        look = self._mixed_row if self.dialect.quoting == MIXED else self._row
        at = 0
        while at < len(self._lines):
            row = look(at)
            if filled is not None and row.cells and not row.cells[filled].strip():
                row = _Found([], row.lines, f"no label in column {self.names[filled]!r}", "write one")
            if row.problem:
                self.skipping.add(self._number + at, *row[2:])
            elif row.cells:
                yield Numbered(self._number + at, row.cells)
            at += row.lines
        self._take(at)

    def _row(self, at: int) -> "_Found":
        """Return the row that begins at a line."""
        reader = self.dialect.reader(self._from(at))
        try:
            row: Row = next(reader)
        except csv.Error as error:
            return self._unread(error, reader.line_num)
        count, width = reader.line_num, self._width or len(row)
        if row and len(row) < width:
            return _Found([], count, *self._missing(row, width, count))
        if any(row[width:]):
            return _Found([], count, *self._surplus(row, width, count))
        if count > 1 and not self._quotes and self._are_rows(at, at + count):
            problem = f"a quotation mark joins it with the next line{'s' * (count > 2)}, though each is a row by itself"
            option = "if a cell has several lines, quoting='doubled'; if quotation marks are text, quoting='none'"
            return _Found([], 1, problem, "", option)
        return _Found(row[:width], count)

    def _are_rows(self, start: int, end: int) -> bool:
        """Return whether each of several lines has as many cells as the first row, if quotation marks are text."""
        separators = self._width - 1
        return separators > 0 and all(
            line.count(self.dialect.separator) == separators for line in self._lines[start:end]
        )

    def _mixed_row(self, at: int) -> "_Found":
        """Return the row that begins at a line, whether or not the table quotes cells.

        A line with as many cells as the first row is a row, also if a quotation mark opens in it and does not close, as
        in published corpora. Others are read as the csv module does: a quoted cell holds tabs and line ends.
        """
        cells = _between_tabs(self._lines[at])
        if len(cells) != self._width:
            return self._row(at)
        if any(map(_is_open, cells)):
            following = next(islice(self._from(at + 1), 1), None)
            row = _Found(cells, 1, "no cell ends") if following is None else self._row(at)
            if row.problem:
                return _Found(cells, 1)
            if len(_between_tabs(str(following))) != self._width or self._width == 1:
                return row
            self._doubtful.append(self._number + at)
            return _Found(cells, 1)
        return _Found([_unquoted(cell) for cell in cells], 1)

    def _from(self, at: int) -> Iterator[str]:
        for i in range(at, at + _LINES):
            if i == len(self._lines) and not self._more():
                return
            yield self._lines[i]

    def _first_row(self) -> tuple[Row, int]:
        row = self._row(0)
        if row.problem:
            first = Skipping(self.name, None, error=self._error)
            first.add(self._number, row.problem, row.remedy or row.option)
        return row.cells, row.lines

    def _is_row(self, first: Row, used: int, options: TableOptions, asked: Sequence[Column]) -> str | None:
        """Return why the first row holds no names; "" if that is given; None if it does."""
        if options.header is not None:
            return None if options.header else ""
        names = {cell.strip().lower() for cell in first}
        if names & _USUAL_NAMES or any(isinstance(a, str) and not a.isdecimal() for a in asked):
            return None
        rows = islice(self.dialect.reader(self._lines[used:], strict=False), ROWS)
        by_number = "columns are asked for by number" if any(a is not None for a in asked) else ""
        return is_row(first, [row for row in rows if row]) or by_number or None

    def _unread(self, error: csv.Error, count: int) -> "_Found":
        option = "if quotation marks are text, quoting='none'"
        if "end of data" in str(error):
            return _Found([], 1, "the quotation mark that opens a cell here is not closed", "close it", option)
        if "expected after" in str(error):
            where = "there" if count == 1 else f"{counted(count - 1, 'line')} further"
            problem = (
                f"the quotation mark that opens a cell here is followed by one {where}, which does not end the cell"
            )
            return _Found([], 1, problem, "write those inside a cell twice", option)
        return _Found([], 1, f"not a row ({error})", f"expected {self.dialect.separator!r} between cells")

    def _missing(self, row: Row, width: int, count: int) -> tuple[str, ...]:
        finding = f"{counted(len(row), 'cell')}, expected {width} as in the first row"
        return (
            finding,
            "add empty cells, or close the quotation mark before" if count == 1 else "look at its quotation marks",
        )

    def _surplus(self, row: Row, width: int, count: int) -> tuple[str, ...]:
        finding = f"{len(row)} cells, expected {width} as in the first row"
        if count > 1:
            return finding, "look at its quotation marks"
        quote = f"put a cell that holds {self.dialect.separator!r} between quotation marks"
        return finding, quote, "or name what separates cells with separator="


class _Found(NamedTuple):
    """The row that begins at a line, or what is wrong with it; no cells for an empty line."""

    cells: Row
    lines: int
    problem: str = ""
    remedy: str = ""
    option: str = ""


def _between_tabs(line: str) -> Row:
    return line.rstrip("\r\n").split("\t")


def _is_open(cell: str) -> bool:
    return cell.startswith('"') and cell.count('"') % 2 == 1


def _unquoted(cell: str) -> str:
    inner = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


@contextlib.contextmanager
def long_cells() -> Iterator[None]:
    """Allow cells of any length: a document may exceed the csv module's default limit of 131,072 characters."""
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)
