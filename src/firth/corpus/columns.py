"""Texts and labels from the columns of table files: JSON lines, CSV, TSV, Parquet, Arrow."""

import contextlib
import csv
import io
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from firth.corpus.reader import inner_suffix, lines_of, opened, reading
from firth.corpus.tables import (
    ROWS,
    Kind,
    Schema,
    arrow_kinds,
    arrow_package,
    batch_rows,
    filled,
    kinds_of_values,
    pick,
)
from firth.errors import CorpusError
from firth.storage.untrusted import parse_json

Rows = Generator[tuple[Any, ...], None, None]
Reader = Callable[[Path, Any, str | None, str | None], Rows]  # columns of text and of labels


def cells(
    path: Path, column: str | None, tick: Callable[[BinaryIO], None], encoding: str | None = None
) -> Generator[Any, None, None]:
    """Yield the cells of one column; a missing cell is an empty text or an empty list of tokens.

    Args:
        path: the table; its suffix determines the format.
        column: name of the column; None applies the rule of `firth.corpus.tables`.
        tick: called with the raw file after each row, to report progress.
        encoding: of a table that is text; see `firth.corpus.reader.opened`.

    Raises:
        CorpusError: the column does not exist, or the file is not in the format of its suffix.
        MissingExtraError: a Parquet or Arrow file needs pyarrow, which is not installed.
    """
    reader = TABLES[inner_suffix(path)]
    with (
        opened(path, encoding) as (raw, stream),
        reading(path),
        contextlib.closing(reader(path, stream, column, None)) as values,
    ):

        def read() -> Iterator[Any]:
            for row in values:
                tick(raw)
                yield row[0]

        yield from filled(read())


def labelled_cells(path: Path, column: str | None, labels: str) -> Rows:
    """Yield the text and label of each row of a table.

    Args:
        path: the table; its suffix determines the format.
        column: name of the text column; None applies the rule of `firth.corpus.tables`.
        labels: name of the label column.

    Raises:
        CorpusError: the file is not a table or not in the format of its suffix, or a column does not exist.
        MissingExtraError: a Parquet or Arrow file needs pyarrow, which is not installed.
    """
    reader = TABLES.get(inner_suffix(path))
    if reader is None:
        raise CorpusError(f"{path}: labels={labels!r} names a column; expected a table: {', '.join(TABLES)}")
    with opened(path) as (_, stream), reading(path), contextlib.closing(reader(path, stream, column, labels)) as values:
        yield from values


def _json_lines(path: Path, stream: BinaryIO, column: str | None, labels: str | None) -> Rows:
    names: list[str] = []
    with lines_of(stream) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            where = f"{path} line {number}"
            try:
                value = parse_json(line)
            except ValueError as error:
                raise CorpusError(f"{where}: not JSON ({error}); expected one JSON object per line") from error
            if isinstance(value, dict):
                names = names or Schema(where, kinds_of_values(value)).settle(column, labels)
                yield tuple(pick(value, name, where) for name in names)
            elif labels is None:
                yield (value,)
            else:
                raise CorpusError(
                    f"{where}: found {value!r:.60}; expected an object with the columns of text and labels"
                )


def _separated(delimiter: str) -> Reader:
    def rows(path: Path, stream: BinaryIO, column: str | None, labels: str | None) -> Rows:
        with lines_of(stream) as lines, _as_text(lines) as text, _long_cells():
            try:
                records = _between_tabs(text) if delimiter == "\t" else csv.reader(text, delimiter=delimiter)
                places = {name: place for place, name in enumerate(next(records, []))}
                if not places:
                    raise CorpusError(f"{path}: empty; expected a line of column names, then rows")
                names = Schema(str(path), dict.fromkeys(places, Kind("text", True))).settle(column, labels)
                for row in records:
                    if row:
                        yield tuple(row[places[name]] if places[name] < len(row) else None for name in names)
            except csv.Error as error:
                raise CorpusError(f"{path}: not a table ({error}); expected {delimiter!r} between cells") from error

    return rows


def _between_tabs(lines: Iterator[str]) -> Iterator[list[str]]:
    """Yield the rows of a table with tabs between its cells, whether or not it quotes them.

    A line with as many cells as the header is a row, also if a quotation mark opens in it and does not close, as in the
    published corpora. Other lines are read as the csv module does: a quoted cell holds tabs and line ends.
    """
    waiting: deque[str] = deque()

    def source() -> Iterator[str]:
        while True:
            line = waiting.popleft() if waiting else next(lines, None)
            if line is None:
                return
            yield line

    remaining, width = source(), 0
    quoted = csv.reader(remaining, delimiter="\t")
    for line in remaining:
        row = _cells_of(line)
        following = next(remaining, None) if len(row) == width and any(map(_is_open, row)) else None
        if following is not None:
            waiting.append(following)
        if len(row) == width and (following is None or len(_cells_of(following)) == width > 1):
            yield [_unquoted(cell) for cell in row]
        else:
            waiting.appendleft(line)
            row = next(quoted)
            width = width or len(row)
            yield row


def _cells_of(line: str) -> list[str]:
    return line.rstrip("\r\n").split("\t")


def _is_open(cell: str) -> bool:
    return cell.startswith('"') and cell.count('"') % 2 == 1


def _unquoted(cell: str) -> str:
    inner = cell[1:-1]
    if len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


@contextlib.contextmanager
def _as_text(stream: "io.BufferedReader[Any]") -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")  # `opened` gives UTF-8
    try:
        yield text
    finally:
        text.detach()


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    # A document may exceed the csv module's default limit of 131,072 characters.
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _parquet(path: Path, stream: BinaryIO, column: str | None, labels: str | None) -> Rows:
    package = arrow_package("pyarrow.parquet")
    arrow = arrow_package()
    try:
        table = package.ParquetFile(path)
    except arrow.ArrowException as error:
        raise CorpusError(f"{path}: not a Parquet file ({error}); fetch or write it again") from error
    with table:
        names = Schema(str(path), arrow_kinds(table.schema_arrow)).settle(column, labels)
        yield from batch_rows(table.iter_batches(batch_size=ROWS, columns=names), names, str(path))


def _arrow(path: Path, stream: BinaryIO, column: str | None, labels: str | None) -> Rows:
    arrow = arrow_package()
    with arrow.memory_map(str(path)) as source:
        try:
            # Of the two layouts, "file" has a signature; `datasets` writes the other, "stream".
            if source.read(6) == b"ARROW1":
                file = arrow.ipc.open_file(source)
                schema, batches = file.schema, map(file.get_batch, range(file.num_record_batches))
            else:
                source.seek(0)
                batches = arrow.ipc.open_stream(source)
                schema = batches.schema
        except arrow.ArrowException as error:
            raise CorpusError(f"{path}: not an Arrow file ({error}); fetch or write it again") from error
        names = Schema(str(path), arrow_kinds(schema)).settle(column, labels)
        yield from batch_rows(batches, names, str(path))


TABLES: dict[str, Reader] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
    ".arrow": _arrow,
}
BINARY = (".parquet", ".arrow")  # of these
