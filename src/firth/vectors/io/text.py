"""Text vectors: one word and its numbers a line, after a line "V D" (word2vec, fastText) or without one (GloVe).

A word may hold or be a space: the numbers are split off from the right. The bytes before them are the word, whatever
they are; only a newline ends a line. Numbers are written with nine significant digits (five for half, seventeen for
double precision), the fewest that always come back as the same bits; gensim writes the shortest such form, which takes
twice the time.
"""

import codecs
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, brief
from firth.vectors.io.table import WIDEST, Reading, Table

BYTE_ORDER_MARK = codecs.BOM_UTF8  # which editors put before a header; in a file without one it may be of a word
UNCOUNTED = b"<unk> "  # the row that GloVe's program appends for unknown words, and leaves out of its header's count
GLANCE = 1000  # lines looked at for the width, where no header states it
DIGITS = {2: 5, 4: 9, 8: 17}  # significant digits that give back the bits, by bytes a number
FRACTION = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+(\.\d*)?[eE][+-]?\d+|nan|inf)", re.IGNORECASE)

Words = list[str]
Matrix = npt.NDArray[Any]


def read(file: BinaryIO, path: str, header: bool, how: Reading) -> tuple[Words, Matrix]:
    """Return the words and vectors of a text file.

    Args:
        file: the file, at its beginning.
        path: its name, for messages.
        header: whether the first line is "V D".
        how: how to read it.

    Returns:
        V words and (V, D) vectors.

    Raises:
        FormatError: a line has another width, the count is wrong, a number is no finite number, or a word is no text or
            repeats; the message names the line.
    """
    lines: Iterator[bytes] = iter(file)
    promised, dim = read_header(next(lines, b"").removeprefix(BYTE_ORDER_MARK), path) if header else (None, how.dim)
    if dim is None:
        first = list(islice(lines, GLANCE))
        dim = _usual_width(first, how.separator, path)
        lines = chain(first, lines)
    split = _Splitter(dim, how, certain=how.dim is not None)
    table = Table(dim, how.dtype)
    with warnings.catch_warnings():
        # NumPy before 2.3 only warns when it stops at something that is no number.
        warnings.simplefilter("error", DeprecationWarning)
        for number, line in enumerate(lines, start=1 + header):
            if how.enough(len(table)):
                break
            if promised is not None and len(table) == promised and line.startswith(UNCOUNTED):
                promised += 1
            if len(table) == promised or not line.strip():
                _check_end(chain([line], lines), number, len(table) == promised, path)
                break
            where = f"{path} line {number}"
            token, numbers = split(line, where)
            table.append(how.word(token, where), numbers)
    if promised is not None and len(table) < promised and not how.enough(len(table)):
        raise FormatError(
            f"{path}: {len(table):,} vectors, the header promises {promised:,}; the file is cut short: "
            "copy it again, or correct the header"
        )
    return table.finish(lambda row: f"{path} line {row + 1 + header}", how.duplicates)


def read_header(line: bytes, path: str) -> tuple[int, int]:
    """Return the count and the width in a header line.

    Raises:
        FormatError: the line is no header.
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


def _usual_width(lines: list[bytes], separator: str, path: str) -> int:
    """Return the width that most of the first lines have; a word that holds spaces, or a damaged line, is outvoted."""
    widths = Counter(_width(line, separator) for line in lines if line.strip())
    if not widths:
        raise FormatError(f"{path}: an empty file, expected a word and its numbers on every line")
    width = max(widths, key=lambda width: (widths[width], -width))
    if not 1 <= width <= WIDEST:
        raise FormatError(f"{path} line 1: {lines[0][:60]!r}, expected a word and its numbers, separated by spaces")
    return width


def _width(line: bytes, separator: str) -> int:
    line = line.rstrip(b" \t\r\n")
    if separator == " ":
        return line.count(b" ")
    return len(line.partition(separator.encode())[2].split())


def _check_end(lines: Iterable[bytes], number: int, full: bool, path: str) -> None:
    """Check that nothing but blank lines is left."""
    for place, line in enumerate(lines, start=number):
        if line.strip():
            where_it_ends = "after as many vectors as the header promises" if full else "after an empty line"
            raise FormatError(f"{path} line {place}: {line[:40]!r} {where_it_ends}; expected the end of the file")


class _Splitter:
    """Takes lines apart into the word's bytes and D numbers."""

    def __init__(self, dim: int, how: Reading, certain: bool) -> None:
        self._dim, self._certain = dim, certain
        self._separator = how.separator.encode()
        self._dtype = np.float32 if how.dtype == np.float32 else np.float64

    def __call__(self, line: bytes, where: str) -> tuple[bytes, Matrix]:
        line = line.rstrip(b" \t\r\n")
        token, body = self._token(line, where)
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
            return token, body
        if line.count(b" ") <= self._dim:
            token, _, body = line.partition(b" ")
            return token, body
        token = line.rsplit(b" ", self._dim)[0]
        # One number too many looks like a word that ends in a number; the width outvotes it only if the caller gave it.
        if not self._certain and FRACTION.fullmatch(token.rsplit(b" ", 1)[-1]):
            raise self._wrong(line, where)
        return token, line[len(token) + 1 :]

    def _wrong(self, line: bytes, where: str) -> FormatError:
        fields = (
            line.split(self._separator)[1:] if self._separator == b" " else line.partition(self._separator)[2].split()
        )
        bad = next((field for field in fields[-self._dim :] if field and not is_number(field)), None)
        if bad is not None and len(fields) >= self._dim:
            shown = brief(bad[:40].decode(errors="backslashreplace"))
            return FormatError(f"{where}: {shown} is no number, expected {self._dim} numbers after the word")
        number_count = sum(map(is_number, fields))
        hint = "if words hold spaces, pass separator='\\t' or whatever ends them, or dim= for the width"
        return FormatError(f"{where}: {number_count} numbers, expected {self._dim}; the line is damaged, or {hint}")


def is_number(field: bytes) -> bool:
    """Return whether a field is a number, which has no underscores as Python's may."""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


def write(file: BinaryIO, words: Iterable[str], rows: Iterable[Matrix], header: str | None, path: str) -> None:
    """Write words and vectors as text.

    Args:
        file: open for writing.
        words: V words.
        rows: V vectors, (D,) each.
        header: the first line, or None.
        path: the name of the file, for messages.

    Raises:
        FormatError: a word holds a newline, or ends in a number after a space: no reader could tell it from the vector;
            or it holds a space and there is no header, which alone says where the vector begins.
    """
    if header is not None:
        file.write(f"{header}\n".encode())
    form = ""
    for word, numbers in zip(words, rows, strict=True):
        form = form or f" %.{DIGITS[numbers.dtype.itemsize]}g" * len(numbers) + "\n"
        file.write(_written(word, path, header is not None) + (form % tuple(numbers.tolist())).encode())


def _written(word: str, path: str, has_header: bool) -> bytes:
    token = encoded(word, path)
    if b" " in token and not has_header:
        raise FormatError(
            f"{path}: the word {brief(word)} holds a space, which ends a word in a file without a header; save it as "
            "word2vec or in the firth format"
        )
    if b"\n" in token or (b" " in token and FRACTION.fullmatch(token.rsplit(b" ", 1)[1])):
        why = "a newline" if b"\n" in token else "a number after a space"
        raise FormatError(
            f"{path}: the word {brief(word)} holds {why}, which a text file cannot tell from the end of a line or a "
            "vector; save it in the firth format"
        )
    return token


def encoded(word: str, path: str) -> bytes:
    """Return a word as UTF-8; bytes that came in by errors='surrogateescape' go out as they were.

    Raises:
        FormatError: the word is no text.
    """
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FormatError(
            f"{path}: the word {brief(word)} holds a lone surrogate, which is no text; replace or drop it"
        ) from None
