"""Texts and labels from the columns of files: JSON lines, CSV, TSV, Parquet, Arrow; words of annotated files."""

import contextlib
import io
from collections.abc import Callable, Generator, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from firth.corpus.dialects import MIXED, Dialect
from firth.corpus.reader import inner_suffix, lines_of, opened, reading
from firth.corpus.separated import Column, Separated, long_cells
from firth.corpus.table_options import USUAL, TableOptions
from firth.corpus.tables import ROWS, Schema, arrow_kinds, arrow_package, batch_rows, filled, kinds_of_values, pick
from firth.errors import CorpusError
from firth.storage.kinds import resolve
from firth.storage.skipping import Skipping
from firth.storage.untrusted import parse_json


class Asked(NamedTuple):
    """What is read of a table.

    Attributes:
        column: name or number of the text column; None applies the rule of `firth.corpus.tables`.
        labels: name or number of the label column; None for the texts alone.
        needs_labels: whether a row with an empty label cannot be read.
    """

    column: Column
    labels: Column = None
    how: TableOptions = USUAL
    needs_labels: bool = False


Rows = Generator[tuple[Any, ...], None, None]
Reader = Callable[[Path, Any, Asked], Rows]  # columns of text and of labels


def cells(
    path: Path,
    column: Column,
    tick: Callable[[BinaryIO], None],
    options: TableOptions = USUAL,
    encoding: str | None = None,
) -> Generator[Any, None, None]:
    """Yield the cells of one column; a missing cell is an empty text or an empty list of tokens.

    Args:
        path: the table; its suffix determines the format.
        column: name or number of the column; None applies the rule of `firth.corpus.tables`.
        tick: called with the raw file after each row, to report progress.
        options: how a text file is read.
        encoding: of a table that is text; see `firth.corpus.reader.opened`.

    Warns:
        UserWarning: rows were skipped, or a table is written in an unusual way.
    """
    reader, asked = COLUMNS[inner_suffix(path)], Asked(column, how=options)
    with (
        opened(path, encoding) as (raw, stream),
        reading(path),
        contextlib.closing(reader(path, stream, asked)) as values,
    ):

        def read() -> Iterator[Any]:
            for row in values:
                tick(raw)
                yield row[0]

        yield from filled(read())


def labelled_cells(
    path: Path, column: Column, labels: Column, options: TableOptions = USUAL, *, needs_labels: bool = True
) -> Rows:
    """Yield the text and label of each row of a table.

    Args:
        path: the table; its suffix determines the format.
        column: name or number of the text column; None applies the rule of `firth.corpus.tables`.
        labels: name or number of the label column.
        options: how a text file is read.
        needs_labels: whether a row with an empty label cannot be read.

    Warns:
        UserWarning: rows were skipped, or a table is written in an unusual way.
    """
    reader, asked = TABLES.get(inner_suffix(path)), Asked(column, labels, options, needs_labels)
    if reader is None:
        raise CorpusError(f"{path}: labels={labels!r} names a column; expected a table: {', '.join(TABLES)}")
    with opened(path) as (_, stream), reading(path), contextlib.closing(reader(path, stream, asked)) as values:
        yield from values


def _json_lines(path: Path, stream: BinaryIO, asked: Asked) -> Rows:
    names: list[str] = []
    skipping = Skipping(path, asked.how.on_error, error=CorpusError)
    with lines_of(stream) as lines:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            try:
                value = parse_json(line)
            except ValueError as error:
                skipping.add(number, f"not JSON ({error})", "expected one JSON object per line")
                continue
            if isinstance(value, dict):
                where = f"{path} line {number:,}"
                names = names or Schema(where, kinds_of_values(value)).settle(asked.column, asked.labels)
                if absent := [name for name in names if name not in value]:
                    problem = f"no column {absent[0]!r}; expected one of {', '.join(value)}"
                    skipping.add(number, problem, "name it with column=")
                    continue
                row = tuple(pick(value, name, where) for name in names)
                if asked.needs_labels and no_label(row[1]):
                    skipping.add(number, f"no label under {names[1]!r}", "write one; a text without a label has null")
                    continue
                skipping.read += 1
                yield row
            elif asked.labels is None:
                skipping.read += 1
                yield (value,)
            else:
                expected = "expected an object with the columns of text and labels"
                skipping.add(number, f"found {value!r:.60}", expected)
    skipping.tell()


def no_label(label: Any) -> bool:
    """Whether a label is empty, or one of several is: it would become a class without a name."""
    labels = label if isinstance(label, list | tuple) else [label]
    return any(isinstance(label, str) and not label.strip() for label in labels)


def _separated(separator: str) -> Reader:
    def rows(path: Path, stream: BinaryIO, asked: Asked) -> Rows:
        with lines_of(stream) as lines, _as_text(lines) as text, long_cells():
            columns = [asked.column] if asked.labels is None else [asked.column, asked.labels]
            table = Separated(text, str(path), Dialect(separator, MIXED), asked.how, asked=columns)
            indices = table.indices(*columns)
            for block in table.blocks(indices[1] if asked.needs_labels else None):
                text_of, *labels_of = map(itemgetter, indices)
                # Spaces around a label, as behind ", ", are of the file and make no other class.
                yield from zip(
                    map(text_of, block), *([of(row).strip() for row in block] for of in labels_of), strict=True
                )

    return rows


@contextlib.contextmanager
def _as_text(stream: "io.BufferedReader[Any]") -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")  # `opened` gives UTF-8
    try:
        yield text
    finally:
        text.detach()


def _parquet(path: Path, stream: BinaryIO, asked: Asked) -> Rows:
    package = arrow_package("pyarrow.parquet")
    arrow = arrow_package()
    try:
        table = package.ParquetFile(path)
    except arrow.ArrowException as error:
        raise CorpusError(f"{path}: not a Parquet file ({error}); fetch or write it again") from error
    with table:
        names = Schema(str(path), arrow_kinds(table.schema_arrow)).settle(asked.column, asked.labels)
        yield from batch_rows(table.iter_batches(batch_size=ROWS, columns=names), names, str(path))


def _arrow(path: Path, stream: BinaryIO, asked: Asked) -> Rows:
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
        names = Schema(str(path), arrow_kinds(schema)).settle(asked.column, asked.labels)
        yield from batch_rows(batches, names, str(path))


def _annotated(path: Path, stream: BinaryIO, asked: Asked) -> Rows:
    words = resolve(READ_WORDS)(path, column=asked.column, on_error=asked.how.on_error)
    yield from ((list(sentence),) for sentence in words)


READ_WORDS = "firth.readers.columns:read_words"
SEPARATED = (".csv", ".tsv")  # text files, which can be written in several ways
TABLES: dict[str, Reader] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".csv": _separated(","),
    ".tsv": _separated("\t"),
    ".parquet": _parquet,
    ".arrow": _arrow,
}
BINARY = (".parquet", ".arrow")  # of these
# A word a line: sentences as lists of words. Folders are not searched for them, since treebanks lie beside their text.
ANNOTATED: dict[str, Reader] = dict.fromkeys((".conllu", ".conll", ".iob", ".iob2", ".bio"), _annotated)
COLUMNS = {**TABLES, **ANNOTATED}  # files whose cells are texts or lists of words
