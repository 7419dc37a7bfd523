"""Parquet: a column of words, a column of vectors, a column per attribute.

The columns are those of `firth.vectors.exchange.to_arrow`, which DuckDB, polars, pandas, Hugging Face datasets and
embedding-atlas read. `firth.vectors.exchange.read_table` has the rules by which tables of others are read.
"""

from pathlib import Path
from typing import Any

import numpy as np

from firth.errors import FormatError, ShapeError, import_extra
from firth.storage.files import replacing_file
from firth.storage.untrusted import is_packed
from firth.storage.user_files import open_file
from firth.vectors import exchange
from firth.vectors.io.table import Contents, Reading, check_file_target, settle
from firth.vectors.space import VectorSpace

MAGIC = b"PAR1"


def write(space: VectorSpace, path: Path, dtype: np.dtype[Any]) -> None:
    """Write the file; half precision becomes single precision."""
    table = exchange.arrow_table(space, np.asarray(space.vectors, dtype=dtype))
    with replacing_file(path) as file:
        _parquet().write_table(table, file)


def _parquet() -> Any:
    return import_extra("pyarrow.parquet", "read and write Parquet", "arrow")


def read(path: Path, reading: Reading) -> Contents:
    """Return the words and vectors of a table.

    Raises:
        FormatError: the file is damaged, or it is not clear which columns hold the words and the vectors.
    """
    if is_packed(path):
        raise FormatError(f"{path}: a packed Parquet file; unpack it, Parquet is packed inside")
    parquet, arrow = _parquet(), import_extra("pyarrow", "read and write Parquet", "arrow")
    try:
        table = parquet.read_table(path)
        if reading.limit is not None:
            table = table.slice(0, reading.limit)
        contents = exchange.read_table(table)
    except (arrow.ArrowException, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: a damaged Parquet file ({error}); copy or save it again") from None
    except (FormatError, ShapeError) as error:
        raise type(error)(f"{path}: {error}") from None
    words, matrix = contents.words, contents.matrix
    more = {"attributes": contents.attributes, "metadata": contents.metadata}
    return settle(words, matrix, lambda row: f"{path} row {row}", reading, **more)


def check(path: Path) -> None:
    """Check that writing replaces nothing but vectors; see `check_file_target`."""
    check_file_target(path, "parquet", _holds_vectors, "tables of vectors")


def _holds_vectors(path: Path) -> bool:
    with open_file(path) as file:
        if file.read(len(MAGIC)) != MAGIC:
            return False
    arrow = import_extra("pyarrow", "read and write Parquet", "arrow")
    try:
        names = _parquet().read_schema(path).names
    except arrow.ArrowException:
        return False
    return {exchange.WORD, exchange.VECTOR} <= set(names)
