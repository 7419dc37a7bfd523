"""Documents in JSON Lines: one document a line, with nothing lost.

    {"name": "letters", "text": "Ada met Charles.", "offsets": [[0, 3], [4, 7], ...],
     "sentences": [{"words": ["Ada", ...], "tags": ["PROPN", ...], "heads": [2, ...], "relations": [...]}],
     "entities": [[0, 1, "PER"]], "clusters": [[[0, 1], [4, 5]]]}

Columns that a sentence has no annotation in are left out, as are empty fields. A sentence with more than words, such as
multiword tokens, has its rows of CoNLL-U as they are: `{"rows": [[...], ...]}`. Heads are numbered in their sentence
from 1, with 0 for the root, as in CoNLL-U; spans are numbers of tokens in the document.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from firth.documents.document import Document, Entity
from firth.errors import FirthError, FormatError
from firth.readers.conllu import COLUMNS, NONE, DependencySentence, checked_sentence
from firth.storage.files import json_bytes, lines_of
from firth.storage.untrusted import parse_json

NAMES = ("words", "lemmas", "tags", "language_tags", "features", "heads", "relations")  # columns 1 to 7
FIELDS = ("name", "text", "offsets", "sentences", "entities", "clusters")


def document_json(document: Document) -> bytes:
    """Return a document as a line of JSON, without the line feed.

    Args:
        document: to write.
    """
    facts: dict[str, Any] = {
        "name": document.name,
        "text": document.text,
        "offsets": document.offsets,
        "sentences": [_sentence_facts(sentence) for sentence in document.sentences],
        "entities": document.entities,
        "clusters": document.clusters,
    }
    return json_bytes({name: value for name, value in facts.items() if value or name == "sentences"})


def read_jsonl_documents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the documents of a JSONL file, one in memory at a time; empty lines are skipped.

    Args:
        path: UTF-8, plain or packed.

    Raises:
        FormatError: a line is no document; the message gives it. Or there is none.
        OSError: the file cannot be read.
    """
    empty = True
    for number, line in enumerate(lines_of(path), 1):
        if line.strip():
            empty = False
            yield document_from_json(line, f"{path} line {number}")
    if empty:
        raise FormatError(f"{path}: no documents; expected one a line, as JSON")


def document_from_json(line: str | bytes, where: str) -> Document:
    """Return the document that a line of JSON says.

    Args:
        line: JSON.
        where: file and line, for the message.

    Raises:
        FormatError: it is no document.
    """
    try:
        facts = parse_json(line)
    except ValueError as error:
        raise FormatError(f"{where}: {error}; expected JSON, one document a line") from None
    if not isinstance(facts, dict) or not isinstance(facts.get("sentences"), list):
        raise FormatError(f'{where}: expected an object with "sentences", as `firth annotate -o OUT.jsonl` writes it')
    odd = next((name for name in facts if name not in FIELDS), None)
    if odd is not None:
        raise FormatError(f"{where}: the field {odd[:40]!r}; expected {', '.join(FIELDS)}")
    try:
        return Document(
            sentences=tuple(_sentence(each) for each in facts["sentences"]),
            name=_string(facts.get("name", "")),
            text=_string(facts.get("text", "")),
            offsets=tuple((_number(start), _number(end)) for start, end in facts.get("offsets", [])),
            entities=tuple(
                Entity(_number(start), _number(end), _string(label)) for start, end, label in facts.get("entities", [])
            ),
            clusters=tuple(
                tuple((_number(start), _number(end)) for start, end in cluster) for cluster in facts.get("clusters", [])
            ),
        )
    except FirthError as error:
        raise FormatError(f"{where}: {error}") from None
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise FormatError(f"{where}: {error}; expected lists of numbers and strings as firth writes them") from None


def _sentence_facts(sentence: DependencySentence) -> dict[str, Any]:
    facts: dict[str, Any] = {"comments": list(sentence.comment_lines)} if sentence.comment_lines else {}
    plain = all(row[0].isdecimal() and row[8] == row[9] == NONE for row in sentence.rows)
    if not plain:
        return {**facts, "rows": sentence.rows}
    columns: dict[str, Any] = dict(zip(NAMES, list(zip(*sentence.rows, strict=True))[1:8], strict=True))
    columns["heads"] = sentence.heads
    kept = {name: column for name, column in columns.items() if column and any(value != NONE for value in column)}
    return {**facts, "words": columns["words"], **kept}


def _sentence(facts: Mapping[str, Any]) -> DependencySentence:
    comments = tuple(_string(line) for line in facts.get("comments", []))
    if any(not line.startswith("#") or "\n" in line for line in comments):
        raise FormatError("a comment that is not one line with # before it")
    if "rows" in facts:
        rows = tuple(tuple(_string(value) for value in row) for row in facts["rows"])
        if any(len(row) != COLUMNS for row in rows):
            raise FormatError(f"a row of a sentence has not {COLUMNS} columns")
        if any(not value or "\t" in value or "\n" in value for row in rows for value in row):
            raise FormatError("rows of a sentence with a column that is empty, or holds a tab or a line break")
        return checked_sentence(list(enumerate(map(list, rows), 1)), comments, "rows", trees=False)
    columns = {name: facts[name] for name in NAMES[1:] if name in facts}
    odd = next((name for name in facts if name not in {*NAMES, "comments"}), None)
    if odd is not None:
        raise FormatError(f"a sentence with the field {odd[:40]!r}; expected {', '.join(NAMES)}, rows or comments")
    if any(not isinstance(column, list) for column in (facts["words"], *columns.values())):
        raise TypeError("a column is no list")
    for name, column in columns.items():
        columns[name] = [_number(value) if name == "heads" else _string(value) for value in column]
    words = DependencySentence.of([_string(word) for word in facts["words"]]).annotated(**columns)
    return DependencySentence(words.rows, comments)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no string")
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r:.40} is no whole number")
    return value
