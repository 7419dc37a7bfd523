"""floret's text tables: a small hash table of n-grams, where each n-gram has several rows; no words.

    BUCKETS DIM MIN_N MAX_N HASHES SEED < >
    0 number number ...
    1 number number ...

The file has all rows, in order. spaCy reads and writes these files, too.
"""

from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError
from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.io.table import WIDEST, check_finite
from firth.vectors.io.text import is_number

FIELDS = 8
MARKS = ["<", ">"]
LONGEST_HEADER = 200  # bytes
CHUNK = 2**20  # numbers per chunk; memory is not reserved by the header's count


def is_header(line: bytes) -> bool:
    """Return whether a line is the header of a floret table."""
    fields = line.split()
    numbers, marks = fields[: FIELDS - 2], fields[FIELDS - 2 :]
    # A GloVe line may begin with whole numbers, too, but it ends in numbers.
    return len(marks) == 2 and all(field.isdigit() for field in numbers) and not any(map(is_number, marks))


def read(file: BinaryIO, path: str) -> NgramRows:
    """Return the rows of a table. A table has no words; see `SubwordVectors.with_words`.

    Raises:
        FormatError: the header or a row is invalid, or rows are missing.
    """
    hashing, dim = _read_header(file.readline(LONGEST_HEADER), path)
    chunks: list[npt.NDArray[np.float32]] = []
    rows = max(CHUNK // dim, 1)
    for first in range(0, hashing.buckets, rows):
        chunk = np.empty((min(rows, hashing.buckets - first), dim), dtype=np.float32)
        for row in range(len(chunk)):
            chunk[row] = _numbers(file.readline(), first + row, dim, path)
        chunks.append(chunk)
    if file.read(2).strip():
        raise FormatError(f"{path}: more than the {hashing.buckets:,} rows that the first line states; damaged")
    matrix = np.concatenate(chunks)
    check_finite(matrix, lambda row: f"{path} line {row + 2}")
    return NgramRows(hashing, matrix)


def _read_header(line: bytes, path: str) -> tuple[Hashing, int]:
    fields = line.decode("utf-8", "replace").split()
    if not is_header(line) or fields[FIELDS - 2 :] != MARKS:
        raise FormatError(f"{path} line 1: {line[:60]!r}, expected six whole numbers and the marks < and >")
    buckets, dim, min_n, max_n, hashes, seed = map(int, fields[: FIELDS - 2])
    fits = 1 <= dim <= WIDEST and 1 <= hashes <= 4 and seed < 2**32 and 1 <= buckets < 2**31 and max_n < 2**31
    if not fits or not (max_n == 0 or 1 <= min_n <= max_n):
        raise FormatError(
            f"{path} line 1: {buckets} rows, width {dim}, n-grams of {min_n} to {max_n}, {hashes} hashes, seed {seed}; "
            "expected 1 to 4 hashes, n-grams of at least 1, and numbers in floret's ranges: the file is damaged"
        )
    return Hashing(max(min_n, 1), max_n, buckets, hashes, seed), dim


def _numbers(line: bytes, row: int, dim: int, path: str) -> npt.NDArray[np.float32]:
    where = f"{path} line {row + 2}"
    name, *fields = line.split() or [b""]
    if not line:
        raise FormatError(f"{where}: the end of the file, expected row {row:,}; it is cut short: copy it again")
    if name != str(row).encode() or len(fields) != dim:
        raise FormatError(
            f"{where}: row {name[:20].decode('utf-8', 'replace')!r} with {len(fields)} numbers, expected row {row} "
            f"with {dim}: the file is damaged"
        )
    try:
        return np.array(fields, dtype=np.float32)
    except ValueError as error:
        raise FormatError(f"{where}: {error}; expected {dim} numbers") from None


def write(file: BinaryIO, ngrams: NgramRows) -> None:
    """Write a table of n-grams hashed with floret's method.

    Raises:
        OptionError: the n-grams are hashed with fastText's method.
    """
    hashing, dim = ngrams.hashing, ngrams.matrix.shape[1]
    if not hashing.hashes:
        raise OptionError(
            "these n-grams are hashed with fastText's method, which floret cannot read: train with hashing='floret' "
            "and about 50,000 buckets, or save as fasttext"
        )
    marks = " ".join(MARKS)
    numbers = hashing.buckets, dim, hashing.min_n, hashing.max_n, hashing.hashes, hashing.seed
    file.write(f"{' '.join(map(str, numbers))} {marks}\n".encode())
    form = " %.9g" * dim + "\n"
    rows = max(CHUNK // dim, 1)
    for first in range(0, hashing.buckets, rows):
        buckets = np.arange(first, min(first + rows, hashing.buckets))
        positions = ngrams.positions(buckets)
        block = np.zeros((len(buckets), dim), dtype=np.float32)
        block[positions >= 0] = ngrams.rows(positions[positions >= 0])
        for bucket, row in zip(buckets.tolist(), block.tolist(), strict=True):
            file.write((str(bucket) + form % tuple(row)).encode())
