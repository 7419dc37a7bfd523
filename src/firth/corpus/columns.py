"""Texts from one column of a table: JSON lines, CSV, TSV, Parquet, Arrow."""

import contextlib
import csv
import importlib
import io
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from firth.corpus.reader import inner_suffix, lines_of, opened, reading
from firth.errors import CorpusError, MissingExtraError
from firth.reading import parse_json

DEFAULT_COLUMN = "text"  # where none is named
Reader = Callable[[Path, BinaryIO, str | None], Generator[Any, None, None]]
_ROWS = 1024  # rows of a Parquet file in memory at once


def cells(path: Path, column: str | None, tick: Callable[[BinaryIO], None]) -> Generator[Any, None, None]:
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
    with opened(path) as (raw, stream), reading(path), contextlib.closing(reader(path, stream, column)) as found:
        for cell in found:
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


def _json_lines(path: Path, stream: BinaryIO, column: str | None) -> Generator[Any, None, None]:
    with lines_of(stream) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            where = f"{path} line {number}"
            try:
                value = parse_json(line)
            except ValueError as error:
                raise CorpusError(f"{where}: not JSON ({error}); expected one JSON object a line") from error
            yield pick(value, column, where) if isinstance(value, dict) else value


def _separated(delimiter: str) -> Reader:
    def rows(path: Path, stream: BinaryIO, column: str | None) -> Generator[Any, None, None]:
        with lines_of(stream) as lines, _as_text(lines) as text, _long_cells():
            try:
                table = csv.DictReader(text, delimiter=delimiter)
                names = list(table.fieldnames or ())
                if not names:
                    raise CorpusError(f"{path}: empty; expected a line of column names, then rows")
                name = column or chosen(names, str(path))
                for row in table:
                    yield pick(row, name, f"{path} line {table.line_num}")
            except csv.Error as error:
                raise CorpusError(f"{path}: not a table ({error}); expected {delimiter!r} between cells") from error

    return rows


@contextlib.contextmanager
def _as_text(stream: "io.BufferedReader[Any]") -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    try:
        yield text
    finally:
        text.detach()


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    # A document may be longer than the 131,072 characters that the csv module takes otherwise.
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _arrow_package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError("pyarrow", "arrow", "read Parquet and Arrow files") from error


def _parquet(path: Path, stream: BinaryIO, column: str | None) -> Generator[Any, None, None]:
    package = _arrow_package("pyarrow.parquet")
    arrow = _arrow_package("pyarrow")
    try:
        table = package.ParquetFile(path)
    except arrow.ArrowException as error:
        raise CorpusError(f"{path}: not a Parquet file ({error}); fetch or write it again") from error
    with table:
        names = list(table.schema_arrow.names)
        name = column or chosen(names, str(path))
        pick(dict.fromkeys(names), name, str(path))
        yield from _columns(table.iter_batches(batch_size=_ROWS, columns=[name]), name, path)


def _arrow(path: Path, stream: BinaryIO, column: str | None) -> Generator[Any, None, None]:
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
        except arrow.ArrowException as error:
            raise CorpusError(f"{path}: not an Arrow file ({error}); fetch or write it again") from error
        name = column or chosen(list(schema.names), str(path))
        pick(dict.fromkeys(schema.names), name, str(path))
        yield from _columns(batches, name, path)


def _columns(batches: Iterable[Any], name: str, path: Path) -> Iterator[Any]:
    damage = (ValueError, KeyError, _arrow_package("pyarrow").ArrowException)  # text that is not UTF-8 is a ValueError
    try:
        for batch in batches:
            cells = batch.column(name)
            cells.validate(full=True)  # lengths and places are the file's own, and are trusted otherwise
            yield from cells.to_pylist()
    except damage as error:
        raise CorpusError(f"{path}: damaged in column {name!r} ({error}); fetch or write it again") from error


TABLES: dict[str, Reader] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
    ".arrow": _arrow,
}
