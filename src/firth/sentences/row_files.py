"""Files of text vectors that grow row by row: .npy, .jsonl and .parquet.

| name ends in | row |
|---|---|
| .npy | a vector; `numpy.load(path, mmap_mode="r")` maps the (N, D) float32 array |
| .jsonl | `{"text": "...", "vector": [...]}` |
| .parquet | the columns text, and vector, a list of D float32 |

A file of the first two formats can be continued after any row, a Parquet file after it was closed.
"""

import json
import os
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np

from firth.errors import FormatError, OptionError, import_extra
from firth.storage.files import first_bytes
from firth.storage.untrusted import parse_json
from firth.storage.user_files import open_file
from firth.vectors.cosine import Matrix

NPY_HEADER = 128  # bytes, whatever the number of rows
FORMATS = (".npy", ".jsonl", ".parquet")
STARTS = {".npy": b"\x93NUMPY", ".jsonl": b'{"text":', ".parquet": b"PAR1"}


class RowFile(Protocol):
    """A file of vectors that is being written."""

    def append(self, texts: Sequence[str], vectors: Matrix) -> int:
        """Write rows, without the texts in .npy; return the size in bytes, 0 if only a closed file can be continued."""
        ...

    def flush(self) -> bool:
        """Make written rows durable; return whether the file can be continued from here if it is not closed."""
        ...

    def close(self) -> None:
        """Finish and close the file."""
        ...


def format_of(path: Path) -> str:
    """Return the suffix of a file of vectors, in lower case."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError(f"{path}: expected a name that ends in {', '.join(FORMATS)}")
    return path.suffix.lower()


def has_format(path: Path) -> bool:
    """Return whether a file begins like a file of vectors of the format that its name says."""
    return first_bytes(path).startswith(STARTS[format_of(path)])


def create(path: Path, format: str, dim: int) -> RowFile:
    """Return a new file of vectors of width `dim`."""
    make: dict[str, Callable[[Path, int], RowFile]] = {".npy": NpyRows, ".jsonl": JsonRows, ".parquet": ParquetRows}
    return make[format](path, dim)


def continued(path: Path, format: str, dim: int, size: int) -> RowFile:
    """Return a file whose first `size` bytes are finished rows, to append more."""
    if path.stat().st_size < size:
        raise FormatError(
            f"{path}: {path.stat().st_size:,} bytes, expected at least {size:,}; delete it to start again"
        )
    if format == ".parquet":
        return ParquetRows.continued(path, dim)
    os.truncate(path, size)
    return NpyRows(path, dim, new=False) if format == ".npy" else JsonRows(path, dim, new=False)


def first_rows(path: Path, format: str, dim: int, count: int) -> Matrix:
    """Return the first rows of a file that is being written."""
    try:
        if format == ".npy":
            with open_file(path) as file:
                rows = np.fromfile(file, dtype=np.float32, count=count * dim, offset=NPY_HEADER)
        elif format == ".jsonl":
            with open_file(path) as file:
                rows = np.array([parse_json(line)["vector"] for line in islice(file, count)], dtype=np.float32)
        else:
            batch = next(_parquet().ParquetFile(path).iter_batches(count, columns=["vector"]))
            rows = np.asarray(batch.column(0).flatten(), dtype=np.float32)
        return rows.reshape(count, dim)
    except (ValueError, KeyError, TypeError, StopIteration, OSError) as error:
        raise FormatError(f"{path}: damaged ({error}); delete it to start again") from error


class NpyRows:
    """NumPy's format; the header is written again when the number of rows is known."""

    def __init__(self, path: Path, dim: int, *, new: bool = True) -> None:
        self._dim = dim
        self._file = path.open("wb" if new else "r+b")
        self._file.seek(0, os.SEEK_END)
        if new:
            self._file.write(npy_header(0, dim))

    def append(self, texts: Sequence[str], vectors: Matrix) -> int:
        """Write rows and return the size in bytes; the texts are ignored."""
        self._file.write(np.ascontiguousarray(vectors, dtype="<f4").data)
        return self._file.tell()

    def flush(self) -> bool:
        """Make written rows durable."""
        return _synced(self._file)

    def close(self) -> None:
        """Finish and close the file."""
        rows = (self._file.tell() - NPY_HEADER) // (4 * self._dim)
        self._file.seek(0)
        self._file.write(npy_header(rows, self._dim))
        self.flush()
        self._file.close()


def _synced(file: BinaryIO) -> bool:
    file.flush()
    os.fsync(file.fileno())
    return True


def npy_header(rows: int, dim: int) -> bytes:
    """Return the header of a .npy file of float32, version 1.0 of the format, padded to `NPY_HEADER` bytes."""
    facts = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dim}), }}"
    length = NPY_HEADER - 10
    return b"\x93NUMPY\x01\x00" + length.to_bytes(2, "little") + facts.ljust(length - 1).encode() + b"\n"


class JsonRows:
    """One JSON object per line."""

    def __init__(self, path: Path, dim: int, *, new: bool = True) -> None:
        self._form = "[" + ", ".join(["%.9g"] * dim) + "]"  # nine digits distinguish all float32 numbers
        self._file = path.open("wb" if new else "ab")

    def append(self, texts: Sequence[str], vectors: Matrix) -> int:
        """Write rows and return the size in bytes."""
        for text, vector in zip(texts, vectors.tolist(), strict=True):
            line = f'{{"text": {json.dumps(text)}, "vector": {self._form % tuple(vector)}}}\n'
            self._file.write(line.encode())
        return self._file.tell()

    def flush(self) -> bool:
        """Make written rows durable."""
        return _synced(self._file)

    def close(self) -> None:
        """Close the file."""
        self.flush()
        self._file.close()


class ParquetRows:
    """Parquet, a row group per call of `append`."""

    def __init__(self, path: Path, dim: int) -> None:
        arrow = _arrow()
        vector = arrow.list_(arrow.float32(), dim)
        self._schema = arrow.schema([("text", arrow.string()), ("vector", vector)])
        self._path, self._dim = path, dim
        self._writer = _parquet().ParquetWriter(path, self._schema, compression="zstd")

    @classmethod
    def continued(cls, path: Path, dim: int) -> "ParquetRows":
        """Return a writer of the rows of a closed file, which it replaces, and more.

        Raises:
            FormatError: the file is damaged.
        """
        before = path.with_name(path.name + ".before")
        path.replace(before)
        try:
            file = _parquet().ParquetFile(before)
            rows = cls(path, dim)
            for group in range(file.num_row_groups):
                rows._writer.write_table(file.read_row_group(group))
        except ValueError as error:  # ArrowInvalid is one
            raise FormatError(f"{path}: damaged ({error}); delete it to start again") from error
        finally:
            before.unlink(missing_ok=True)
        return rows

    def append(self, texts: Sequence[str], vectors: Matrix) -> int:
        """Write a row group and return 0."""
        arrow = _arrow()
        safe = [text.encode("utf-8", "replace").decode() for text in texts]
        numbers = arrow.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1))
        columns = [arrow.array(safe, arrow.string()), arrow.FixedSizeListArray.from_arrays(numbers, self._dim)]
        self._writer.write_table(arrow.Table.from_arrays(columns, schema=self._schema))
        return 0

    def flush(self) -> bool:
        """Return False: a Parquet file has no end before it is closed."""
        return False

    def close(self) -> None:
        """Finish and close the file."""
        self._writer.close()
        with self._path.open("rb") as file:
            os.fsync(file.fileno())


def _arrow() -> Any:
    return import_extra("pyarrow", "write Parquet", "arrow")


def _parquet() -> Any:
    return import_extra("pyarrow.parquet", "write Parquet", "arrow")
