"""CoNLL-U: sentences with lemmas, tags, morphological features and dependency trees.

The format is ten columns between tabs, read here in one pass with the number of each line; the package conllu takes
about seven times as long, for it parses every column into objects, and its errors name no line.
"""

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firth.errors import FormatError
from firth.readers.tree import Tree, tree_problem
from firth.storage.files import text_of

COLUMNS = 10
NONE = "_"  # a column without a value


@dataclass(frozen=True)
class DependencySentence:
    """A sentence of T words with its annotation; "_" stands for what is not annotated.

    Attributes:
        words: T words, those that the tree is over.
        lemmas: T lemmas.
        tags: T universal part-of-speech tags (UPOS).
        language_tags: T tags of the language's own tag set (XPOS).
        features: T morphological features, such as "Number=Sing|Tense=Past".
        heads: number of each word's head from 1, 0 for the root; empty where the file has no tree.
        relations: T relations to the head.
        multiword_tokens: (first, last, form) of each token that stands for several words, numbered from 1.
        empty_nodes: (word before it, form) of each empty node, of the enhanced graph only.
        comments: lines before the sentence, without "#".
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    language_tags: tuple[str, ...]
    features: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    multiword_tokens: tuple[tuple[int, int, str], ...] = ()
    empty_nodes: tuple[tuple[int, str], ...] = ()
    comments: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.words)

    @property
    def tree(self) -> Tree:
        """The dependency tree: node i is word i, its label the relation to its head.

        Raises:
            ShapeError: the sentence has no heads.
        """
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


def read_conllu(path: str | os.PathLike[str], *, trees: bool = True) -> Iterator[DependencySentence]:
    """Yield the sentences of a CoNLL-U file.

    Args:
        path: UTF-8, plain or gzip (`.gz`).
        trees: whether every sentence must have a tree; False also reads sentences whose heads are all "_".

    Raises:
        FormatError: a line does not have ten columns, words are not numbered 1, 2, 3, or the heads do not form one
            tree: a cycle, several roots; the message gives the line. Or there is no sentence.
        OSError: the file cannot be read.
    """
    comments: list[str] = []
    rows: list[tuple[int, list[str]]] = []
    empty = True
    # An empty line ends the file, so that the last sentence needs none.
    for number, line in enumerate([*text_of(path).split("\n"), ""], 1):
        line = line.rstrip("\r")
        if not line.strip():
            if rows:
                empty = False
                yield _sentence(rows, comments, path, trees)
            comments, rows = [], []
        elif line.startswith("#") and not rows:
            comments.append(line[1:].strip())
        else:
            columns = line.split("\t")
            if len(columns) != COLUMNS:
                raise FormatError(
                    f"{path} line {number}: {len(columns)} columns, expected {COLUMNS} between tabs (CoNLL-U)"
                )
            rows.append((number, columns))
    if empty:
        raise FormatError(f"{path}: no sentences; expected lines of {COLUMNS} columns between tabs (CoNLL-U)")


Rows = Sequence[tuple[int, list[str]]]


def _sentence(rows: Rows, comments: list[str], path: str | os.PathLike[str], trees: bool) -> DependencySentence:
    words: list[list[str]] = []
    multiword: list[tuple[int, int, str]] = []
    empty: list[tuple[int, str]] = []
    for number, columns in rows:
        identifier, form = columns[0], columns[1]
        if identifier == str(len(words) + 1):
            if not form:
                raise FormatError(f"{path} line {number}: an empty form, expected a word or '_'")
            words.append(columns)
        elif identifier.startswith(f"{len(words)}."):
            empty.append((len(words), form))
        else:
            last = _end_of_range(identifier, len(words) + 1)
            if not last:
                raise FormatError(
                    f"{path} line {number}: word number {identifier[:20]!r}, expected {len(words) + 1}, a range such "
                    f"as {len(words) + 1}-{len(words) + 2}, or {len(words)}.1 for an empty node"
                )
            multiword.append((len(words) + 1, last, form))
    first = rows[0][0]
    if not words:
        raise FormatError(f"{path} line {first}: a sentence without words, expected one numbered 1")
    over = next((token for token in multiword if token[1] > len(words)), None)
    overlapping = any(token[0] <= before[1] for before, token in itertools.pairwise(multiword))
    if over or overlapping:
        raise FormatError(
            f"{path} line {first}: multiword tokens {', '.join(f'{a}-{b}' for a, b, _ in multiword[:6])} in a sentence "
            f"of {len(words)} words, expected ranges of its words that do not overlap"
        )
    columns_of = tuple(zip(*words, strict=True))
    heads = _heads(columns_of[6], rows, path, trees)
    return DependencySentence(
        words=columns_of[1],
        lemmas=columns_of[2],
        tags=columns_of[3],
        language_tags=columns_of[4],
        features=columns_of[5],
        heads=heads,
        relations=columns_of[7],
        multiword_tokens=tuple(multiword),
        empty_nodes=tuple(empty),
        comments=tuple(comments),
    )


def _end_of_range(identifier: str, first: int) -> int:
    """Return the last word of a range that starts at `first`, or 0 if it is none."""
    start, _, end = identifier.partition("-")
    if start != str(first) or not (end.isascii() and end.isdecimal() and len(end) < 9):
        return 0
    return int(end) if int(end) > first else 0


def _heads(column: Sequence[str], rows: Rows, path: str | os.PathLike[str], trees: bool) -> tuple[int, ...]:
    if not trees and all(head == NONE for head in column):
        return ()
    for head in column:
        if not (head.isascii() and head.isdecimal() and len(head) < 9):
            number = next(number for number, columns in rows if columns[6] == head)
            raise FormatError(
                f"{path} line {number}: head {head[:20]!r}, expected the number of a word, 0 for the root"
            )
    heads = tuple(map(int, column))
    problem = tree_problem([head - 1 for head in heads])
    if problem:
        raise FormatError(f"{path} line {rows[0][0]}: {problem}, in the sentence that starts here; expected one tree")
    return heads
