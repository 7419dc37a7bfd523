"""Binary word2vec vectors: a line "V D", then for each word its bytes, a space, and D little-endian float32.

word2vec.c ends each vector with a newline, gensim does not. Both are read; no newline is written.
"""

from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, brief
from firth.vectors.io.table import Reading, Table
from firth.vectors.io.text import encoded, read_header

BLOCK = 2**22  # bytes read at once
LONGEST_HEADER = 200  # bytes
LONGEST_WORD = 2**16  # bytes; a file without a space in so many bytes is not in this format

Matrix = npt.NDArray[Any]


def read(file: BinaryIO, path: str, reading: Reading) -> tuple[list[str], Matrix]:
    """Return the V words and (V, D) vectors of a binary file.

    Raises:
        FormatError: the header is invalid, the file is cut short or too long, a number is not finite, or a word is not
            valid text or repeats; the message names the record.
    """
    promised, dim = read_header(file.readline(LONGEST_HEADER), path)
    table = Table(dim, reading.dtype)
    records = _Records(file, dim)
    while len(table) < promised and not reading.enough(len(table)):
        where = f"{path} record {len(table) + 1}"
        record = records.next(where)
        if record is None:
            raise FormatError(
                f"{path}: {len(table):,} whole vectors, the header states {promised:,}; the file is cut short: "
                "copy it again, or correct the header"
            )
        token, numbers = record
        table.append(reading.word(token, where), numbers)
    if not reading.enough(len(table)) and (rest := records.rest().strip(b"\r\n ")):
        raise FormatError(
            f"{path}: {len(rest):,} or more bytes after {promised:,} vectors, the count in the header; expected the "
            "end: correct the header"
        )
    return table.finish(lambda row: f"{path} record {row + 1}", reading.duplicates)


class _Records:
    """Reads the records of a file through a buffer of a few megabytes."""

    def __init__(self, file: BinaryIO, dim: int) -> None:
        self._file, self._dim = file, dim
        self._buffer = b""
        self._place = 0

    def next(self, where: str) -> tuple[bytes, Matrix] | None:
        """Return the next word's bytes and numbers, or None at the end of the file."""
        while True:
            space = self._buffer.find(b" ", self._place)
            end = space + 1 + 4 * self._dim
            if space >= 0 and end <= len(self._buffer):
                token = self._buffer[self._place : space].removeprefix(b"\n")
                self._place = end
                return token, np.frombuffer(self._buffer, "<f4", self._dim, space + 1)
            if space < 0 and len(self._buffer) - self._place > LONGEST_WORD:
                raise FormatError(
                    f"{where}: no space in {LONGEST_WORD:,} bytes, expected the end of a word; not a word2vec file"
                )
            if not self._refill():
                return None

    def _refill(self) -> bool:
        more = self._file.read(max(BLOCK, 4 * self._dim))
        self._buffer = self._buffer[self._place :] + more
        self._place = 0
        return bool(more)

    def rest(self) -> bytes:
        """Return up to `BLOCK` of the remaining bytes."""
        return self._buffer[self._place :] + self._file.read(BLOCK)


def write(file: BinaryIO, words: Iterable[str], rows: Iterable[Matrix], header: str | None, path: str) -> None:
    """Write words and vectors in the binary format, in single precision; the arguments are those of `text.write`.

    Raises:
        FormatError: a word contains a space or a newline, which end a word in this format.
    """
    if header is not None:
        file.write(f"{header}\n".encode())
    for word, numbers in zip(words, rows, strict=True):
        token = encoded(word, path)
        if b" " in token or b"\n" in token:
            raise FormatError(
                f"{path}: the word {brief(word)} contains a space or a newline, which ends a word in this format; "
                "save it in the firth format, or as word2vec text if it contains only spaces"
            )
        file.write(token + b" " + np.asarray(numbers, dtype="<f4").tobytes())
