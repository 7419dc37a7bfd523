"""Lines and tables of gold-standard files, with line numbers for error messages."""

import io
import math
import os
import re
from collections.abc import Sequence

from firth.corpus.dialects import Dialect
from firth.corpus.separated import Separated
from firth.errors import FormatError
from firth.storage.files import text_of

PathLike = str | os.PathLike[str]
Row = tuple[int, list[str]]  # line number, fields
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


def numbered_lines(path: PathLike, *, strict: bool = True, comments: bool = True) -> list[tuple[int, str]]:
    """Return the non-empty lines of a file with their numbers, stripped of white space.

    Args:
        path: the file, plain or gzip (`.gz`).
        strict: whether to refuse damaged UTF-8, in place of replacing and counting.
        comments: whether lines that start with `#` are comments and skipped.
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
        path: separated by commas, tabs or whatever separates its first lines, UTF-8; fields may be quoted.

    Returns:
        For each row below the header: its first line number, and its fields in the order of `names`.
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
    return [(number, [fields[column] for column in columns]) for number, fields in body]


def _table(path: PathLike) -> list[Row]:
    """Non-empty rows; a quoted field may contain separators and line ends."""
    content = text_of(path)
    if not content.strip():
        return []
    default = Dialect("\t" if "\t" in content.partition("\n")[0] else ",", "doubled", spaces=True)
    table = Separated(io.StringIO(content, newline=""), str(path), default, None, header=False, error=FormatError)
    rows = [(number, [field.strip() for field in fields]) for number, fields in table.numbered()]
    return [(number, fields) for number, fields in rows if any(fields)]


def finite_number(field: str) -> float | None:
    """Return the finite number in a field, which may have a decimal comma, or None if it holds none."""
    try:
        value = float(field.replace(",", ".") if _DECIMAL_COMMA.fullmatch(field) else field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def score_of(field: str, where: str) -> float:
    """Return the finite score in a field.

    Args:
        where: file and line, for the message.
    """
    value = finite_number(field)
    if value is None:
        raise FormatError(f"{where}: score {field!r}, expected a finite number")
    return value
