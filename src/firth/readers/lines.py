"""Lines and tables of gold-standard files, with line numbers for error messages."""

import csv
import math
import os
from collections.abc import Sequence

from firth.errors import FormatError, counted
from firth.storage.files import text_of

PathLike = str | os.PathLike[str]
Row = tuple[int, list[str]]  # line number, fields


def numbered_lines(path: PathLike, *, strict: bool = True, comments: bool = True) -> list[tuple[int, str]]:
    """Return the non-empty lines of a file with their numbers, stripped of white space.

    Args:
        path: the file, plain or gzip (`.gz`).
        strict: whether to refuse damaged UTF-8, in place of replacing and counting.
        comments: whether lines that start with `#` are comments and skipped.

    Raises:
        FormatError: the file is in no encoding that is known, is named `.gz` but is not gzip, or has no line with text.
        OSError: the file cannot be read.
    """
    # Not splitlines: it also breaks at U+0085 and the like, which may be part of a word.
    lines = [(number, line.strip("\r\n ")) for number, line in enumerate(text_of(path, strict=strict).split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip() and not (comments and line.startswith("#"))]
    if not lines:
        raise FormatError(f"{path}: empty; expected text, one item per line")
    return lines


def named_columns(path: PathLike, names: Sequence[str]) -> list[Row]:
    """Read columns of a table by the names in its header; their order and other columns do not matter.

    Args:
        path: comma- or tab-separated, UTF-8; fields may be quoted.
        names: the column names.

    Returns:
        For each row below the header: its first line number, and its fields in the order of `names`.

    Raises:
        FormatError: a name is not in the header, a row has a different number of columns, or a quote is not closed.
        OSError: the file cannot be read.
    """
    expected = ", ".join(names)
    rows = _table(path)
    if not rows:
        raise FormatError(f"{path}: empty; expected a table with the columns {expected}")
    (_, header), *body = rows
    missing = [name for name in names if name not in header]
    if missing:
        raise FormatError(f"{path} line 1: no column {missing[0]!r}; expected a header with the columns {expected}")
    columns = [header.index(name) for name in names]
    for number, fields in body:
        if len(fields) != len(header):
            raise FormatError(
                f"{path} line {number}: {counted(len(fields), 'column')}, expected {len(header)} as in the header"
            )
    return [(number, [fields[column] for column in columns]) for number, fields in body]


def _table(path: PathLike) -> list[Row]:
    """Non-empty rows; a quoted field may contain separators and line ends."""
    lines = text_of(path).removesuffix("\n").split("\n")
    delimiter = "\t" if "\t" in lines[0] else ","
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True, strict=True)
    rows, first = [], 1
    try:
        for fields in reader:
            if any(field.strip() for field in fields):
                rows.append((first, [field.strip() for field in fields]))
            first = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"{path} line {first}: {error}; expected a table with its quotes closed") from None
    return rows


def finite_number(field: str) -> float | None:
    """Return the finite number in a field, or None if it holds none."""
    try:
        value = float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def score_of(field: str, where: str) -> float:
    """Return the finite score in a field.

    Args:
        field: the text.
        where: file and line, for the message.

    Raises:
        FormatError: the field is not a finite number.
    """
    value = finite_number(field)
    if value is None:
        raise FormatError(f"{where}: score {field!r}, expected a finite number")
    return value
