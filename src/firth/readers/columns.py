"""Sentences in columns: a word per line with its tags, an empty line between sentences (CoNLL-2000, 2002, 2003).

Columns stand between spaces or tabs. A first line may name them. Where the first column counts the words of each
sentence (GermEval 2014), the words are the second. A line that begins with -DOCSTART- begins a document and is no word;
nor is a comment before a sentence, which begins with "#" and has other columns than the words.

The words of annotated files, for corpora: CoNLL-U, and columns with a word a line (`.conll`, `.iob`).

Of CoNLL-U the words are those that trees are over, the column FORM: a multiword token (`du`) is its words (`de`, `le`);
comments and empty nodes are left out. Other columns are read as above; in those of CoNLL-2012, which begin with
`#begin document`, words are the fourth.
"""

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from firth.arguments import names_files
from firth.corpus.reader import inner_suffix
from firth.errors import FormatError, OptionError, brief, counted, warn_caller
from firth.readers.conllu import COLUMNS, NONE, read_conllu
from firth.storage.files import lines_of, text_of
from firth.storage.skipping import STOP, Skipping
from firth.storage.untrusted import parse_json

DOCUMENT = "-DOCSTART-"
MANY = 6  # columns that lines of text seem to have, too
_NO_COLUMNS = ", a word and its tags a line; if this is text, give the file that marks its words or spans"
LOOKED_AT = 20_000  # lines that show which columns a file has
COUNTED = 0.9  # share of lines whose first column counts words
WORD_NAMES = {"word", "words", "token", "tokens", "form", "text", "sentence"}  # names of columns in a header
TAG_NAMES = {"tag", "tags", "ner", "ner_tag", "ner_tags", "pos", "pos_tag", "upos", "xpos", "chunk", "label", "labels"}
_SPAN_TAG = re.compile(r"O|[BIESLUMW][-_]\S+", re.IGNORECASE)
_BRAT = re.compile(r"T\d+\t\S+ \d+ \d+[ ;\d]*\t.")


@dataclass(frozen=True)
class ColumnSentence:
    """A sentence of T words.

    Attributes:
        columns: the values of each column, T each.
        document: number of its document, from 0.
        word_column: number of the column of words, from 0.
        names: of the columns, if the file has a line that names them.
    """

    columns: tuple[tuple[str, ...], ...]
    document: int = 0
    line: int = 1
    word_column: int = 0
    names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def words(self) -> tuple[str, ...]:
        """The column of words."""
        return self.columns[self.word_column]


@names_files
def read_columns(
    path: str | os.PathLike[str], *, word_column: int | str | None = None, on_error: str = STOP
) -> Iterator[ColumnSentence]:
    """Yield the sentences of a file of columns.

    Args:
        path: UTF-8, plain or gzip (`.gz`).
        word_column: number of the column of words from 1, or its name in the first line. None is the first column, or
            the second where the first one counts the words of each sentence, 1, 2, 3.
        on_error: "stop" at the first sentence with a damaged line, or "skip" such sentences.

    Warns:
        UserWarning: the first column counts words, lines were read as comments that could be words, or sentences were
            skipped.

    Raises:
        FormatError: a line has another number of columns than the first one, or fewer than two; or there is no
            sentence; or the first line shows that the file is something else; or tags stand where words are expected.
        OptionError: there is no such column of words, or `on_error` is something else.
        OSError: the file cannot be read.
    """
    yield from column_sentences(path, word_column=word_column, on_error=on_error, argument="word_column")


def column_sentences(
    path: str | os.PathLike[str], *, word_column: int | str | None, on_error: str, argument: str
) -> Iterator[ColumnSentence]:
    """As `read_columns`, whose caller calls `word_column` otherwise.

    Args:
        path: as in `read_columns`.
        word_column: as in `read_columns`.
        on_error: as in `read_columns`.
        argument: what messages call `word_column`.
    """
    skipping = Skipping(path, on_error, "sentence")
    lines = text_of(path).split("\n")
    layout = _layout(lines, path)
    if layout.tags_first and word_column is None:
        raise FormatError(
            f"{path}: column 1 holds tags, such as {brief(layout.tags_first)}, and column {layout.width} words; "
            f"expected words first; number both columns: word_column={layout.width}, targets='1'"
        )
    column = layout.place_of_words(word_column, path, argument)
    doubtful: list[int] = []
    for document, rows in _blocks(lines, layout, doubtful):
        if problem := layout.problem(rows):
            skipping.add(*problem)
            continue
        skipping.read += 1
        columns = tuple(zip(*(fields for _, fields in rows), strict=True))
        yield ColumnSentence(columns, document, rows[0][0], column, layout.names)
    if doubtful:
        count = counted(len(doubtful), "line")
        warn_caller(
            f"{path}: read {count} before sentences as comments, such as {brief(lines[doubtful[0] - 1].strip())}"
        )
    skipping.tell("a word and its tags in each line")


Rows = list[tuple[int, list[str]]]  # number and fields of each line of a sentence


@dataclass(frozen=True)
class _Layout:
    """What the columns of a file are.

    Attributes:
        names: of the columns, if a line names them.
        header: number of that line, or 0.
        counted: whether the first column counts the words of each sentence.
        tags_first: a tag of spans in the first column, if that holds nothing else and the last one holds words.
    """

    width: int = 0
    tags: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    header: int = 0
    counted: bool = False
    tags_first: str = ""

    def is_comment(self, line: str, fields: Sequence[str]) -> bool:
        """Return whether a line before a sentence is a comment; words may begin with "#", too."""
        if not line.startswith("#"):
            return False
        return len(fields) != self.width or (line[1:2] in (" ", "\t") and fields[-1] not in self.tags)

    def place_of_words(self, word_column: int | str | None, path: str | os.PathLike[str], argument: str) -> int:
        """Return the number of the column of words, from 0; say so if it is not the first and nobody chose it.

        Raises:
            OptionError: there is no such column.
        """
        names = [name.lower() for name in self.names]
        if word_column is None:
            named = next((index for index, name in enumerate(names) if name in WORD_NAMES), None)
            if named is None and self.counted:
                warn_caller(
                    f"{path}: column 1 counts the words of each sentence, 1, 2, 3; column 2 is read as words. "
                    f"Otherwise number the column of words ({argument})"
                )
            return int(self.counted) if named is None else named
        given = str(word_column)
        if given.lower() in names:
            return names.index(given.lower())
        if not given.isdecimal() or not 1 <= int(given) <= max(self.width, 1):
            alternatives = f", or one of {', '.join(self.names)}" if self.names else ""
            raise OptionError(f"{path}: {argument}={given!r}: expected a number from 1 to {self.width}{alternatives}")
        return int(given) - 1

    def problem(self, rows: Rows) -> tuple[int, str] | None:
        """Return the first damaged line of a sentence, and what is wrong with it."""
        for number, fields in rows:
            if len(fields) != self.width or self.width < 2 or not all(fields):
                expected = f"{self.width} as in the lines before" if self.width > 1 else "a word and a tag at least"
                width = len(list(filter(None, fields)))
                advice = _NO_COLUMNS if min(width, self.width) >= MANY else ""
                return number, f"{counted(width, 'column')}, expected {expected}{advice}"
        return None


def _layout(lines: Sequence[str], path: str | os.PathLike[str]) -> _Layout:
    """Return what the columns of a file are, by its first lines."""
    shown = [(number, line, _fields(line)) for number, line in enumerate(lines[:LOOKED_AT], 1)]
    content = [line for line in shown if line[2] and DOCUMENT not in line[2][:2]]
    plain = [line for line in content if not line[1].startswith("#")] or content
    if not plain:
        return _Layout()
    number, line, fields = plain[0]
    _check_first(line, f"{path} line {number}")
    names = {field.strip().lower() for field in fields}
    has_names = bool(names & WORD_NAMES) and fields[-1].strip().lower() in TAG_NAMES and len(fields) > 1
    if not has_names and len(plain) > 1 and _are_spans(fields[-1] for _, _, fields in plain[1:]):
        has_names = not _SPAN_TAG.fullmatch(fields[-1])
        if has_names:
            warn_caller(
                f"{path} line {number}: read as names of the columns, {brief(line.strip())}, since {fields[-1]!r} "
                "is no tag as the others are"
            )
    first = {fields[0] for _, _, fields in plain}
    tags = frozenset(fields[-1] for _, _, fields in plain[has_names:])
    backwards = len(fields) > 1 and _are_spans(first) and not _are_spans(tags)
    layout = _Layout(
        len(fields), tags, tuple(fields) if has_names else (), number if has_names else 0,
        tags_first=max(first - {"O", "o"}) if backwards else "",
    )  # fmt: skip
    return replace(layout, counted=_counts([rows for _, rows in _blocks(lines[:LOOKED_AT], layout, [])]))


def _are_spans(tags: Iterable[str]) -> bool:
    """Return whether tags mark spans, all of them, and some span."""
    distinct = set(tags)
    return len(distinct) > 1 and all(map(_SPAN_TAG.fullmatch, distinct))


def _counts(sentences: Sequence[Rows]) -> bool:
    """Return whether first columns are 1, 2, 3 or 0, 1, 2 in nearly all lines, beginning anew with each sentence."""
    numbers = [(fields[0], position) for rows in sentences for position, (_, fields) in enumerate(rows)]
    several = any(len(rows) > 1 for rows in sentences)
    return several and any(
        sum(field == str(position + first) for field, position in numbers) >= COUNTED * len(numbers) for first in (0, 1)
    )


def _blocks(lines: Sequence[str], layout: _Layout, doubtful: list[int]) -> Iterator[tuple[int, Rows]]:
    """Yield the document and the rows of each sentence.

    Args:
        doubtful: to which lines are added that were taken for comments and have as many columns as words.
    """
    rows: Rows = []
    document = sentences = 0
    for number, line in enumerate([*lines, ""], 1):
        fields = _fields(line)
        starts_document = DOCUMENT in fields[:2]
        if not fields or starts_document:
            if rows:
                sentences += 1
                yield document, rows
            rows = []
            document += starts_document and sentences > 0
        elif not rows and layout.is_comment(line, fields):
            if len(fields) == layout.width:
                doubtful.append(number)
        elif number != layout.header:
            rows.append((number, fields))


def _check_first(line: str, where: str) -> None:
    """Check that the first line of a file is a word with its tags."""
    expected = "expected a word and its tags in each line, an empty line between sentences"
    if _is_json(line):
        raise FormatError(f"{where}: JSON ({brief(line)}); {expected}; documents of firth are files named .jsonl")
    if _BRAT.match(line):
        raise FormatError(
            f"{where}: annotation of brat ({brief(line)}), whose words are in another file; {expected}: convert it"
        )


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


_CONLLU = {"form": "words", "2": "words", "lemma": "lemmas", "3": "lemmas"}
_BEGIN = "#begin document"
_CONLL2012 = (4, 6)  # column of words, fewest columns


def read_words(
    path: str | os.PathLike[str], *, column: str | int | None = None, on_error: str = STOP
) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence.

    Args:
        path: CoNLL-U, which the ending `.conllu` or a line with its ten columns shows, or columns; plain or packed.
        column: of CoNLL-U "form", the default, or "lemma", or their numbers; of other columns as `word_column` of
            `read_columns`.
        on_error: "stop" at the first damaged sentence, or "skip" such sentences.
    """
    first, begins = "", False
    for line in itertools.dropwhile(lambda line: not line.strip(), lines_of(path)):
        begins = begins or line.startswith(_BEGIN)
        if line.strip() and not line.startswith("#"):
            first = line
            break
    if inner_suffix(Path(path)) != ".conllu" and not _is_conllu(first):
        if column is None and begins and len(first.split()) >= _CONLL2012[1]:
            column = _CONLL2012[0]
        sentences = column_sentences(path, word_column=column, on_error=on_error, argument="column")
        yield from (sentence.words for sentence in sentences)
        return
    name = _CONLLU.get(str(column or "form").lower())
    if name is None:
        raise OptionError(f"{path}: CoNLL-U, column={brief(column)}: expected 'form' or 'lemma'")
    for number, sentence in enumerate(read_conllu(path, trees=False, on_error=on_error)):
        words: tuple[str, ...] = getattr(sentence, name)
        if not number and name == "lemmas" and set(words) == {NONE}:
            raise FormatError(
                f"{path}: its first sentence has no lemmas; expected some; annotate it, or leave column out"
            )
        yield words


def _is_conllu(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) == COLUMNS and fields[0].partition("-")[0].isdecimal()
