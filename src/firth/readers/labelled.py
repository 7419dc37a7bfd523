"""Labelled text: fastText's format, tables with a column of labels, and Python lists.

In fastText's format a line is one text, and its labels are tokens that start with a prefix, `__label__` by default. In
other sources labels are given beside the text; tokens with the prefix are then ignored.
"""

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from firth.corpus.columns import TABLES, labelled_cells, no_label
from firth.corpus.contents import listing_unreadable
from firth.corpus.line_scanner import LineScanner, TokenLines, scan_texts
from firth.corpus.reader import inner_suffix, opened, reading, standard_input
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.sources import Files, Items, StandardInput, resolve
from firth.corpus.table_options import USUAL, TableOptions
from firth.corpus.tables import is_missing, table_of, table_of_rows
from firth.errors import CorpusError, OptionError
from firth.progress import Report
from firth.storage.skipping import Skipping

LABEL_PREFIX = "__label__"  # fastText's
BLOCK = 1 << 22  # bytes of a file that are scanned in one call
MAX_LINE_BYTES = 1 << 24  # a longer line is not text, and scanning takes 17 times its size


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts and their labels.

    Attributes:
        lines: the texts as token ids, one line per text.
        labels: the labels of each text; None where labels are tokens of the lines.
        name: name of the source, for error messages.
    """

    lines: TokenLines
    labels: list[list[str]] | None
    name: str


def read_labelled(
    source: Any, labels: Any, column: str | int | None, prefix: str, report: Report, options: TableOptions = USUAL
) -> LabelledTexts:
    """Read labelled text.

    Args:
        source: a path, a glob, a folder, several paths, or "-" for standard input; or a list of texts, a table, rows of
            a table, or tuples `(text, label)` or `(text, labels)`.
        labels: None where the labels are in `source`; else the name of the label column, or a list with the label or
            labels of each text.
        column: name of the text column of a table; None applies the rule of `firth.corpus.tables`.
        prefix: the start of every label in fastText's format.
        report: called with the progress.
        options: how tables are read, and what becomes of texts with an empty label.
    """
    if isinstance(labels, str | int):
        return _from_columns(source, labels, column, prefix, options)
    table = table_of(source)
    if labels is not None:
        texts = list(_texts_of(source) if table is None else table.texts(column))
        values = list(_values_of(labels))
        if len(values) != len(texts):
            raise OptionError(f"{len(values):,} labels for {len(texts):,} texts; expected one per text ([] for none)")
        return _from_pairs(zip(texts, values, strict=True), prefix, "texts", options)
    if table is not None:
        columns = ", ".join(map(str, table.schema.kinds))
        raise CorpusError(
            f"{table.schema.where}: a table with the columns {columns}; name the label column with labels= and the "
            "text column with column="
        )
    first, source = _peek(source)
    if _is_pair(first, prefix):
        return _from_pairs(_pairs(source), prefix, "pairs of text and label", options)
    resolved = resolve(source, column, options)
    if isinstance(resolved, Items):
        return LabelledTexts(scan_texts(_as_strings(resolved), prefix), None, "texts")
    scanner = LineScanner(prefix, one_text_per_line=False)
    if isinstance(resolved, StandardInput):
        _scan_stream(scanner, standard_input(), "standard input", lambda: None)
        return LabelledTexts(scanner.finish(), None, "standard input")
    meter = ReadingProgress(report, resolved.size())
    with listing_unreadable(resolved):
        for path in resolved.paths:
            if inner_suffix(path) in TABLES:
                raise CorpusError(
                    f"{path}: a table; name the label column with labels= and the text column with column="
                )
            with opened(path) as (raw, stream), reading(path):
                _scan_stream(scanner, stream, str(path), partial(_tick, meter, raw))
            meter.finished += path.stat().st_size
    return LabelledTexts(scanner.finish(), None, resolved.name if len(resolved.paths) > 1 else str(resolved.paths[0]))


def _tick(meter: ReadingProgress, raw: Any) -> None:
    meter.update(raw.tell())


def _scan_stream(scanner: LineScanner, stream: Any, name: str, tick: Any) -> None:
    rest = b""
    while block := stream.read(BLOCK):
        complete, line_feed, tail = block.rpartition(b"\n")
        if line_feed:
            scanner.feed(rest + complete + line_feed)
            rest = tail
        else:
            rest += block
            if len(rest) > MAX_LINE_BYTES:
                raise CorpusError(f"{name}: a line of more than {MAX_LINE_BYTES:,} bytes; expected one text per line")
        tick()
    scanner.feed(rest)


def _from_columns(
    source: Any, labels: str | int, column: str | int | None, prefix: str, options: TableOptions
) -> LabelledTexts:
    rows = labelled_rows(source, labels, column, options)
    present = ((text, label) for text, label in rows if not is_missing(text))
    return _from_pairs(present, prefix, f"column {labels!r}", options)


def _from_pairs(pairs: Iterable[tuple[Any, Any]], prefix: str, name: str, options: TableOptions) -> LabelledTexts:
    label_lists: list[list[str]] = []

    def texts() -> Iterator[Any]:
        for text, label in with_labels(pairs, name, options):
            label_lists.append(_label_list(label))
            yield text

    lines = scan_texts(texts(), prefix)
    return LabelledTexts(lines, label_lists, name)


def with_labels(rows: Iterable[tuple[Any, Any]], name: str, options: TableOptions) -> Iterator[tuple[Any, Any]]:
    """Yield texts and labels without those whose label is empty, which would become a class."""
    skipping = Skipping(name, options.on_error, place="row", error=CorpusError)
    for number, (text, label) in enumerate(rows, 1):
        if no_label(label):
            skipping.add(number, f"the label is {label!r}", "expected a name; None for a text without a label")
        else:
            skipping.read += 1
            yield text, label
    skipping.tell()


def labelled_rows(
    source: Any,
    labels: str | int,
    column: str | int | None,
    options: TableOptions = USUAL,
    otherwise: str = "give a list of labels",
) -> Iterator[tuple[Any, Any]]:
    """Yield the text and the label of each row of a table.

    Args:
        source: a table, its rows as mappings, or files.
        column: name of the text column; None for the only one.
        options: how tables in text files are read.
        otherwise: what to do where the source is no table, for the error.
    """
    table = table_of(source)
    if table is None:
        first, source = _peek(source)
        table = table_of_rows(source) if isinstance(first, Mapping) else None
    if table is not None:
        yield from table.labelled(column, labels)
        return
    files = resolve(source, options=options)
    if not isinstance(files, Files):
        raise CorpusError(f"labels={labels!r} names a column, but the source is not a table; {otherwise}")
    for path in files.paths:
        yield from ((text, label) for text, label in labelled_cells(path, column, labels, options))


def _peek(source: Any) -> tuple[Any, Any]:
    """Return the first item of a source (None if it has none) and the source, still with that item."""
    if not isinstance(source, Iterable) or isinstance(source, str | os.PathLike):
        return None, source
    items = iter(source)
    head = list(itertools.islice(items, 1))
    return (head[0] if head else None), (itertools.chain(head, items) if items is source else source)


def _is_pair(item: Any, prefix: str) -> bool:
    """Tell a tuple `(text, label)` from a tuple of tokens in fastText's format."""
    if not isinstance(item, tuple) or len(item) != 2:
        return False
    return not prefix or not any(isinstance(word, str) and word.startswith(prefix) for word in item)


def _pairs(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    for number, item in enumerate(items):
        if not isinstance(item, tuple) or len(item) != 2:
            raise CorpusError(
                f"item {number} is {item!r:.60}; expected a tuple (text, label), like the items before it"
            )
        if not is_missing(item[0]):
            yield item


def _values_of(labels: Any) -> Iterable[Any]:
    table = table_of(labels)
    if table is None:
        values: Iterable[Any] = labels
        return values
    names = list(table.schema.kinds)
    if len(names) != 1:
        raise OptionError(f"labels: {table.schema.where} has {len(names)} columns; expected a series or a list")
    return (row[0] for row in table.read(names))


def _texts_of(source: Any) -> Iterable[Any]:
    if isinstance(source, str | Path):
        raise OptionError(f"a list of labels given with the file {str(source)!r}; expected a list of texts")
    texts: Iterable[Any] = source
    return texts


def _as_strings(items: Items) -> Iterator[Any]:
    return (" ".join(item) if items.tokenised else item for item in items.items)


def _label_list(label: Any) -> list[str]:
    if is_missing(label):
        return []
    if isinstance(label, str) or not isinstance(label, Iterable):
        return [str(label)]
    return [str(item) for item in label]
