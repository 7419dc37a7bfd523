"""Text vectors: one word and its numbers per line, after a header line "V D" (word2vec, fastText) or without (GloVe).

A word may contain or be a space: numbers are split off from the right, and all bytes before them are the word. Only a
newline ends a line. Numbers have nine significant digits (five for half, seventeen for double precision), the fewest
that always restore the same bits; gensim writes the shortest such form, which takes twice the time.
"""

import codecs
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, brief, warn_caller
from firth.vectors.io.table import WIDEST, Reading, Table

_HINT = "if words contain spaces, pass separator='\\t' or another separator, or dim= for the width"
BYTE_ORDER_MARK = codecs.BOM_UTF8  # skipped before a header; without a header it may be part of a word
UNCOUNTED = b"<unk> "  # the last row of GloVe's program, which its header does not count
GLANCE = 1000  # lines read to find the width without a header
DIGITS = {2: 5, 4: 9, 8: 17}  # significant digits that restore the bits, by bytes per number
OTHERS = ("\t", ";", ",", "|")  # separators besides the space, in files without a header
FRACTION = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+(\.\d*)?[eE][+-]?\d+|nan|inf)", re.IGNORECASE)

Words = list[str]
Matrix = npt.NDArray[Any]


def read(file: BinaryIO, path: str, header: bool, reading: Reading) -> tuple[Words, Matrix]:
    """Return the V words and (V, D) vectors of a text file.

    Args:
        header: whether the first line is "V D".

    Raises:
        FormatError: a line has another width, the count is wrong, a number is invalid or not finite, or a word is not
            valid text or repeats; the message names the line.
    """
    lines: Iterator[bytes] = iter(file)
    promised, dim = read_header(next(lines, b"").removeprefix(BYTE_ORDER_MARK), path) if header else (None, reading.dim)
    if dim is None:
        first = list(islice(lines, GLANCE))
        reading = _with_separator(reading, first, path)
        dim = _usual_width(first, reading.separator, path)
        lines = chain(first, lines)
    split = _Splitter(dim, reading, header)
    table = Table(dim, reading.dtype)
    with warnings.catch_warnings():
        # NumPy before 2.3 only warns when it stops at invalid text.
        warnings.simplefilter("error", DeprecationWarning)
        for number, line in enumerate(lines, start=1 + header):
            if reading.enough(len(table)):
                break
            if promised is not None and len(table) == promised and line.startswith(UNCOUNTED):
                promised += 1
            if len(table) == promised or not line.strip():
                _check_end(chain([line], lines), number, len(table) == promised, path)
                break
            where = f"{path} line {number}"
            token, numbers = split(line, where)
            table.append(reading.word(token, where), numbers)
    if promised is not None and len(table) < promised and not reading.enough(len(table)):
        raise FormatError(
            f"{path}: {len(table):,} vectors, the header states {promised:,}; the file is cut short: "
            "copy it again, or correct the header"
        )
    return table.finish(lambda row: f"{path} line {row + 1 + header}", reading.duplicates)


def read_header(line: bytes, path: str) -> tuple[int, int]:
    """Return the count and the width in a header line.

    Raises:
        FormatError: the line is not a header.
    """
    try:
        count, dim = (int(field) for field in line.split())
    except ValueError:
        raise FormatError(
            f"{path} line 1: {line[:60]!r}, expected the number of vectors and their width, as in '200000 300'; "
            "if the file has no such line, read it as format='glove'"
        ) from None
    if count < 0 or not 1 <= dim <= WIDEST:
        raise FormatError(f"{path} line 1: {count} vectors of width {dim}, expected a width from 1 to {WIDEST:,}")
    return count, dim


def _with_separator(reading: Reading, lines: list[bytes], path: str) -> Reading:
    """Return the options with the separator of the first lines; warn if it is not a space."""
    filled = [line.rstrip(b" \t\r\n") for line in lines if line.strip()]
    marks = (mark for mark in OTHERS if filled and all(_ends_word(mark.encode(), line) for line in filled))
    separator = next(marks, None)
    if reading.separator != " " or separator is None:
        return reading
    if separator != "\t" or any(b" " in line.partition(b"\t")[0] for line in filled):  # else tabs are spaces
        warn_caller(f"{path}: {separator!r} ends the word on each line, not a space; said by separator={separator!r}")
    return replace(reading, separator=separator)


def _ends_word(separator: bytes, line: bytes) -> bool:
    """Return whether what stands behind a separator is numbers alone, and it is not the decimal comma of one."""
    token, _, body = line.partition(separator)
    numbers = _spaced(body, separator).split()
    _, space, end = token.rpartition(b" ")
    decimal = separator == b"," and space and is_number(end)
    return bool(token and numbers) and not decimal and all(map(is_number, numbers))


def _usual_width(lines: list[bytes], separator: str, path: str) -> int:
    """Return the most frequent width of the first lines; words with spaces and damaged lines are outvoted."""
    widths = Counter(_width(line, separator) for line in lines if line.strip())
    if not widths:
        raise FormatError(f"{path}: an empty file, expected a word and its numbers on every line")
    width = max(widths, key=lambda width: (widths[width], -width))
    if not 1 <= width <= WIDEST:
        raise FormatError(
            f"{path} line 1: {lines[0][:60]!r}, expected a word and its numbers, separated by spaces; {_HINT}"
        )
    return width


def _width(line: bytes, separator: str) -> int:
    line = line.rstrip(b" \t\r\n")
    if separator == " ":
        return line.count(b" ")
    return len(_spaced(line.partition(separator.encode())[2], separator.encode()).split())


def _check_end(lines: Iterable[bytes], number: int, full: bool, path: str) -> None:
    """Check that only blank lines remain."""
    for line_number, line in enumerate(lines, start=number):
        if line.strip():
            where_it_ends = "after as many vectors as the header states" if full else "after an empty line"
            raise FormatError(f"{path} line {line_number}: {line[:40]!r} {where_it_ends}; expected the end of the file")


def _spaced(numbers: bytes, separator: bytes) -> bytes:
    """Return numbers with spaces between them, whether the separator stands there too or only behind the word."""
    return numbers if separator.isspace() else numbers.replace(separator, b" ")


class _Splitter:
    """Splits lines into the bytes of the word and D numbers."""

    def __init__(self, dim: int, reading: Reading, header: bool) -> None:
        self._dim, self._certain = dim, reading.dim is not None
        self._separator = reading.separator.encode()
        self._refuses_tabs = self._separator == b" " and not (self._certain or header)
        self._dtype = np.float32 if reading.dtype == np.float32 else np.float64

    def __call__(self, line: bytes, where: str) -> tuple[bytes, Matrix]:
        line = line.rstrip(b" \t\r\n")
        token, body = self._token(line, where)
        if (
            self._refuses_tabs and b"\t" in token and is_number(token.rpartition(b"\t")[2])
        ):  # the first number would become a part of the word
            raise FormatError(f"{where}: a tab in the word {token.decode(errors='replace')!r}; {_HINT}")
        try:
            numbers = np.fromstring(body, dtype=self._dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            numbers = np.empty(0)
        if len(numbers) != self._dim:
            raise self._wrong(line, where)
        return token, numbers

    def _token(self, line: bytes, where: str) -> tuple[bytes, bytes]:
        if self._separator != b" ":
            token, _, body = line.partition(self._separator)
            return token, _spaced(body, self._separator)
        if line.count(b" ") <= self._dim:
            token, _, body = line.partition(b" ")
            return token, body
        token = line.rsplit(b" ", self._dim)[0]
        # One number too many looks like a word that ends in a number. It is one only if the caller states the width.
        if not self._certain and FRACTION.fullmatch(token.rsplit(b" ", 1)[-1]):
            raise self._wrong(line, where)
        return token, line[len(token) + 1 :]

    def _wrong(self, line: bytes, where: str) -> FormatError:
        fields = (
            line.split(self._separator)[1:] if self._separator == b" " else line.partition(self._separator)[2].split()
        )
        bad = next((field for field in fields[-self._dim :] if field and not is_number(field)), None)
        if bad is not None and len(fields) >= self._dim:
            text = brief(bad[:40].decode(errors="backslashreplace"))
            return FormatError(f"{where}: {text} is not a number, expected {self._dim} numbers after the word; {_HINT}")
        number_count = sum(map(is_number, fields))
        return FormatError(f"{where}: {number_count} numbers, expected {self._dim}; the line is damaged, or {_HINT}")


def is_number(field: bytes) -> bool:
    """Return whether a field is a number; unlike in Python, underscores are not allowed."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def write(file: BinaryIO, words: Iterable[str], rows: Iterable[Matrix], header: str | None, path: str) -> None:
    """Write V words and V vectors, (D,) each, as text.

    Args:
        header: the first line, or None.
    """
    if header is not None:
        file.write(f"{header}\n".encode())
    form = ""
    for word, numbers in zip(words, rows, strict=True):
        form = form or f" %.{DIGITS[numbers.dtype.itemsize]}g" * len(numbers) + "\n"
        file.write(_encoded_for_text(word, path, header is not None) + (form % tuple(numbers.tolist())).encode())


def _encoded_for_text(word: str, path: str, has_header: bool) -> bytes:
    token = encoded(word, path)
    if b" " in token and not has_header:
        raise FormatError(
            f"{path}: the word {brief(word)} contains a space, which ends a word in a file without a header; save it "
            "as word2vec or in the firth format"
        )
    if b"\n" in token or (b" " in token and FRACTION.fullmatch(token.rsplit(b" ", 1)[1])):
        why = "a newline" if b"\n" in token else "a number after a space"
        raise FormatError(
            f"{path}: the word {brief(word)} contains {why}, which a reader cannot separate from the end of a line or "
            "a vector; save it in the firth format"
        )
    return token


def encoded(word: str, path: str) -> bytes:
    """Return a word as UTF-8; bytes read with errors='surrogateescape' are restored.

    Raises:
        FormatError: the word is not valid text.
    """
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FormatError(
            f"{path}: the word {brief(word)} contains a lone surrogate, which is not valid text; replace or drop it"
        ) from None
