"""Documents in JSON Lines: one document a line, with nothing lost.

    {"name": "letters", "text": "Ada met Charles.", "offsets": [[0, 3], [4, 7], ...],
     "sentences": [{"words": ["Ada", ...], "tags": ["PROPN", ...], "heads": [2, ...], "relations": [...]}],
     "entities": [[0, 1, "PER"]], "confidences": [0.98], "clusters": [[[0, 1], [4, 5]]]}

The columns of a sentence are words, lemmas, tags, language_tags, features, heads, relations, dependencies and misc, as
in CoNLL-U; those without annotation are left out, as are empty fields. Lines of CoNLL-U that are no words, such as
multiword tokens, are `"others": [[words before it, [...]], ...]`. Heads are numbered in their sentence from 1, with 0
for the root; spans are numbers of tokens in the document.
"""

import json
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from firth.documents.document import Document, Entity
from firth.errors import FirthError, FormatError, counted
from firth.readers.conllu import COLUMNS, NONE, DependencySentence, checked_sentence
from firth.storage.files import as_utf8
from firth.storage.untrusted import parse_json

NAMES = (  # of the columns from the second
    "words", "lemmas", "tags", "language_tags", "features", "heads", "relations", "dependencies", "misc",
)  # fmt: skip
OTHERS, COMMENTS = "others", "comments"
FIELDS = ("name", "text", "offsets", "sentences", "entities", "confidences", "clusters")


def document_json(document: Document) -> bytes:
    """Return a document as a line of JSON, without the line feed."""
    facts: dict[str, Any] = {
        "name": document.name,
        "text": document.text,
        "offsets": document.offsets,
        "sentences": [_sentence_facts(sentence) for sentence in document.sentences],
        "entities": document.entities,
        "confidences": document.confidences,
        "clusters": document.clusters,
    }
    kept = {name: value for name, value in facts.items() if value or name == "sentences"}
    return as_utf8(json.dumps(kept, ensure_ascii=False), f"the document {document.name!r}")


def parsed(line: str | bytes, where: str) -> Any:
    """Return the value of a line of JSON.

    Args:
        where: file and line, for the message.
    """
    try:
        return parse_json(line, strict=True)
    except ValueError as error:
        raise FormatError(f"{where}: {error}; expected JSON, one document a line") from None


def document_from_json(line: str | bytes, where: str) -> Document:
    """Return the document that a line of JSON says.

    Args:
        where: file and line, for the message.
    """
    return document_from_facts(parsed(line, where), where)


def document_from_facts(facts: Any, where: str) -> Document:
    """Return the document that the value of a line says.

    Args:
        where: file and line, for the message.
    """
    if not isinstance(facts, dict) or not isinstance(facts.get("sentences"), list):
        raise FormatError(f'{where}: expected an object with "sentences", as `firth annotate -o OUT.jsonl` writes it')
    odd = next((name for name in facts if name not in FIELDS), None)
    if odd is not None:
        raise FormatError(f"{where}: the field {odd[:40]!r}; expected {', '.join(FIELDS)}")
    try:
        return Document(
            sentences=tuple(_sentence(sentence) for sentence in facts["sentences"]),
            name=_string(facts.get("name", "")),
            text=_string(facts.get("text", "")),
            offsets=tuple((_number(start), _number(end)) for start, end in facts.get("offsets", [])),
            entities=tuple(
                Entity(_number(start), _number(end), _string(label)) for start, end, label in facts.get("entities", [])
            ),
            confidences=tuple(facts.get("confidences", ())),
            clusters=tuple(
                tuple((_number(start), _number(end)) for start, end in cluster) for cluster in facts.get("clusters", [])
            ),
        )
    except FirthError as error:
        raise FormatError(f"{where}: {error}") from None
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise FormatError(f"{where}: {error}; expected lists of numbers and strings as firth writes them") from None


def _sentence_facts(sentence: DependencySentence) -> dict[str, Any]:
    words = [row for row in sentence.rows if row[0].isdecimal()]
    columns: dict[str, Any] = dict(zip(NAMES, zip(*(row[1:] for row in words), strict=True), strict=True))
    kept = {name: column for name, column in columns.items() if any(value != NONE for value in column)}
    if sentence.heads:
        kept["heads"] = sentence.heads
    else:  # what forms no tree is left out
        kept.pop("heads", None)
    facts = {"words": columns["words"], **kept}
    if len(words) < len(sentence.rows):
        before = accumulate((row[0].isdecimal() for row in sentence.rows), initial=0)
        rows = zip(before, sentence.rows, strict=False)
        facts[OTHERS] = [[position, row] for position, row in rows if not row[0].isdecimal()]
    return facts | ({COMMENTS: sentence.comment_lines} if sentence.comment_lines else {})


def _sentence(facts: Mapping[str, Any]) -> DependencySentence:
    odd = next((name for name in facts if name not in {*NAMES, OTHERS, COMMENTS}), None)
    if odd is not None:
        raise FormatError(f"a sentence with the field {odd[:40]!r}; expected {', '.join((*NAMES, OTHERS, COMMENTS))}")
    comments = [_line(line, "#") for line in facts.get(COMMENTS, [])]
    words = facts["words"]
    columns = [_column(facts[name], name, len(words)) if name in facts else [NONE] * len(words) for name in NAMES]
    rows = list(zip(map(str, range(1, len(words) + 1)), *columns, strict=True))
    for position, row in reversed(facts.get(OTHERS, [])):
        rows.insert(_number(position), tuple(_line(value) for value in row))
    if any(len(row) != COLUMNS for row in rows):
        raise FormatError(f"a row of {OTHERS} has not {COLUMNS} columns")
    if any(line.endswith("\r") for line in (*comments, *(row[-1] for row in rows))):
        raise FormatError(f"{COMMENTS} or misc with a line break at the end, which CoNLL-U cannot hold; leave it out")
    if not rows:
        return DependencySentence.of([])
    sentence = checked_sentence(list(enumerate(map(list, rows), 1)), comments, "its sentence", trees=False)
    if sentence.tree_problem:
        raise FormatError(f"its heads: {sentence.tree_problem}; expected one tree")
    return sentence


def _column(values: Any, name: str, length: int) -> list[str]:
    if not isinstance(values, list):
        raise TypeError(f"{name} are no list")
    if len(values) != length:
        raise FormatError(
            f"{counted(len(values), name.removesuffix('s'))} for {counted(length, 'word')}: expected one each"
        )
    return [str(_number(value)) if name == "heads" else _line(value) for value in values]


def _line(value: Any, start: str = "") -> str:
    """Check that a string is one that a line of CoNLL-U can hold."""
    line = _string(value)
    if not line.startswith(start) or "\n" in line or (not start and "\t" in line):
        raise FormatError(f"{line[:40]!r} holds a tab or a line break" + f", or lacks {start}" * bool(start))
    return line


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} is no string")
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r:.40} is no whole number")
    return value
