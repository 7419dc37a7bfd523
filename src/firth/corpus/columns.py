"""Texts from one column of a table: JSON lines, CSV, TSV, Parquet, Arrow."""

import csv
import importlib
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from firth.corpus.reader import inner_suffix, opened, reading
from firth.errors import CorpusError, MissingExtraError

DEFAULT_COLUMN = "text"  # where none is named
_ROWS = 1024  # rows of a Parquet file in memory at once


def cells(path: Path, column: str | None, tick: Callable[[BinaryIO], None]) -> Iterator[Any]:
    """Yield the cells of one column, those that hold nothing left out.

    Args:
        path: the table; its suffix says of which kind.
        column: the column's name; None takes the only one, or the one called "text".
        tick: called with the raw file now and then, to see how far reading has come.

    Raises:
        CorpusError: the column is not there, or the file is not what its suffix says.
        MissingExtraError: a Parquet or Arrow file, and pyarrow is not installed.
    """
    reader = TABLES[inner_suffix(path)]
    with opened(path) as (raw, stream), reading(path):
        for cell in reader(path, stream, column):
            if cell is not None:
                yield cell
            tick(raw)


def pick(row: Mapping[str, Any], column: str | None, where: str) -> Any:
    """Return a row's cell.

    Raises:
        CorpusError: there is no such column, or none is named and there are several.
    """
    name = column or chosen(list(row), where)
    if name not in row:
        raise CorpusError(
            f"{where}: no column {name!r}; expected one of {', '.join(map(str, row))}; name it with column="
        )
    return row[name]


def chosen(names: list[str], where: str) -> str:
    """Return the column to read where none was named: the only one, or the one called "text".

    Raises:
        CorpusError: that leaves it open.
    """
    if len(names) == 1:
        return names[0]
    if DEFAULT_COLUMN in names:
        return DEFAULT_COLUMN
    raise CorpusError(
        f"{where}: a table with the columns {', '.join(map(str, names))}; name the one to read with column="
    )


def _json_lines(path: Path, stream: BinaryIO, column: str | None) -> Iterator[Any]:
    for number, line in enumerate(io.BufferedReader(stream), 1):  # type: ignore[type-var]  # each of ours has readinto
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise CorpusError(f"{path} line {number}: not JSON ({error}); expected one JSON object a line") from error
        yield pick(value, column, f"{path} line {number}") if isinstance(value, dict) else value


def _separated(delimiter: str) -> Callable[[Path, BinaryIO, str | None], Iterator[Any]]:
    def rows(path: Path, stream: BinaryIO, column: str | None) -> Iterator[Any]:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
        before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a document may be longer than 131,072 characters
        try:
            table = csv.DictReader(text, delimiter=delimiter)
            names = list(table.fieldnames or ())
            if not names:
                raise CorpusError(f"{path}: empty; expected a line of column names, then rows")
            name = column or chosen(names, str(path))
            for row in table:
                yield pick(row, name, f"{path} line {table.line_num}")
        except csv.Error as error:
            raise CorpusError(
                f"{path}: not a table ({error}); expected rows with {delimiter!r} between cells"
            ) from error
        finally:
            csv.field_size_limit(before)

    return rows


def _arrow_package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError("pyarrow", "arrow", "read Parquet and Arrow files") from error


def _parquet(path: Path, stream: BinaryIO, column: str | None) -> Iterator[Any]:
    package = _arrow_package("pyarrow.parquet")
    arrow = _arrow_package("pyarrow")
    try:
        table = package.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise CorpusError(f"{path}: not a Parquet file ({error}); fetch or write it again") from error
    with table:
        names = list(table.schema_arrow.names)
        name = column or chosen(names, str(path))
        pick(dict.fromkeys(names), name, str(path))
        yield from _columns(table.iter_batches(batch_size=_ROWS, columns=[name]), name)


def _arrow(path: Path, stream: BinaryIO, column: str | None) -> Iterator[Any]:
    arrow = _arrow_package("pyarrow")
    with arrow.memory_map(str(path)) as source:
        try:
            # Of the two layouts, "file" can be told by its first bytes; `datasets` writes the other, "stream".
            if source.read(6) == b"ARROW1":
                file = arrow.ipc.open_file(source)
                schema, batches = file.schema, map(file.get_batch, range(file.num_record_batches))
            else:
                source.seek(0)
                batches = arrow.ipc.open_stream(source)
                schema = batches.schema
        except arrow.ArrowInvalid as error:
            raise CorpusError(f"{path}: not an Arrow file ({error}); fetch or write it again") from error
        name = column or chosen(list(schema.names), str(path))
        pick(dict.fromkeys(schema.names), name, str(path))
        yield from _columns(batches, name)


def _columns(batches: Iterable[Any], name: str) -> Iterator[Any]:
    for batch in batches:
        yield from batch.column(name).to_pylist()


TABLES: dict[str, Callable[[Path, BinaryIO, str | None], Iterator[Any]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
    ".arrow": _arrow,
}
