"""Pairs of sentences with labels or scores: SICK, MSRP, STS, STS-B, SNLI and files like them.

Three layouts are read: JSON lines; tables with a header; tables of three columns without one. Fields of tab-separated
files are not quoted, as in the published sets; those of comma-separated files may be.
"""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth.arguments import explained, names_files
from firth.corpus.dialects import Dialect
from firth.corpus.separated import Separated
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import FormatError, counted
from firth.readers.lines import PathLike, Row, finite_number, numbered_lines, score_of
from firth.storage.files import text_of
from firth.storage.untrusted import parse_json

FIRST = ("sentence1", "sentence_a", "#1 string", "text1", "premise", "question1")
SECOND = ("sentence2", "sentence_b", "#2 string", "text2", "hypothesis", "question2")
LABEL = ("gold_label", "entailment_judgment", "quality", "label", "is_duplicate")
SCORE = ("relatedness_score", "similarity_score", "score", "similarity", "relatedness")
NO_LABEL = "-"  # SNLI: the annotators did not agree
_EXPECTED = "two texts and a label or a score"
_HEADER = "in a header, sentence1 and sentence2, and label or score"
_DEVELOPMENT = ("dev", "val", "trial", "valid")
_TEST = re.compile(r"test(_annotated)?(?!.*test)")  # the last one of a name


@dataclass(frozen=True, eq=False)
class SentencePairs:
    """Pairs of sentences with a label, a score, or both.

    Attributes:
        labels: n labels; None without labels.
        scores: (n,) float64, on any scale; None without scores.
        lines: (n,) line number of each pair in its file.
        test: (n,) which pairs are scored.
        development: (n,) which pairs choose between models.
        dropped: number of pairs left out because they have no gold label.
    """

    first: Sequence[str]
    second: Sequence[str]
    labels: Sequence[str] | None
    scores: npt.NDArray[np.float64] | None
    lines: npt.NDArray[np.int64]
    test: npt.NDArray[np.bool_]
    development: npt.NDArray[np.bool_]
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.first)


@explained
def read_sentence_pairs(path: PathLike, **table: Unpack[TableArguments]) -> SentencePairs:
    """Read pairs of sentences with labels or scores.

    - JSON lines: objects with `sentence1`, `sentence2`, and `gold_label`, `label` or `score`, as in SNLI.
    - A table whose header has such names, those of SICK, or those of MSRP.
    - A table of three columns without a header: two texts, and a label or a score before or behind them, as in STS.

    Tabs, commas or semicolons separate the columns. Without a header, numbers are scores unless they have two values
    only, such as 0 and 1. Pairs with the label `-` have no gold label and are dropped.

    Args:
        path: the file, UTF-8, plain or gzip (`.gz`).
        **table: how a table is read; see `firth.corpus.table_options.TableOptions`.

    Raises:
        FormatError: a line does not have two texts and a label or a score; the message gives its number.
        OSError: the file cannot be read.
    """
    return read_file(path, TableOptions(**table).normalised())


def read_file(path: PathLike, options: TableOptions | None) -> SentencePairs:
    """Read pairs of sentences, as `read_sentence_pairs` does; without options an error names none."""
    lines = numbered_lines(path, comments=False)
    is_json = lines[0][1].startswith("{")
    rows = _json_rows(lines, path) if is_json else _table_rows(text_of(path), path, options)
    kept = [row for row in rows if row[3] != NO_LABEL]
    if not kept:
        raise FormatError(f"{path}: all {len(rows):,} pairs have the label '-', expected some with a gold label")
    numbers, first, second, labels, scores = zip(*kept, strict=True)
    return SentencePairs(
        first,
        second,
        None if labels[0] is None else labels,
        None if scores[0] is None else np.array(scores, dtype=np.float64),
        np.array(numbers),
        np.ones(len(kept), dtype=bool),
        np.zeros(len(kept), dtype=bool),
        len(rows) - len(kept),
    )


@names_files
def read_split_pairs(path: PathLike) -> SentencePairs:
    """Read pairs of sentences with the training and development pairs that belong to them.

    They are in files with `train` and with `dev`, `val`, `trial` or `valid` in place of `test` or `test_annotated`. If
    there is no training file, all pairs are scored.

    Args:
        path: the file of the test pairs; see `read_sentence_pairs`.

    Raises:
        FormatError: a file is not in the format, or the files do not have the same kind of labels or scores.
        OSError: a file cannot be read.
    """
    test = read_file(path, None)
    train = _sibling(Path(path), ("train",))
    if train is None:
        return test
    development = _sibling(Path(path), _DEVELOPMENT)
    parts = [_unscored(read_file(train, None))]
    if development is not None:
        held_out = _unscored(read_file(development, None))
        parts.append(replace(held_out, development=np.ones(len(held_out), dtype=bool)))
    return joined([*parts, test], path)


def joined(parts: Sequence[SentencePairs], path: PathLike) -> SentencePairs:
    """Return several sets of pairs as one.

    Args:
        parts: at least one.
        path: the file or folder they are from, for the message.
    """
    kinds = {(part.labels is None, part.scores is None) for part in parts}
    if len(kinds) > 1:
        raise FormatError(f"{path}: labels in one file and scores in another, expected the same in all")
    return SentencePairs(
        [text for part in parts for text in part.first],
        [text for part in parts for text in part.second],
        None if parts[0].labels is None else [label for part in parts for label in part.labels or ()],
        None if parts[0].scores is None else np.concatenate([np.asarray(part.scores) for part in parts]),
        np.concatenate([part.lines for part in parts]),
        np.concatenate([part.test for part in parts]),
        np.concatenate([part.development for part in parts]),
        sum(part.dropped for part in parts),
    )


def _sibling(path: Path, words: Sequence[str]) -> Path | None:
    files = [path.with_name(_TEST.sub(word, path.name, count=1)) for word in words]
    return next((file for file in files if file != path and file.is_file()), None)


def _unscored(pairs: SentencePairs) -> SentencePairs:
    return replace(pairs, test=np.zeros(len(pairs), dtype=bool))


# line number, two texts, label, score
_PairRow = tuple[int, str, str, str | None, float | None]


def _json_rows(lines: Sequence[tuple[int, str]], path: PathLike) -> list[_PairRow]:
    rows, columns = list[_PairRow](), None
    for number, line in lines:
        where = f"{path} line {number}"
        try:
            item = parse_json(line)
        except ValueError as error:
            raise FormatError(f"{where}: not JSON ({error}); expected one object per line") from None
        fields = {str(key).lower(): value for key, value in item.items()} if isinstance(item, dict) else {}
        columns = columns or _named(list(fields))
        if columns is None or any(name not in fields for name in columns if name):
            raise FormatError(f"{where}: no {_EXPECTED}; expected the keys sentence1, sentence2, and label or score")
        rows.append(_row(number, [_text(fields[name]) if name else None for name in columns], where))
    return rows


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _table_rows(content: str, path: PathLike, options: TableOptions | None) -> list[_PairRow]:
    rows = _split(content, path, options)
    head = [field.strip().lower() for field in rows[0][1]]
    header = None if options is None else options.header
    names = None if header is False else _named(head)
    if header and names is None:
        raise FormatError(f"{path} line {rows[0][0]}: the header {', '.join(head)}; expected, {_HEADER}")
    columns = _unnamed([fields for _, fields in rows]) if names is None else [_index(head, name) for name in names]
    if names is None and columns[2] is not None:
        _check_no_header([fields[columns[2]] for _, fields in rows], f"{path} line {rows[0][0]}")
    return [
        _row(number, [None if i is None else fields[i].strip() for i in columns], f"{path} line {number}")
        for number, fields in (rows if names is None else rows[1:])
    ]


def _split(content: str, path: PathLike, options: TableOptions | None) -> list[Row]:
    """Fields of each row, as many as in the first."""
    default = Dialect("\t" if "\t" in content.lstrip().partition("\n")[0] else ",", "none")
    text = io.StringIO(content.strip("\r\n "), newline="")
    rows = list(Separated(text, str(path), default, options, header=False, error=FormatError).numbered())
    if len(rows[0].cells) < 3:
        expected = f"{_EXPECTED} between tabs or commas"
        raise FormatError(f"{path} line {rows[0].line}: {counted(len(rows[0].cells), 'column')}, expected {expected}")
    return [*rows]


def _named(names: Sequence[str]) -> list[str | None] | None:
    """Names of the columns of both texts, the label and the score; None if there is no such header."""
    first, second, label, score = (
        next((name for name in aliases if name in names), None) for aliases in (FIRST, SECOND, LABEL, SCORE)
    )
    return [first, second, label, score] if first and second and (label or score) else None


def _index(names: Sequence[str], name: str | None) -> int | None:
    return None if name is None else names.index(name)


def _unnamed(rows: Sequence[Sequence[str]]) -> list[int | None]:
    """Columns of both texts, the label and the score of a table without a header: the first or the last is no text."""
    last = len(rows[0]) - 1
    values = {column: {row[column].strip() for row in rows} for column in (0, last)}
    numeric = {column: sum(finite_number(value) is not None for value in values[column]) for column in values}
    target = max((last, 0), key=lambda column: (numeric[column] * 2 > len(values[column]), -len(values[column])))
    first, second = [column for column in range(last + 1) if column != target][:2]
    is_score = numeric[target] * 2 > len(values[target]) and len(values[target]) > 2
    return [first, second, None, target] if is_score else [first, second, target, None]


def _check_no_header(labels: Sequence[str], where: str) -> None:
    """Refuse a first line whose label occurs nowhere else, which is a header with other names."""
    if labels[0] not in labels[1:] and len(labels) > 4 * len(set(labels)):
        raise FormatError(f"{where}: the label {labels[0]!r} occurs nowhere else; expected, {_HEADER}; or no header")


def _row(number: int, fields: Sequence[str | None], where: str) -> _PairRow:
    first, second, label, score = fields
    if label == "":
        raise FormatError(f"{where}: no label, expected {_EXPECTED}")
    try:
        value = None if score is None else score_of(score, where)
    except FormatError as error:
        raise FormatError(f"{error}; or, {_HEADER}") from None
    return number, first or "", second or "", label, value


@dataclass(frozen=True, eq=False)
class TextSimilarity:
    """Scored pairs of sentences.

    Attributes:
        parts: the rows of each part by name, such as "headlines"; empty for a set without parts.
    """

    pairs: SentencePairs
    parts: Mapping[str, slice]


@names_files
def read_text_similarity(path: PathLike | Sequence[PathLike]) -> TextSimilarity:
    """Read scored pairs of sentences; see `read_sentence_pairs` for the layout of a file.

    Args:
        path: a file; several files, each a part; or a folder, whose parts are the files `*.test.tsv`, or else all files
            `*.tsv`, `*.csv` and `*.jsonl`. A part has the name of its file up to the first dot.
    """
    files = _files(path)
    pairs = [read_file(file, None) for file in files]
    for file, part in zip(files, pairs, strict=True):
        if part.scores is None:
            raise FormatError(f"{file}: pairs with labels such as {(part.labels or [''])[0]!r}, expected scores")
    parts, start = {}, 0
    for file, part in zip(files, pairs, strict=True):
        parts[file.name.partition(".")[0]] = slice(start, start + len(part))
        start += len(part)
    return TextSimilarity(joined(pairs, files[0].parent), parts if len(files) > 1 else {})


def _files(path: PathLike | Sequence[PathLike]) -> list[Path]:
    if isinstance(path, Sequence) and not isinstance(path, str):
        return [Path(name) for name in path] if len(path) != 1 else _files(path[0])
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    files = sorted(folder.glob("*.test.tsv")) or sorted(
        file for file in folder.iterdir() if file.name.removesuffix(".gz").endswith((".tsv", ".csv", ".jsonl"))
    )
    if not files:
        raise FormatError(f"{folder}: no file of pairs, expected some .tsv, .csv or .jsonl")
    return files
