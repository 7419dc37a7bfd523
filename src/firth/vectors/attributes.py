"""Attributes of words besides their vectors: counts, and columns that the user adds."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError, brief

Column = npt.NDArray[Any]


class Attributes(Mapping[str, Column]):
    """Named columns with one value per word. Columns are replaced, never changed in place by other code.

    Args:
        size: V, the number of words.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._columns: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def put(self, name: str, values: Column) -> None:
        """Add or replace a column.

        Raises:
            ShapeError: there is not one value per word.
        """
        if values.shape != (self._size,):
            raise ShapeError(f"{name!r} of shape {values.shape} for {self._size} words: expected one value per word")
        self._columns[name] = values

    def column(self, name: str) -> Column:
        """Return a column.

        Raises:
            OptionError: there is no column of that name.
        """
        if name not in self._columns:
            names = ", ".join(self._columns) or "none"
            raise OptionError(f"no attribute {name!r}: the words have {names}; set_vecattr adds one")
        return self._columns[name]

    def write(self, name: str, row: int, value: Any) -> None:
        """Set one value; a new column is 0, False or "" elsewhere.

        Raises:
            OptionError: the column has another type.
        """
        dtype = np.dtype(object) if isinstance(value, str) else np.asarray(value).dtype
        values = self._columns.get(name)
        if values is None:
            values = _blank(self._size, dtype)
        elif not np.can_cast(dtype, values.dtype, "same_kind") or (values.dtype.kind == "O") != (dtype.kind == "O"):
            kind = "text" if values.dtype.kind == "O" else values.dtype
            raise OptionError(f"attribute {name!r} holds {kind}: expected such a value, not {brief(value)}")
        if not values.flags.writeable:
            values = values.copy()  # mapped from a file
        values[row] = value
        self._columns[name] = values

    def grow(self, added: int) -> None:
        """Add rows for new words at the end, with 0, False or "" in every column."""
        self._size += added
        self._columns = {
            name: np.concatenate([values, _blank(added, values.dtype)]) for name, values in self._columns.items()
        }

    def take(self, rows: npt.NDArray[np.int64]) -> "Attributes":
        """Return the attributes of some words, in the order of `rows`; row -1 has 0, False or ""."""
        selection = Attributes(len(rows))
        for name, values in self._columns.items():
            column = _blank(len(rows), values.dtype)
            column[rows >= 0] = values[rows[rows >= 0]]
            selection.put(name, column)
        return selection


def _blank(size: int, dtype: np.dtype[Any]) -> Column:
    return np.full(size, "", dtype=object) if dtype.kind == "O" else np.zeros(size, dtype=dtype)
