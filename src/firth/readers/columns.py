"""Sentences in columns: a word per line with its tags, an empty line between sentences (CoNLL-2000, 2002, 2003).

Columns stand between spaces or tabs. A line that begins with -DOCSTART- begins a document and is no word.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from firth.arguments import names_files
from firth.errors import FormatError, brief, counted
from firth.storage.files import text_of
from firth.storage.untrusted import parse_json

DOCUMENT = "-DOCSTART-"
_WORDS = {"word", "words", "token", "tokens", "form", "text", "sentence"}  # names of columns in a header
_TAGS = {"tag", "tags", "ner", "ner_tag", "ner_tags", "pos", "pos_tag", "upos", "xpos", "chunk", "label", "labels"}
_BRAT = re.compile(r"T\d+\t\S+ \d+ \d+[ ;\d]*\t.")


@dataclass(frozen=True)
class ColumnSentence:
    """A sentence of T words.

    Attributes:
        columns: the values of each column, T each.
        document: number of its document, from 0.
        line: number of its first line.
    """

    columns: tuple[tuple[str, ...], ...]
    document: int = 0
    line: int = 1

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def words(self) -> tuple[str, ...]:
        """The first column."""
        return self.columns[0]


@names_files
def read_columns(path: str | os.PathLike[str]) -> Iterator[ColumnSentence]:
    """Yield the sentences of a file of columns.

    Args:
        path: UTF-8, plain or gzip (`.gz`).

    Raises:
        FormatError: a line has another number of columns than the first one, or fewer than two; or there is no
            sentence; or the first line shows that the file is something else.
        OSError: the file cannot be read.
    """
    rows: list[list[str]] = []
    first = width = document = sentences = 0
    for number, line in enumerate([*text_of(path).split("\n"), ""], 1):
        fields = _fields(line)
        starts_document = fields[:1] == [DOCUMENT]
        if not fields or starts_document:
            if rows:
                sentences += 1
                yield ColumnSentence(tuple(zip(*rows, strict=True)), document, first)
            rows = []
            document += starts_document and sentences > 0
            continue
        if not width:
            _check_first(line, fields, f"{path} line {number}")
        width = width or len(fields)
        if len(fields) != width or width < 2 or not all(fields):
            expected = f"{width} as in the lines before" if width > 1 else "a word and a tag at least"
            found = counted(len(list(filter(None, fields))), "column")
            raise FormatError(f"{path} line {number}: {found}, expected {expected}")
        first = first if rows else number
        rows.append(fields)
    if not sentences:
        raise FormatError(f"{path}: no sentences; expected a word and its tags in each line")


def _check_first(line: str, fields: list[str], where: str) -> None:
    """Check that the first line of a file is a word with its tags.

    Raises:
        FormatError: it is JSON, annotation of brat, or a header.
    """
    expected = "expected a word and its tags in each line, an empty line between sentences"
    if _is_json(line):
        raise FormatError(f"{where}: JSON ({brief(line)}); {expected}; documents of firth are files named .jsonl")
    if _BRAT.match(line):
        raise FormatError(
            f"{where}: annotation of brat ({brief(line)}), whose words are in another file; {expected}: convert it"
        )
    names = [field.strip().lower() for field in fields]
    if names[0] in _WORDS and len(names) > 1 and _TAGS.issuperset(names[-1:]):
        raise FormatError(f"{where}: {brief(line.strip())} names the columns; {expected}: delete this line")


def _is_json(line: str) -> bool:
    try:
        return isinstance(parse_json(line.encode()), dict | list)
    except ValueError:
        return False


def _fields(line: str) -> list[str]:
    # Not split(): a word may hold other kinds of space, such as a no-break space.
    line = line.strip("\r\n ")
    if not line.strip():
        return []
    return line.split("\t") if "\t" in line else list(filter(None, line.split(" ")))
