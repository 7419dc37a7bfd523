"""Files of named entities of other programs, as documents: JSON, JSON Lines, Parquet, tables; see `entity_shapes`."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.documents.document import Document, Entity
from firth.documents.entity_alignment import Alignment
from firth.documents.entity_shapes import ClassNames, Marked, MarkedSpan, MarkedText, TaggedWords, marked
from firth.documents.jsonl import document_from_facts, parsed
from firth.errors import FormatError, MissingExtraError
from firth.readers.columns import TAG_NAMES
from firth.readers.conllu import DependencySentence
from firth.readers.span_tags import spans_of
from firth.readers.word_tables import WordTable, is_word_table, read_table, read_word_table
from firth.storage.files import lines_of, text_of
from firth.storage.skipping import STOP, Skipping
from firth.storage.untrusted import file_bytes, parse_json
from firth.storage.user_files import open_file

CLASSES = ("dataset_info.json", "dataset_infos.json")  # files of Hugging Face that name the classes of columns
_START = {"start", "start_offset", "start_char", "begin"}
_END = {"end", "end_offset", "end_char"}
_LABEL = {"label", "labels", "tag", "type", "entity"}


@names_files
def read_jsonl_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a JSONL file, one in memory at a time; empty lines are skipped.

    Args:
        path: UTF-8, plain or packed. A line is a document of firth, or a text with entities as spaCy, Prodigy, doccano,
            Label Studio or datasets of Hugging Face have it.
        on_error: "stop" at the first line that is no document, or "skip" such lines.

    Warns:
        UserWarning: lines were skipped; or offsets were converted, or white space trimmed.
        LeftOutSpans: spans do not meet the tokens; it lists them.
    """
    lines = ((number, line) for number, line in enumerate(lines_of(path), 1) if line.strip())
    read = partial(_of_json, names=class_names(path))
    yield from _documents(
        lines, lambda line, where: read(parsed(line, where), where), Skipping(path, on_error, "document")
    )


@names_files
def read_json_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a JSON file: a list of texts with entities, or an object that holds such a list.

    Args:
        path: UTF-8, plain or gzip (`.gz`); JSON Lines under this name are read, too.
        on_error: as in `read_jsonl_documents`.
    """
    try:
        content = parse_json(text_of(path).encode(), strict=True)
    except ValueError as error:
        try:
            yield from read_jsonl_documents(path, on_error=on_error)
        except FormatError:
            raise FormatError(f"{path}: {error}; expected JSON, a list of texts with entities") from None
        return
    read = partial(_of_json, names=class_names(path, content))
    yield from _documents(enumerate(_items(content), 1), read, Skipping(path, on_error, "document", "item"))


@names_files
def read_parquet_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a Parquet file: rows with columns tokens and ner_tags, or text and spans.

    Args:
        path: as datasets of Hugging Face write it, with the names of classes inside.
        on_error: as in `read_jsonl_documents`.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "arrow", "read Parquet files") from error
    with open_file(Path(path)) as file:
        try:
            table = pyarrow.parquet.ParquetFile(file)
            features = (table.schema_arrow.metadata or {}).get(b"huggingface", b"{}")
            rows = (row for batch in table.iter_batches() for row in batch.to_pylist())
            read = partial(_of_json, names=class_names(path, parse_json(features)))
            yield from _documents(enumerate(rows, 1), read, Skipping(path, on_error, "document", "row"))
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:
            raise FormatError(f"{path}: not a Parquet file ({error}); fetch or write it again") from error


def _documents(
    items: Iterable[tuple[int, Any]], read: Callable[[Any, str], Document | Marked | None], skipping: Skipping
) -> Iterator[Document]:
    """Yield the documents of a file.

    Args:
        items: what it holds, with lines or numbers.
        read: takes an item and its place; returns a document, or what `Alignment` makes one of, or None where nobody
            annotated it.
    """
    alignment = Alignment(skipping.path)
    for number, item in items:
        where = f"{skipping.path} {skipping.place} {number}"
        try:
            marked = read(item, where)
            document = alignment.document(marked, number) if isinstance(marked, MarkedText | TaggedWords) else marked
        except FormatError as error:
            skipping.add(number, str(error).removeprefix(f"{where}: "))
            continue
        if document is None:
            alignment.skipped += 1
        else:
            skipping.read += 1
            yield document
    alignment.tell()
    skipping.tell(f"some, one a {skipping.place}")


def _of_json(facts: Any, where: str, *, names: ClassNames) -> Document | Marked | None:
    if isinstance(facts, dict) and "sentences" in facts:
        return document_from_facts(facts, where)
    return marked(facts, names)


def _items(content: Any) -> Sequence[Any]:
    """Return the texts of a JSON file."""
    if isinstance(content, list):
        return [content] if content and isinstance(content[0], str) else content
    if isinstance(content, dict) and not {"text", "sentences", "tokens", "paragraphs"} & content.keys():
        rows = content.get("rows")
        if isinstance(rows, list):
            return [row.get("row") if isinstance(row, dict) else row for row in rows]
        held = next((content[key] for key in ("annotations", "data") if isinstance(content.get(key), list)), None)
        if held is not None:
            return [item for item in held if item is not None]
    return [content]


def class_names(path: str | os.PathLike[str], content: Any = None) -> ClassNames:
    """Return a function from a column to the names of its classes: those of the file, or of its folder.

    Args:
        content: its JSON, if it is one value.
    """

    @cache
    def names(column: str) -> Sequence[str] | None:
        names = None if isinstance(content, list) else _named(content, column)
        for file in CLASSES:
            beside = Path(path).parent / file
            if names is None and beside.is_file():
                try:
                    names = _named(parse_json(file_bytes(beside)), column)
                except ValueError as error:
                    raise FormatError(f"{beside}: {error}; expected JSON") from None
        return names

    return names


def _named(node: Any, column: str, inside: bool = False) -> Sequence[str] | None:
    """Return the list "names" below a column of JSON."""
    if isinstance(node, Mapping):
        names = node.get("names")
        if inside and isinstance(names, list) and all(isinstance(name, str) for name in names):
            return names
        of_column = inside or node.get("name") == column
        children = [(value, of_column or key == column) for key, value in node.items()]
    elif isinstance(node, list):
        children = [(value, inside) for value in node]
    else:
        return None
    return next((below for child, within in children if (below := _named(child, column, within))), None)


@names_files
def read_entity_table(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a table: with a word and its tag a row, one; with a text a row, one for each text.

    Args:
        path: UTF-8, plain or gzip (`.gz`). The first row names the columns: word and tag, with sentence if there are
            several; or text, start, end and label, a span a row; or text and label, with a list of spans as JSON.
        on_error: "stop" at the first damaged sentence or text, or "skip" them.
    """
    table = read_table(path)
    if is_word_table(table):
        yield _of_words(path, table, on_error)
        return
    texts = ((of_text.rows[0][0], of_text) for of_text in _texts(table, path))
    yield from _documents(texts, lambda rows, where: rows.read(), Skipping(path, on_error, "text"))


def _of_words(path: str | os.PathLike[str], table: WordTable, on_error: str) -> Document:
    column = table.column(TAG_NAMES)
    assert column is not None
    sentences, entities, first = list[DependencySentence](), list[Entity](), 0
    for sentence in read_word_table(path, on_error=on_error):
        sentences.append(DependencySentence.of(sentence.words))
        try:
            spans = spans_of(sentence.columns[column])
        except FormatError as error:
            raise FormatError(f"{path} line {sentence.line}: {error}") from None
        entities += [Entity(first + start, first + end, label) for start, end, label in spans]
        first += len(sentence)
    return Document(tuple(sentences), entities=tuple(entities))


@dataclass(frozen=True)
class _TextRows:
    """Rows of one text of a table.

    Attributes:
        columns: of the text, the start, the end and the label; of spans as JSON without start and end.
    """

    rows: Sequence[tuple[int, list[str]]]
    width: int
    columns: tuple[int, int | None, int | None, int]

    def read(self) -> MarkedText:
        """Return the text with its spans.

        Raises:
            FormatError: a row is damaged.
        """
        text, start, end, label = self.columns
        for _, cells in self.rows:
            if len(cells) != self.width:
                raise FormatError(f"{len(cells)} cells, expected {self.width} as in the first line")
        first = self.rows[0][1]
        if start is None or end is None:
            return _with_list(first[text], first[label])
        spans = [_span(line, cells[start], cells[end], cells[label]) for line, cells in self.rows]
        return MarkedText(first[text], tuple(span for span in spans if span is not None))


def _texts(table: WordTable, path: str | os.PathLike[str]) -> Iterator[_TextRows]:
    """Yield the rows of each text."""
    text, start, end, label = (table.column(names) for names in ({"text"}, _START, _END, _LABEL))
    if text is None or label is None or (start is None) != (end is None):
        raise FormatError(
            f"{path}: the columns {', '.join(table.names)}; expected word and tag; or text, start, end and label; or "
            "text and label, with lists of spans"
        )
    rows = [(line, cells) for line, cells in table.rows if any(map(str.strip, cells))]
    groups = ([row] for row in rows) if start is None else (list(group) for _, group in groupby(rows, _cell(text)))
    yield from (_TextRows(group, len(table.names), (text, start, end, label)) for group in groups)


def _cell(column: int) -> Callable[[tuple[int, list[str]]], list[str]]:
    return lambda row: row[1][column : column + 1]


def _with_list(text: str, label: str) -> MarkedText:
    try:
        spans = parse_json(label.encode() or b"[]", strict=True)
    except ValueError:
        raise FormatError(f"the label {label[:40]!r}, expected a list of spans as JSON") from None
    example = marked({"text": text, "label": spans}, lambda column: None)
    assert isinstance(example, MarkedText)
    return example


def _span(line: int, start: str, end: str, label: str) -> MarkedSpan | None:
    """Return the span of a row, or None of a text without entities."""
    if not start.strip() and not end.strip():
        return None
    try:
        first, last = (int(value.strip().removesuffix(".0")) for value in (start, end))
    except ValueError:
        raise FormatError(f"line {line}: a span from {start!r} to {end!r}, expected whole numbers") from None
    if not label.strip():
        raise FormatError(f"line {line}: a span without a label")
    return MarkedSpan(first, last, label.strip())
