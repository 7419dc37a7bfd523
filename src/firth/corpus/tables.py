"""Tables in memory of any library, and the rules for choosing columns, which table files share.

Data frames and series are read through narwhals, which supports pandas, polars, pyarrow, DuckDB, Dask, Ibis and others
without depending on them. Other objects with the Arrow C stream (record batches, their readers) are read through
pyarrow. A mapping of columns and rows as mappings need neither.

The text column is the named one; else the only column; else "text"; else the only column with text. A missing value
(None, NaN) is an empty text; a number is an error, because its text form is not defined.
"""

import importlib
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import GeneratorType
from typing import Any, NamedTuple, Protocol, runtime_checkable

from firth.errors import CorpusError, MissingExtraError
from firth.options import wrong_kind

DEFAULT_COLUMN = "text"  # the default name
ROWS = 1024  # rows per batch
SPLITS = frozenset({"train", "test", "validation", "dev", "unsupervised"})  # usual names of parts of a data set
_NEVER_TABLES = (str, bytes, os.PathLike, list, tuple, set, frozenset, dict, GeneratorType)  # no need to ask narwhals
_EXPECTED = "expected text or lists of tokens"


class Kind(NamedTuple):
    """The type of a column.

    Attributes:
        name: name of the type, for error messages.
        text: whether it holds text or lists of tokens; None if only its values can tell.
    """

    name: str
    text: bool | None


@dataclass(frozen=True)
class Schema:
    """The columns of a table.

    Attributes:
        where: name of the table, for error messages.
    """

    where: str
    kinds: Mapping[str, Kind]

    def settle(self, column: str | int | None, labels: str | int | None = None) -> list[str]:
        """Return the names of the columns to read: the text column, then the label column if one is named.

        Raises:
            CorpusError: a column does not exist, the text column is ambiguous, or it holds no text.
        """
        chosen = [] if labels is None else [self._known(labels, "labels")]
        name = self._text_column(chosen) if column is None else self._known(column, "column")
        kind = self.kinds[name]
        if kind.text is False:
            texts = ", ".join(str(name) for name, kind in self.kinds.items() if kind.text)
            has = f"the columns of text are {texts}" if texts else "no column of the table holds text"
            raise CorpusError(f"{self.where}: column {name!r} holds {kind.name}; {_EXPECTED}; {has}")
        return [name, *chosen]

    def _known(self, name: Any, argument: str) -> Any:
        if not isinstance(name, str | int):
            raise wrong_kind(
                argument, name, f"the name of one column, such as {argument}={next(iter(self.kinds), '')!r}"
            )
        if name not in self.kinds:
            raise CorpusError(
                f"{self.where}: no column {name!r}; expected one of {self._listed()}; name it with {argument}="
            )
        return name

    def _text_column(self, taken: Sequence[str]) -> str:
        names = [name for name in self.kinds if name not in taken]
        texts = [name for name in names if self.kinds[name].text]
        for candidates in (names, [name for name in names if name == DEFAULT_COLUMN], texts):
            if len(candidates) == 1:
                return candidates[0]
        raise CorpusError(f"{self.where}: a table with the columns {self._listed()}; name the one to read with column=")

    def _listed(self) -> str:
        return ", ".join(map(str, self.kinds)) or "none"


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        read: takes column names and yields their values, row by row.
    """

    schema: Schema
    read: Callable[[Sequence[str]], Iterator[tuple[Any, ...]]]

    def texts(self, column: str | int | None) -> Iterator[Any]:
        """Yield the cells of the text column; missing ones are empty.

        Args:
            column: name of the column; None applies the rule above.
        """
        return filled(row[0] for row in self.read(self.schema.settle(column)))

    def labelled(self, column: str | int | None, labels: str | int) -> Iterator[tuple[Any, Any]]:
        """Yield the text and label of each row.

        Args:
            column: name of the text column; None applies the rule above.
        """
        return ((text, label) for text, label in self.read(self.schema.settle(column, labels)))


@runtime_checkable
class ArrowStream(Protocol):
    """A producer of record batches in the Arrow C stream interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the stream."""


@runtime_checkable
class ArrowArray(Protocol):
    """An array in the Arrow C data interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        """Return schema and data."""


def table_of(source: Any) -> Table | None:
    """Return a data frame, a series or a mapping of columns as a table; None for anything else."""
    if isinstance(source, Mapping):
        _refuse_splits(source)
        return _of_mapping(source)
    if isinstance(source, _NEVER_TABLES):
        return None
    narwhals: Any = importlib.import_module("narwhals.stable.v2")
    name = described(source)
    try:
        frame = narwhals.from_native(source, pass_through=True, allow_series=True)
        if isinstance(frame, narwhals.Series):
            return _of_frame(frame.alias(str(frame.name or DEFAULT_COLUMN)).to_frame(), name, narwhals)
        if isinstance(frame, narwhals.DataFrame):
            return _of_frame(frame, name, narwhals)
        if isinstance(frame, narwhals.LazyFrame):
            return _of_query(frame, name, narwhals)
    except narwhals.exceptions.NarwhalsError as error:
        raise CorpusError(f"{name}: not a table that can be read ({error})") from error
    if isinstance(source, ArrowStream):
        return _of_stream(source, name)
    if isinstance(source, ArrowArray):
        return table_of(arrow_package().chunked_array([arrow_package().array(source)]))
    return None


def table_of_rows(rows: Iterable[Any], where: str = "the rows") -> Table:
    """Return rows as a table with the columns of the first row.

    Args:
        rows: mappings, at least one; read once.
        where: name of the table, for error messages.
    """
    remaining = iter(rows)
    first = next(remaining)

    def read(names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for number, row in enumerate(itertools.chain([first], remaining)):
            yield tuple(pick(row, name, f"{where}, row {number}") for name in names)

    return Table(Schema(where, kinds_of_values(first)), read)


def pick(row: Any, name: str, where: str) -> Any:
    """Return a cell of a row."""
    if not isinstance(row, Mapping):
        raise CorpusError(f"{where} is {type(row).__name__} {row!r:.60}; expected all rows to be mappings")
    if name not in row:
        columns = ", ".join(map(str, row))
        raise CorpusError(f"{where}: no column {name!r}; expected one of {columns}; name it with column=")
    return row[name]


def kinds_of_values(row: Mapping[str, Any]) -> dict[str, Kind]:
    """Return the types of columns, as far as one row determines them."""

    def is_text(value: Any) -> bool | None:
        if is_missing(value) or (isinstance(value, Iterable) and not isinstance(value, str | bytes)):
            return None
        return isinstance(value, str)

    return {name: Kind(type(value).__name__, is_text(value)) for name, value in row.items()}


def is_missing(value: Any) -> bool:
    """Whether a cell is missing: None or NaN."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def filled(cells: Iterable[Any]) -> Iterator[Any]:
    """Replace missing cells by an empty text or an empty list of tokens."""
    remaining, leading = iter(cells), 0
    for cell in remaining:
        if is_missing(cell):
            leading += 1
            continue
        empty: Any = "" if isinstance(cell, str) else []
        yield from itertools.repeat(empty, leading)
        yield cell
        yield from (empty if is_missing(value) else value for value in remaining)
        return
    yield from itertools.repeat("", leading)


def described(source: Any) -> str:
    """Return the name of an object for messages, such as "the polars DataFrame"."""
    library = type(source).__module__.partition(".")[0]
    return f"the {library.removeprefix('_')} {type(source).__name__}"


def arrow_package(name: str = "pyarrow") -> Any:
    """Return pyarrow, or a module of it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError("pyarrow", "arrow", "read Parquet, Arrow and DuckDB") from error


def arrow_kinds(schema: Any) -> dict[str, Kind]:
    """Return the types of the columns of an Arrow schema."""
    return {field.name: Kind(str(field.type), _is_arrow_text(field.type)) for field in schema}


def batch_rows(batches: Iterable[Any], names: Sequence[str], where: str) -> Iterator[tuple[Any, ...]]:
    """Yield the values of columns of Arrow record batches, row by row.

    Args:
        where: name of the table, for error messages.
    """
    damage = (ValueError, KeyError, arrow_package().ArrowException)  # text that is not UTF-8 is a ValueError
    try:
        for batch in batches:
            columns = [batch.column(name) for name in names]
            for column in columns:
                column.validate(full=True)  # otherwise Arrow trusts the lengths and offsets of the source
            for first in range(0, batch.num_rows, ROWS):
                yield from zip(*(column.slice(first, ROWS).to_pylist() for column in columns), strict=True)
    except damage as error:
        raise CorpusError(
            f"{where}: damaged in column {', '.join(map(repr, names))} ({error}); fetch or write it again"
        ) from error


def _refuse_splits(source: Mapping[str, Any]) -> None:
    """Refuse the parts of a data set, such as a DatasetDict of Hugging Face, in place of one of them."""
    parts = [str(name) for name in source]
    if parts and SPLITS.issuperset(parts) and not all(isinstance(part, list | tuple) for part in source.values()):
        raise CorpusError(
            f"found a mapping with the parts {', '.join(parts)} of a data set; expected one of them, such as "
            f"data[{parts[0]!r}]"
        )


def _of_mapping(columns: Mapping[str, Any]) -> Table:
    kinds = {name: Kind(type(values).__name__, None) for name, values in columns.items()}

    def read(names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return zip(*(columns[name] for name in names), strict=True)

    return Table(Schema("the mapping of columns", kinds), read)


def _of_frame(frame: Any, name: str, narwhals: Any) -> Table:
    return Table(_schema(frame.schema, name, narwhals), lambda names: _frame_rows(frame, names, narwhals))


def _of_query(frame: Any, name: str, narwhals: Any) -> Table:
    """Return a table that is computed when it is read: only the columns that are read, as a stream if possible."""

    def read(names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        columns = frame.select(narwhals.col(*names))
        native = columns.to_native()
        if isinstance(native, ArrowStream):
            return batch_rows(arrow_package().RecordBatchReader.from_stream(native), names, name)
        return _frame_rows(columns.collect(), names, narwhals)

    return Table(_schema(frame.collect_schema(), name, narwhals), read)


def _of_stream(source: ArrowStream, name: str) -> Table:
    arrow = arrow_package()
    try:
        batches = arrow.RecordBatchReader.from_stream(source)
    except (arrow.ArrowInvalid, TypeError) as error:
        raise CorpusError(f"{name}: not a stream of record batches ({error}); expected a table") from error
    return Table(Schema(name, arrow_kinds(batches.schema)), lambda names: batch_rows(batches, names, name))


def _schema(types: Mapping[str, Any], name: str, narwhals: Any) -> Schema:
    def is_text(kind: Any) -> bool | None:
        if isinstance(kind, narwhals.List | narwhals.Array):
            return is_text(kind.inner)
        if isinstance(kind, narwhals.Categorical | narwhals.Enum | narwhals.Object | narwhals.Unknown):
            return None
        return isinstance(kind, narwhals.String)

    return Schema(name, {column: Kind(str(kind), is_text(kind)) for column, kind in types.items()})


def _is_arrow_text(kind: Any) -> bool | None:
    types = arrow_package().types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_arrow_text(kind.value_type)
    if types.is_dictionary(kind) or types.is_null(kind):
        return None
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _frame_rows(frame: Any, names: Sequence[str], narwhals: Any) -> Iterator[tuple[Any, ...]]:
    columns = frame.select(narwhals.col(*names))  # pandas names can be numbers
    for first in range(0, len(columns), ROWS):
        part = columns[first : first + ROWS]
        yield from zip(*(_values(part.get_column(name)) for name in names), strict=True)


def _values(series: Any) -> list[Any]:
    missing = series.is_null().to_list()  # libraries represent missing values differently
    return [None if none else value for value, none in zip(series.to_list(), missing, strict=True)]
