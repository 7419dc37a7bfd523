"""CoNLL-U: sentences with lemmas, tags, morphological features and dependency trees.

The format is ten columns between tabs, read here in one pass with the number of each line; the package conllu takes
about seven times as long, for it parses every column into objects, and its errors name no line.
"""

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, NoReturn

from firth.arguments import names_files
from firth.errors import ArgumentTypeError, FormatError, ShapeError, brief, brief_repr, counted
from firth.hints import Hinted
from firth.readers.tree import Tree, tree_problem
from firth.storage.files import lines_of, replacing_file
from firth.storage.skipping import STOP, Skipping

COLUMNS = 10
FORM, LEMMA, UPOS, XPOS, FEATURES, HEAD, RELATION, ENHANCED, MISC = range(1, 10)
NONE = "_"  # a column without a value
Changes = dict[str, str | None]  # values of attributes by name; None removes one
_WRITTEN = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\r": "\\r", "\n": "\\n", "|": "\\p"}
_READ = {written: character for character, written in _WRITTEN.items()}
# Names of tags, and of their columns here.
TAG_COLUMNS = {"upos": "tags", "xpos": "language_tags", "feats": "features", "lemma": "lemmas"}
_BREAK = re.compile(r"[\t\n\r]")
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,7}")
_EMPTY_NODE = re.compile(r"([0-9]+)\.[1-9][0-9]{0,8}")


Row = tuple[str, ...]  # the ten columns of a line


@dataclass(frozen=True)
class DependencySentence(Hinted):
    """A sentence of T words with its annotation; "_" stands for what is not annotated.

    Attributes:
        rows: the ten columns of each line, of words, multiword tokens and empty nodes in their order.
        comment_lines: the lines before the first of them, with "#".
    """

    rows: tuple[Row, ...]
    comment_lines: tuple[str, ...] = ()

    __repr__ = brief_repr

    def __len__(self) -> int:
        return len(self.words)

    def __str__(self) -> str:
        """The lines of the sentence in CoNLL-U, without the empty one that ends it."""
        return "\n".join([*self.comment_lines, *("\t".join(row) for row in self.rows)])

    @staticmethod
    def of(words: Iterable[str]) -> "DependencySentence":
        """Return a sentence of words without annotation.

        Args:
            words: T words; there may be none, though no file can hold that.

        Raises:
            ArgumentTypeError: one string in place of the words, or a word that is no string.
            FormatError: a word is empty or holds a tab or a line break.
        """
        if isinstance(words, str):
            raise ArgumentTypeError(
                f"{brief(words)}: one string, expected several words; text.split() gives those of a text"
            )
        given: Any = words
        if not isinstance(given, Iterable):
            raise ArgumentTypeError(f"{brief(given)}: expected several words, a list of strings")
        words = tuple(given)
        odd: list[Any] = [word for word in words if not isinstance(word, str)]
        if odd:
            raise ArgumentTypeError(f"a word {brief(odd[0])}: expected a string")
        odd = [word for word in words if not word or _BREAK.search(word)]
        if odd:
            raise FormatError(f"a word {odd[0]!r}: expected at least one character, and neither tabs nor line breaks")
        nothing = (NONE,) * (COLUMNS - 2)
        return DependencySentence(tuple((str(number), word, *nothing) for number, word in enumerate(words, 1)))

    @cached_property
    def _columns(self) -> tuple[Row, ...]:
        words = [row for row in self.rows if row[0].isdecimal()]
        return tuple(zip(*words, strict=True)) or ((),) * COLUMNS

    @property
    def words(self) -> tuple[str, ...]:
        """T words, those that the tree is over."""
        return self._columns[FORM]

    @property
    def lemmas(self) -> tuple[str, ...]:
        """T lemmas."""
        return self._columns[LEMMA]

    @property
    def tags(self) -> tuple[str, ...]:
        """T universal part-of-speech tags (UPOS)."""
        return self._columns[UPOS]

    @property
    def language_tags(self) -> tuple[str, ...]:
        """T tags of the language's own tag set (XPOS)."""
        return self._columns[XPOS]

    @property
    def features(self) -> tuple[str, ...]:
        """T morphological features, such as "Number=Sing|Tense=Past"."""
        return self._columns[FEATURES]

    @cached_property
    def _heads(self) -> tuple[tuple[int, ...], str]:
        """Heads, and what keeps them from forming a tree; both empty where there are none."""
        column = self._columns[HEAD]
        if all(head == NONE for head in column):
            return (), ""
        odd = next((head for head in column if not _NUMBER.fullmatch(head)), None)
        if odd is not None:
            return (), f"head {odd[:20]!r}, expected the number of a word, 0 for the root"
        heads = tuple(map(int, column))
        problem = tree_problem([head - 1 for head in heads])
        return () if problem else heads, problem

    @property
    def heads(self) -> tuple[int, ...]:
        """Number of each word's head from 1, 0 for the root; empty where the file has no tree: see `tree_problem`."""
        return self._heads[0]

    @property
    def tree_problem(self) -> str:
        """What keeps the heads of the file from forming one tree, such as "2 roots (1, 3)"; else ""."""
        return self._heads[1]

    @property
    def relations(self) -> tuple[str, ...]:
        """T relations to the head."""
        return self._columns[RELATION]

    @property
    def multiword_tokens(self) -> tuple[tuple[int, int, str], ...]:
        """(first, last, form) of each token that stands for several words, numbered from 1."""
        ranges = ((row[0].partition("-"), row[FORM]) for row in self.rows if "-" in row[0])
        return tuple((int(first), int(last), form) for (first, _, last), form in ranges)

    @property
    def empty_nodes(self) -> tuple[tuple[int, str], ...]:
        """(word before it, form) of each empty node, of the enhanced graph only."""
        return tuple((int(row[0].partition(".")[0]), row[FORM]) for row in self.rows if "." in row[0])

    @property
    def comments(self) -> tuple[str, ...]:
        """The lines before the sentence, without "#"."""
        return tuple(line[1:].strip() for line in self.comment_lines)

    def annotated(
        self,
        *,
        lemmas: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        language_tags: Sequence[str] | None = None,
        features: Sequence[str] | None = None,
        heads: Sequence[int] | None = None,
        relations: Sequence[str] | None = None,
    ) -> "DependencySentence":
        """Return the sentence with other columns; multiword tokens, empty nodes and all else stay as they are.

        Enhanced dependencies (DEPS) of words belong to a tree: with another one they are "_".

        Args:
            lemmas: T lemmas.
            tags: T universal part-of-speech tags.
            language_tags: T tags of the language's own tag set.
            features: T morphological features.
            heads: T heads, numbered from 1; 0 for the root.
            relations: T relations.

        Raises:
            ArgumentTypeError: a column is no list, a head no whole number, or another value no string.
            ShapeError: a column has not T values, or heads do not form one tree.
            FormatError: a value is empty or holds a tab or a line break.
        """
        given = {LEMMA: lemmas, UPOS: tags, XPOS: language_tags, FEATURES: features, HEAD: heads, RELATION: relations}
        columns = {number: _column(column, number) for number, column in given.items() if column is not None}
        wrong = next((column for column in columns.values() if len(column) != len(self)), None)
        if wrong is not None:
            raise ShapeError(f"{counted(len(wrong), 'value')} for {counted(len(self), 'word')}: expected one each")
        odd = next(
            (value for column in columns.values() for value in column if not value or _BREAK.search(value)), None
        )
        if odd is not None:
            raise FormatError(f"a value {odd!r}: expected '_' for none, and neither tabs nor line breaks")
        problem = tree_problem([_head(head) - 1 for head in heads]) if heads is not None else ""
        if problem:
            raise ShapeError(f"{problem}; expected one tree")
        if any(columns.get(index, self._columns[index]) != self._columns[index] for index in (HEAD, RELATION)):
            columns[ENHANCED] = (NONE,) * len(self)
        numbers = iter(range(len(self)))
        rows = [row if not row[0].isdecimal() else _replaced(row, columns, next(numbers)) for row in self.rows]
        return DependencySentence(tuple(rows), self.comment_lines)

    @property
    def tree(self) -> Tree:
        """The dependency tree: node i is word i, its label the relation to its head.

        Raises:
            ShapeError: the sentence has no heads, or they form no tree.
        """
        if not self.heads:
            problem = f"has no tree ({self.tree_problem})" if self.tree_problem else "has no heads"
            raise ShapeError(
                f"the sentence {brief(' '.join(self.words))} {problem}; parse it first: parser.predict([sentence])"
            )
        return Tree(tuple(head - 1 for head in self.heads), self.relations, self.words)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence as it is written: multiword tokens in place of their words."""
        forms, after = list(self.words), list(range(1, len(self.words) + 1))
        for first, last, form in self.multiword_tokens:
            forms[first - 1], after[first - 1] = form, last
        tokens, position = [], 0
        while position < len(forms):
            tokens.append(forms[position])
            position = after[position]
        return tuple(tokens)


def check_tags_read(read: Sequence[str], given: Iterable[str]) -> None:
    """Check that taggers give every tag that a parser reads: the others would be those of the file.

    Args:
        read: names of `TAG_COLUMNS` that the parser reads.
        given: targets of the taggers.

    Raises:
        ArgumentTypeError: one is missing.
    """
    given = list(given)
    if not set(read) <= set(given):
        targets = ",".join(read)
        other = ", or a parser with tag='upos' (firth parse train --tag upos)" if "upos" in given else ""
        raise ArgumentTypeError(
            f"the parser reads {' and '.join(read)}; this tagger gives only {' and '.join(given)}; expected a tagger "
            f"that was trained with targets={targets!r} (firth tag train --targets {targets}){other}"
        )


def _column(values: Any, number: int) -> tuple[str, ...]:
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        raise ArgumentTypeError(f"a column {brief(values)}: expected a list, with a value for each word")
    values = list(values)
    odd = next((value for value in values if number != HEAD and not isinstance(value, str)), "")
    if not isinstance(odd, str):
        raise ArgumentTypeError(f"a value {brief(odd)}: expected a string, '_' for none")
    return tuple(map(str, values))


def _head(value: Any) -> int:
    try:
        return index(value)
    except TypeError:
        raise ArgumentTypeError(
            f"a head {brief(value)}: expected the number of a word from 1, or 0 for the root"
        ) from None


@names_files
def read_conllu(
    path: str | os.PathLike[str], *, trees: bool = True, on_error: str = STOP
) -> Iterator[DependencySentence]:
    """Yield the sentences of a CoNLL-U file.

    Args:
        path: UTF-8, plain or gzip (`.gz`).
        trees: whether every sentence must have a tree; False ignores the heads, which may be "_" or form no tree.
        on_error: "stop" at the first damaged sentence, or "skip" such sentences.

    Warns:
        UserWarning: sentences were skipped; it gives their number and lines.

    Raises:
        FormatError: a line does not have ten columns, words are not numbered 1, 2, 3, or the heads do not form one
            tree: a cycle, several roots; the message gives the line. Or there is no sentence.
        OptionError: `on_error` is something else.
        OSError: the file cannot be read.
    """
    empty = True
    for sentence in read_blocks(path, trees=trees, on_error=on_error):
        if sentence.rows:
            empty = False
            yield sentence
    if empty:
        raise FormatError(f"{path}: no sentences; expected lines of {COLUMNS} columns between tabs (CoNLL-U)")


def read_blocks(path: str | os.PathLike[str], *, trees: bool, on_error: str = STOP) -> Iterator[DependencySentence]:
    """Yield the sentences of a CoNLL-U file, and sentences without words for comments that stand alone.

    Of a sentence that is skipped the comments stay if they begin a document.

    Args:
        path: as in `read_conllu`.
        trees: as in `read_conllu`.
        on_error: as in `read_conllu`.
    """
    skipping = Skipping(path, on_error, "sentence")
    for comments, rows in _blocks(path):
        if not rows:
            yield DependencySentence((), tuple(comments))
            continue
        try:
            sentence = _sentence(rows, comments, trees)
        except _SentenceError as problem:
            skipping.add(problem.line, str(problem))
            if started := [line for line in comments if _NEW_DOCUMENT.match(line)]:
                yield DependencySentence((), tuple(started))
        else:
            skipping.read += 1
            yield sentence
    skipping.tell()


def _blocks(path: str | os.PathLike[str]) -> Iterator[tuple[list[str], list[tuple[int, list[str]]]]]:
    """Yield comments and rows: the number of each line and what stands between its tabs."""
    comments: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    # An empty line ends the file, so that the last sentence needs none.
    for number, line in enumerate(itertools.chain(lines_of(path), [""]), 1):
        line = line.rstrip("\r")
        if not line.strip():
            if rows or comments:
                yield comments, rows
            comments, rows = [], []
        elif line.startswith("#") and not rows:
            comments.append(line)
        else:
            rows.append((number, line.split("\t")))


class _SentenceError(Exception):
    """What is wrong with a sentence, at a line of its file."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def write_conllu(path: str | os.PathLike[str], sentences: Iterable[DependencySentence]) -> None:
    """Write sentences in CoNLL-U, UTF-8; what `read_conllu` read and nobody changed has the same bytes.

    Lines end with a line feed, and one empty line ends each sentence, as the format says.

    Args:
        path: file to write; it is replaced when all is written.
        sentences: to write, in order.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing_file(path) as file:
        file.writelines(f"{sentence}\n\n".encode() for sentence in sentences)


Rows = Sequence[tuple[int, list[str]]]


def checked_sentence(
    rows: Rows, comments: Sequence[str], path: str | os.PathLike[str], *, trees: bool
) -> DependencySentence:
    """Return the sentence of some lines.

    Args:
        rows: number and columns of each line.
        path: of the file, for the message.
        trees: as in `read_conllu`.
    """
    try:
        return _sentence(rows, comments, trees)
    except _SentenceError as problem:
        raise FormatError(f"{path} line {problem.line}: {problem}") from None


def _sentence(rows: Rows, comments: Sequence[str], trees: bool) -> DependencySentence:
    """As `checked_sentence`."""
    _check_columns(rows)
    words: list[list[str]] = []
    multiword: list[tuple[int, int, str]] = []
    for number, columns in rows:
        identifier, form = columns[0], columns[1]
        if identifier == str(len(words) + 1):
            if not form:
                raise _SentenceError(number, "an empty form, expected a word or '_'")
            words.append(columns)
        elif last := _end_of_range(identifier, len(words) + 1):
            multiword.append((len(words) + 1, last, form))
        elif not (node := _EMPTY_NODE.fullmatch(identifier)) or node[1] != str(len(words)):
            raise _SentenceError(
                number,
                f"word number {identifier[:20]!r}, expected {len(words) + 1}, a range such as "
                f"{len(words) + 1}-{len(words) + 2}, or {len(words)}.1 for an empty node",
            )
    first = rows[0][0]
    if not words:
        raise _SentenceError(first, "a sentence without words, expected one numbered 1")
    over = next((token for token in multiword if token[1] > len(words)), None)
    overlapping = any(token[0] <= before[1] for before, token in itertools.pairwise(multiword))
    if over or overlapping:
        raise _SentenceError(
            first,
            f"multiword tokens {', '.join(f'{a}-{b}' for a, b, _ in multiword[:6])} in a sentence of "
            f"{counted(len(words), 'word')}, expected ranges of its words that do not overlap",
        )
    sentence = DependencySentence(tuple(tuple(columns) for _, columns in rows), tuple(comments))
    if trees and not sentence.heads:
        _refuse_heads(sentence, rows)
    return sentence


def _replaced(row: Row, columns: Mapping[int, Row], word: int) -> Row:
    values = list(row)
    for number, column in columns.items():
        values[number] = column[word]
    return tuple(values)


def _end_of_range(identifier: str, first: int) -> int:
    """Return the last word of a range that starts at `first`, or 0 if it is none."""
    start, _, end = identifier.partition("-")
    if start != str(first) or not _NUMBER.fullmatch(end):
        return 0
    return int(end) if int(end) > first else 0


def _check_columns(rows: Rows) -> None:
    for number, columns in rows:
        if len(columns) != COLUMNS:
            raise _SentenceError(
                number, f"{counted(len(columns), 'column')}, expected {COLUMNS} between tabs (CoNLL-U)"
            )


def _refuse_heads(sentence: DependencySentence, rows: Rows) -> NoReturn:
    """Say why a sentence has no tree."""
    for number, columns in rows:
        if columns[0].isdecimal() and not _NUMBER.fullmatch(columns[HEAD]):
            head = columns[HEAD][:20]
            raise _SentenceError(number, f"head {head!r}, expected the number of a word, 0 for the root")
    raise _SentenceError(rows[0][0], f"{sentence.tree_problem}, in the sentence that starts here; expected one tree")


# The column MISC: attributes such as `SpaceAfter=No|NER=B-PER`.
def attributes(row: Row) -> dict[str, str]:
    """Return the attributes of a row by name; what has no "=" is left out."""
    return {name: value for name, sign, value in (entry.partition("=") for entry in row[MISC].split("|")) if sign}


def with_attributes(row: Row, changes: Mapping[str, str | None]) -> Row:
    """Return a row with other attributes; those that are not named stay as and where they are.

    Args:
        changes: values by name; None removes an attribute.
    """
    pending = dict(changes)
    kept = []
    for entry in [] if row[MISC] in (NONE, "") else row[MISC].split("|"):
        name, sign, _ = entry.partition("=")
        if not sign or name not in changes:
            kept.append(entry)
        elif (value := pending.pop(name, None)) is not None:
            kept.append(f"{name}={value}")
    kept += [f"{name}={value}" for name, value in pending.items() if value is not None]
    return (*row[:MISC], "|".join(kept) or NONE)


def escaped(space: str) -> str:
    """Return white space as UDPipe writes it in SpacesAfter: a space as s after a backslash, a line feed as n."""
    return "".join(_WRITTEN.get(character, character) for character in space)


def unescaped(value: str) -> str:
    """Return the white space that `escaped` wrote."""
    characters, position = [], 0
    while position < len(value):
        pair = value[position : position + 2]
        characters.append(_READ.get(pair, value[position]))
        position += 2 if pair in _READ else 1
    return "".join(characters)
