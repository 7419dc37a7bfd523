"""Trees of constituents in brackets: the Stanford Sentiment Treebank, the Penn Treebank and files like them.

nltk's reader has the same result for a tree that is sound. It takes two to three times as long, and its message
about an unsound one names neither the file nor the line.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.tree import ROOT, Tree
from firth.storage.encodings import decoded_text
from firth.storage.files import text_of
from firth.storage.untrusted import zip_members

_TOKEN = re.compile(r"[()]|[^\s()]+")
_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKETS = {bracket: escape for escape, bracket in _ESCAPES.items() if bracket in "()"}
EXPECTED = "expected trees in brackets, such as (S (NP (PRP She)) (VP (VBZ sings)))"


@names_files
def read_bracketed(path: str | os.PathLike[str]) -> Iterator[Tree]:
    r"""Yield the trees of a file: `(label child child ...)`, where a child is a word or a tree.

    A word alone in its brackets, `(DT the)`, is one node with its label. Words beside other children are nodes without
    a label. A pair of brackets without a label around a tree, as the Penn Treebank has it, is left out. Escapes are
    read as what they stand for: `-LRB-` as `(`, `\/` as `/`.

    Args:
        path: UTF-8, plain or gzip (`.gz`); or a folder or zip archive, whose `.mrg` files are read in the order of
            their names.

    Raises:
        FormatError: a bracket is not closed or closes nothing, or a pair of brackets holds no word; the message gives
            the line. Or there is no tree.
        OSError: the file cannot be read.
    """
    empty = True
    for name, text in _texts(Path(path)):
        for tree in parse_bracketed(text, name):
            empty = False
            yield tree
    if empty:
        raise FormatError(f"{path}: no trees; {EXPECTED}")


def bracketed(tree: Tree) -> str:
    """Return a tree of constituents on one line, as `read_bracketed` reads it."""
    children, parts, stack = tree.children(), [], [(tree.root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            parts.append(")")
        elif tree.words[node] and not tree.labels[node]:
            parts.append(f" {_escaped(tree.words[node])}")
        else:
            word = f" {_escaped(tree.words[node])}" if tree.words[node] else ""
            parts.append(f" ({tree.labels[node]}{word}")
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children[node]))
    return "".join(parts).strip()


def _texts(path: Path) -> Iterable[tuple[str, str]]:
    if path.is_dir():
        return ((str(file), text_of(file)) for file in sorted(path.rglob("*.mrg")))
    if path.suffix == ".zip":
        members = zip_members(path, lambda name: name.endswith(".mrg"), "a zip archive of .mrg files")
        return ((f"{path}: {name}", decoded_text(members[name], f"{path}: {name}")) for name in sorted(members))
    return [(str(path), text_of(path))]


def parse_bracketed(text: str, name: str) -> Iterator[Tree]:
    """Yield the trees of a text, as `read_bracketed` does.

    Args:
        text: trees in brackets.
        name: of the text, for error messages.

    Raises:
        FormatError: as in `read_bracketed`, except that there may be no tree.
    """
    parents: list[int] = []
    labels: list[str | None] = []  # None until the label is read
    words: list[str] = []
    stack: list[int] = []  # open nodes
    started = 0  # line of the outermost open bracket

    def add(parent: int, label: str | None, word: str) -> None:
        parents.append(parent)
        labels.append(label)
        words.append(word)

    for number, line in enumerate(text.split("\n"), 1):
        for token in _TOKEN.findall(line):
            if token == "(":
                if stack and labels[stack[-1]] is None:
                    labels[stack[-1]] = ""
                started = started if stack else number
                add(stack[-1] if stack else ROOT, None, "")
                stack.append(len(parents) - 1)
            elif token == ")":
                if not stack:
                    raise FormatError(f"{name} line {number}: a bracket closes that was not opened; {EXPECTED}")
                if stack.pop() == len(parents) - 1 and not words[-1]:
                    raise FormatError(f"{name} line {number}: brackets without a word; {EXPECTED}")
                if not stack:
                    yield _finished(parents, labels, words)
                    parents, labels, words = [], [], []
            elif not stack:
                raise FormatError(f"{name} line {number}: {token[:40]!r} outside of brackets; {EXPECTED}")
            elif labels[stack[-1]] is None:
                labels[stack[-1]] = token
            else:
                add(stack[-1], "", _unescaped(token))
    if stack:
        raise FormatError(
            f"{name} line {started}: {len(stack)} brackets are not closed at the end of the file; {EXPECTED}"
        )


def _finished(parents: list[int], labels: list[str | None], words: list[str]) -> Tree:
    """Return the tree with each only word moved into its brackets, and without unlabelled brackets around it."""
    children = [0] * len(parents)
    for parent in parents[1:]:
        children[parent] += 1
    if children[0] == 1 and labels[0] == "" and not words[1]:
        parents, labels, words, children = [p - 1 for p in parents[1:]], labels[1:], words[1:], children[1:]
    numbers: list[int] = []  # new number of each node
    kept: list[int] = []
    merged = list(words)
    for node, parent in enumerate(parents):
        if words[node] and parent != ROOT and children[parent] == 1:
            merged[parent] = words[node]
            numbers.append(numbers[parent])
        else:
            numbers.append(len(kept))
            kept.append(node)
    return Tree(
        tuple(numbers[parents[node]] if parents[node] >= 0 else ROOT for node in kept),
        tuple(labels[node] or "" for node in kept),
        tuple(merged[node] for node in kept),
    )


def _unescaped(word: str) -> str:
    return _ESCAPES.get(word) or word.replace("\\/", "/").replace("\\*", "*")


def _escaped(word: str) -> str:
    return _BRACKETS.get(word) or word.replace("/", "\\/")
