"""Tables for the readers of foreign formats: rows added one by one, and the checks common to all formats."""

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief
from firth.storage.encodings import named_encoding
from firth.storage.files import check_replaceable

CHUNK = 2**20  # numbers per chunk
PRECISIONS = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
WIDEST = 2**20  # numbers per vector; a line that states more is not a header

Duplicates = Literal["raise", "first", "warn"]
Where = Callable[[int], str]  # location of a row, for messages: "vectors.txt line 7"


class LoadArguments(TypedDict, total=False):
    """The keyword arguments of `firth.load`, for functions that pass them on."""

    format: str | None
    encoding: str
    errors: str
    limit: int | None
    dtype: npt.DTypeLike | None
    duplicates: Duplicates
    separator: str
    dim: int | None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options for reading a foreign file.

    Attributes:
        encoding: encoding of the words.
        errors: handling of invalid bytes, as in `bytes.decode`.
        limit: number of vectors to read, from the first; None reads all.
        dtype: precision of the vectors in memory.
        duplicates: "raise", or "first" or "warn", which keep the first vector of a repeated word.
        separator: text between a word and its numbers in a text file.
        dim: width, for a text file without a header and with spaces in words; None detects it.

    Raises:
        OptionError: an option is out of range.
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
            raise OptionError(f"dim={self.dim}: expected a width from 1 to {WIDEST:,}, or None to detect it")
        if self.dtype not in PRECISIONS:
            raise OptionError(f"dtype={self.dtype}: expected float32, float16 or float64")
        if self.duplicates not in ("raise", "first", "warn"):
            raise OptionError(f"duplicates={brief(self.duplicates)}: expected 'raise', 'first' or 'warn'")
        if not self.separator:
            raise OptionError("separator='': expected the character between a word and its numbers")

    def enough(self, rows: int) -> bool:
        """Return whether this number of rows reaches the limit."""
        return self.limit is not None and rows >= self.limit

    def word(self, token: bytes, where: str) -> str:
        """Decode a word.

        Raises:
            FormatError: the bytes are not valid in the encoding.
            OptionError: the encoding or the error handling is unknown.
        """
        try:
            return token.decode(self.encoding, self.errors)
        except UnicodeDecodeError:
            raise FormatError(
                f"{where}: the word {token!r} is not {self.encoding}; pass errors='replace' (or 'ignore', "
                "'surrogateescape'), or the encoding of the file"
            ) from None
        except LookupError as error:
            raise OptionError(f"{error}: expected the name of an encoding and of an error handler") from None


_given: ContextVar[Mapping[str, Any] | None] = ContextVar("given", default=None)


@contextlib.contextmanager
def reading_vectors(**given: Any) -> Iterator[None]:
    """Read the files of vectors inside with options that the user names for all of them, as on the command line.

    Args:
        given: fields of `Reading`; those of None are not named.
    """
    token = _given.set({**(_given.get() or {}), **{name: value for name, value in given.items() if value is not None}})
    try:
        yield
    finally:
        _given.reset(token)


def as_named(**options: Any) -> Reading:
    """Return options of reading; those at their defaults are as `reading_vectors` names them."""
    encoding = named_encoding()
    named = {**({} if encoding is None else {"encoding": encoding}), **(_given.get() or {})}
    defaults = {option.name: option.default for option in fields(Reading)}
    return Reading(**{k: named.get(k, value) if value == defaults[k] else value for k, value in options.items()})


def check_file_target(path: Path, format: str, is_ours: Callable[[Path], bool], what: str) -> None:
    """Check that writing a file replaces nothing but what firth may have written.

    Raises:
        OptionError: the path is a folder, or a file of something else.
    """
    if path.is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write as {format}")
    check_replaceable(path, is_ours, what)


class Table:
    """Words and rows, stored in chunks, so that a wrong header cannot reserve memory."""

    def __init__(self, dim: int, dtype: npt.DTypeLike) -> None:
        self.words: list[str] = []
        self._dim, self._dtype = dim, dtype
        self._chunks: list[npt.NDArray[Any]] = []
        self._size = max(CHUNK // dim, 1)

    def __len__(self) -> int:
        return len(self.words)

    def append(self, word: str, numbers: npt.NDArray[Any]) -> None:
        """Add a row of D numbers."""
        row = len(self.words) % self._size
        if row == 0:
            self._chunks.append(np.empty((self._size, self._dim), dtype=self._dtype))
        self._chunks[-1][row] = numbers
        self.words.append(word)

    def finish(self, where: Where, duplicates: Duplicates) -> tuple[list[str], npt.NDArray[Any]]:
        """Return the words and the (V, D) matrix, checked."""
        matrix = np.empty((len(self.words), self._dim), dtype=self._dtype)
        for start in range(0, len(matrix), self._size):
            chunk = self._chunks.pop(0)  # freed as soon as it is copied
            matrix[start : start + self._size] = chunk[: len(matrix) - start]
        check_finite(matrix, where)
        rows = _first_uses(self.words, where, duplicates)
        return (self.words, matrix) if rows is None else ([self.words[row] for row in rows], matrix[rows])


def check_finite(matrix: npt.NDArray[Any], where: Where) -> None:
    """Check that the numbers of a matrix are finite."""
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
    """Return the precision to store a matrix in: `dtype`, or that of the matrix.

    Raises:
        OptionError: it is not half, single or double precision.
    """
    precision = matrix.dtype if dtype is None else np.dtype(dtype)
    if precision not in PRECISIONS:
        raise OptionError(f"dtype={precision}: expected float32, float16 or float64")
    return precision


def check_fits(words: Sequence[Any], matrix: npt.NDArray[Any], dtype: np.dtype[Any]) -> None:
    """Check that word vectors are finite in the precision of the file."""
    with np.errstate(over="ignore"):
        size = max(CHUNK // max(matrix.shape[1], 1), 1)
        for start in range(0, len(matrix), size):
            part = matrix[start : start + size].astype(dtype, copy=False)
            _check_part(part, start, lambda row: f"the vector of {words[row]!r}")


def _first_uses(words: Sequence[str], where: Where, duplicates: Duplicates) -> list[int] | None:
    """Return the row of the first occurrence of each word, or None if no word repeats."""
    if len(set(words)) == len(words):
        return None
    rows: dict[str, int] = {}
    repetition = ""
    for row, word in enumerate(words):
        first = rows.setdefault(word, row)
        if first != row and not repetition:
            repetition = f"{where(row)}: the word {word!r} for the second time, first at {where(first)}"
    if duplicates == "raise":
        raise FormatError(
            f"{repetition}; expected each word once: drop one, or pass duplicates='first' to keep the first"
        )
    if duplicates == "warn":
        warnings.warn(f"{repetition}; the first vector of each word is used", UserWarning, stacklevel=2)
    return list(rows.values())


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file of another program holds.

    Attributes:
        words: V words.
        matrix: (V, D) vectors.
        attributes: (V,) attributes of the words, by name.
        metadata: facts about the vectors.
    """

    words: list[str]
    matrix: npt.NDArray[Any]
    attributes: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def counts_and_others(self) -> tuple[npt.NDArray[np.int64] | None, dict[str, npt.NDArray[Any]]]:
        """Return the counts, (V,) or None, and the other attributes.

        Raises:
            FormatError: the counts are no whole numbers.
        """
        rest = dict(self.attributes)
        counts = rest.pop("count", None)
        if counts is None:
            return None, rest
        with np.errstate(invalid="ignore"):
            whole = counts.astype(np.int64) if counts.dtype.kind in "iuf" else None
        if whole is None or not (whole == counts).all() or (whole < 0).any():
            raise FormatError("the column 'count' holds something else than whole numbers from 0; name it otherwise")
        return whole, rest


def settle(words: list[str], matrix: npt.NDArray[Any], where: Where, reading: Reading, **more: Any) -> Contents:
    """Return the contents of a file that was read whole: the first vectors, in the precision asked for, checked.

    Args:
        matrix: (V, D) vectors; mapped ones stay mapped where the precision is theirs.
        more: further fields of `Contents`.
    """
    words, matrix = words[: reading.limit], matrix[: reading.limit]
    with np.errstate(over="ignore"):
        matrix = matrix.astype(reading.dtype, copy=False)
    check_finite(matrix, where)
    columns = {name: column[: reading.limit] for name, column in more.pop("attributes", {}).items()}
    rows = _first_uses(words, where, reading.duplicates)
    if rows is not None:
        words, matrix = [words[row] for row in rows], matrix[rows]
        columns = {name: column[rows] for name, column in columns.items()}
    return Contents(words, matrix, columns, **more)
