"""What a reader of a foreign file gathers: rows that arrive one by one, and the checks that every format shares."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief

CHUNK = 2**20  # numbers of a chunk
PRECISIONS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
WIDEST = 2**20  # numbers of a vector; a header that claims more is no header

Duplicates = Literal["raise", "first", "warn"]
Where = Callable[[int], str]  # the place of a row, for messages: "vectors.txt line 7"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read a foreign file.

    Attributes:
        encoding: the encoding of the words.
        errors: what to do with bytes that are no text, as in `bytes.decode`.
        limit: read the first so many vectors; None reads all.
        dtype: the precision to hold the vectors in.
        duplicates: "raise", or "first" or "warn": a word that repeats keeps its first vector.
        separator: what stands between a word and its numbers in a text file.
        dim: the width, for a text file without a header whose words hold spaces; None finds it out.

    Raises:
        OptionError: one of them is out of its range.
    """

    encoding: str = "utf-8"
    errors: str = "strict"
    limit: int | None = None
    dtype: np.dtype[Any] = field(default_factory=lambda: np.dtype(np.float32))
    duplicates: Duplicates = "raise"
    separator: str = " "
    dim: int | None = None

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise OptionError(f"limit={self.limit}: expected at least 1 vector, or None for all")
        if self.dim is not None and not 1 <= self.dim <= WIDEST:
            raise OptionError(f"dim={self.dim}: expected a width from 1 to {WIDEST:,}, or None to find it out")
        if self.dtype not in PRECISIONS:
            raise OptionError(f"dtype={self.dtype}: expected float32, float16 or float64")
        if self.duplicates not in ("raise", "first", "warn"):
            raise OptionError(f"duplicates={brief(self.duplicates)}: expected 'raise', 'first' or 'warn'")
        if not self.separator:
            raise OptionError("separator='': expected the character between a word and its numbers")

    def enough(self, rows: int) -> bool:
        """Return whether as many vectors as wanted have been read."""
        return self.limit is not None and rows >= self.limit

    def word(self, token: bytes, where: str) -> str:
        """Return a word from its bytes.

        Raises:
            FormatError: the bytes are no text in the encoding.
            OptionError: there is no such encoding or way to treat errors.
        """
        try:
            return token.decode(self.encoding, self.errors)
        except UnicodeDecodeError:
            raise FormatError(
                f"{where}: the word {token!r} is not {self.encoding}; pass errors='replace' (or 'ignore', "
                "'surrogateescape'), or the encoding of the file"
            ) from None
        except LookupError as error:
            raise OptionError(f"{error}: expected the name of an encoding and of a way to treat errors") from None


class Table:
    """Words and rows, gathered in chunks: a header's promise is never trusted with memory."""

    def __init__(self, dim: int, dtype: npt.DTypeLike) -> None:
        self.words: list[str] = []
        self._dim, self._dtype = dim, dtype
        self._chunks: list[npt.NDArray[Any]] = []
        self._size = max(CHUNK // dim, 1)

    def __len__(self) -> int:
        return len(self.words)

    def append(self, word: str, numbers: npt.NDArray[Any]) -> None:
        """Add a row of D numbers."""
        place = len(self.words) % self._size
        if place == 0:
            self._chunks.append(np.empty((self._size, self._dim), dtype=self._dtype))
        self._chunks[-1][place] = numbers
        self.words.append(word)

    def finish(self, where: Where, duplicates: Duplicates) -> tuple[list[str], npt.NDArray[Any]]:
        """Return the words and the (V, D) matrix, checked.

        Raises:
            FormatError: a number is not finite, or a word repeats.
        """
        matrix = np.empty((len(self.words), self._dim), dtype=self._dtype)
        for start in range(0, len(matrix), self._size):
            chunk = self._chunks.pop(0)  # freed as soon as it is copied
            matrix[start : start + self._size] = chunk[: len(matrix) - start]
        check_finite(matrix, where)
        kept = _first_uses(self.words, where, duplicates)
        return (self.words, matrix) if kept is None else ([self.words[row] for row in kept], matrix[kept])


def check_finite(matrix: npt.NDArray[Any], where: Where) -> None:
    """Check that a matrix holds finite numbers, a chunk at a time.

    Raises:
        FormatError: a number is NaN or infinite; the message names the first row.
    """
    size = max(CHUNK // max(matrix.shape[1], 1), 1)
    for start in range(0, len(matrix), size):
        _check_part(matrix[start : start + size], start, where)


def _check_part(part: npt.NDArray[Any], start: int, where: Where) -> None:
    finite = np.isfinite(part)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        number = part[row, column]
        raise FormatError(
            f"{where(start + int(row))}: number {column + 1} is {number} as {part.dtype}, expected a finite number"
        )


def stored_dtype(matrix: npt.NDArray[Any], dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """Return the precision to store a matrix in: the caller's, or its own.

    Raises:
        OptionError: it is none of half, single and double.
    """
    stored = matrix.dtype if dtype is None else np.dtype(dtype)
    if stored not in PRECISIONS:
        raise OptionError(f"dtype={stored}: expected float32, float16 or float64")
    return stored


def check_fits(words: Sequence[Any], matrix: npt.NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Check that the vectors of words are finite, also in the precision that they will be stored in.

    Raises:
        FormatError: one is not; the message names the first such word.
    """
    with np.errstate(over="ignore"):
        size = max(CHUNK // max(matrix.shape[1], 1), 1)
        for start in range(0, len(matrix), size):
            part = matrix[start : start + size].astype(dtype, copy=False)
            _check_part(part, start, lambda row: f"the vector of {words[row]!r}")


def _first_uses(words: Sequence[str], where: Where, duplicates: Duplicates) -> list[int] | None:
    """Return the rows of first uses, or None where no word repeats."""
    if len(set(words)) == len(words):
        return None
    rows: dict[str, int] = {}
    told = ""
    for row, word in enumerate(words):
        first = rows.setdefault(word, row)
        if first != row and not told:
            told = f"{where(row)}: the word {word!r} for the second time, first at {where(first)}"
    if duplicates == "raise":
        raise FormatError(f"{told}; expected each word once: drop one, or pass duplicates='first' to keep the first")
    if duplicates == "warn":
        warnings.warn(f"{told}; kept the first of each", UserWarning, stacklevel=2)
    return list(rows.values())
