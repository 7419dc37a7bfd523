"""Trees over words for hierarchical softmax, from nested groups of words or from WordNet.

What: a `WordTree` holds nested groups of words with any number of members. For training it is restricted to the words
of the corpus, and a group of more than two members becomes a small Huffman tree.

Objective: `firth.kernels.objectives` has that of hierarchical softmax. A tree is better if frequent words pass fewer
nodes, and if the words on one side of a node are more similar.

Source: Morin and Bengio 2005, "Hierarchical probabilistic neural network language model", section 4, for a tree from
WordNet; Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4, for random trees.

Departures: Morin and Bengio make WordNet's tree binary by clustering; here Huffman's rule joins the members of a group.
Of several senses of a word, or hypernyms of a sense, the first is used.

Cost: linear in the number of words, except for sorting.
"""

import hashlib
import heapq
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import OptionError
from firth.kernels.trees import Children
from firth.readers.wordnet import hypernym_groups
from firth.vocabulary import Vocabulary

DEEPEST = 1000  # levels of nested groups
NAMES = ("huffman", "random", "learned", "wordnet")
Group = list[str | int]  # words, and indices of earlier groups


class WordTree:
    """Nested groups of words, for `Word2Vec(objective="hierarchical", tree=...)`.

    Args:
        groups: the tree as nested lists or tuples of words, such as `[["cat", "dog"], ["tea", "milk", "beer"]]`; a
            dict is read as the list of its values.
        outside: put words that are not in the tree beside it, in a Huffman tree of their own; otherwise such words
            are an error.

    Attributes:
        name: "given" and a digest of the content.

    Raises:
        OptionError: a member is neither a word nor a group, a word occurs twice, or the tree is deeper than 1,000
            groups.
    """

    def __init__(self, groups: Any, *, outside: bool = False) -> None:
        self._groups = _flattened(groups)
        self.outside = outside
        self._check_words()
        digest = hashlib.blake2b(json.dumps([self._groups, outside]).encode(), digest_size=8).hexdigest()
        self.name = f"given-{digest}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordTree) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<WordTree {self.name}: {sum(1 for _ in self.words()):,} words>"

    @staticmethod
    def from_children(words: Sequence[str], children: npt.ArrayLike) -> "WordTree":
        """Return a binary tree from its inner nodes.

        Args:
            words: V words.
            children: (V - 1, 2) whole numbers: i below V is word i, V + i is inner node i. A node follows its children;
                the last node is the root.

        Raises:
            OptionError: the children are not those of one tree.
        """
        pairs = np.asarray(children)
        count = len(words)
        if pairs.shape != (count - 1, 2) or pairs.dtype.kind not in "iu":
            raise OptionError(
                f"children of shape {pairs.shape} and type {pairs.dtype} for {count} words: expected whole numbers of "
                f"shape ({count - 1}, 2)"
            )
        late = pairs >= count + np.arange(count - 1)[:, None]
        if late.any() or sorted(pairs.ravel().tolist()) != list(range(2 * count - 2)):
            raise OptionError(
                f"children: expected each number from 0 to {2 * count - 3} once, words first, and every node after "
                "its children"
            )
        nodes: list[Any] = list(words)
        for first, second in pairs.tolist():
            nodes.append((nodes[first], nodes[second]))
        return WordTree(nodes[-1] if count > 1 else nodes)

    @staticmethod
    @names_files
    def wordnet(path: str | os.PathLike[str]) -> "WordTree":
        """Return the tree of WordNet's hypernyms, with each word below the synset of its first sense.

        Words missing in WordNet, among them inflected forms, are put beside the tree.

        Args:
            path: Open English WordNet in YAML: a folder, or a .tar.gz of it.

        Raises:
            FormatError: the path has no such files.
        """
        return WordTree(hypernym_groups(path), outside=True)

    def words(self) -> Iterator[str]:
        """Yield every word."""
        return (member for group in self._groups for member in group if isinstance(member, str))

    def children(self, vocabulary: Vocabulary) -> Children:
        """Return the binary tree over a vocabulary, in the format of `firth.kernels.trees`.

        Args:
            vocabulary: words of the corpus; they may be fewer than the tree's.

        Raises:
            OptionError: the tree lacks a word, and `outside` is false.
        """
        ids, counts = vocabulary.ids, vocabulary.counts.tolist()
        nodes: list[tuple[int, int]] = []
        roots: list[tuple[int, int] | None] = []  # (count, item) of each group, None for a group without words
        for group in self._groups:
            members = [roots[member] if isinstance(member, int) else _leaf(ids.get(member), counts) for member in group]
            roots.append(_huffman_join([member for member in members if member is not None], nodes, len(ids)))
        missing = sorted(set(ids.values()) - {ids[word] for word in self.words() if word in ids})
        if missing and not self.outside:
            raise OptionError(_missing_words(vocabulary, missing))
        if missing:
            beside = _huffman_join([(counts[word], word) for word in missing], nodes, len(ids))
            _huffman_join([root for root in (roots[-1], beside) if root is not None], nodes, len(ids))
        return np.array(nodes, dtype=np.int64).reshape(-1, 2)

    def _check_words(self) -> None:
        words = set()
        for word in self.words():
            if word in words:
                raise OptionError(f"{word!r} occurs twice in the tree; expected each word once")
            words.add(word)


def _leaf(word: int | None, counts: list[int]) -> tuple[int, int] | None:
    return None if word is None else (counts[word], word)


def _huffman_join(members: list[tuple[int, int]], nodes: list[tuple[int, int]], words: int) -> tuple[int, int] | None:
    """Join members to one root by Huffman's rule, two of them in their order; append the new nodes to `nodes`."""

    def join(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        nodes.append((first[1], second[1]))
        return first[0] + second[0], words + len(nodes) - 1

    if len(members) > 2:
        heapq.heapify(members)
    while len(members) > 2:
        heapq.heappush(members, join(heapq.heappop(members), heapq.heappop(members)))
    return join(*members) if len(members) == 2 else next(iter(members), None)


def _missing_words(vocabulary: Vocabulary, missing: list[int]) -> str:
    first = vocabulary.words[missing[0]]
    more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    return (
        f"the tree lacks {first!r}{more} of the corpus's {len(vocabulary):,} words; expected every one: add "
        "them, exclude them from the corpus (max_size, stop_words), or put them beside the tree with "
        "WordTree(..., outside=True)"
    )


def _flattened(root: Any) -> list[Group]:
    """Return nested groups as a list in which every group follows its subgroups."""
    groups: list[Group] = []
    open_groups: list[tuple[Iterator[Any], Group]] = [(_members(root), [])]
    while open_groups:
        members, group = open_groups[-1]
        for member in members:
            if isinstance(member, str):
                group.append(member)
                continue
            if len(open_groups) == DEEPEST:
                raise OptionError(f"the tree is deeper than {DEEPEST:,} groups, or a group contains itself")
            open_groups.append((_members(member), []))
            break
        else:
            open_groups.pop()
            groups.append(group)
            if open_groups:
                open_groups[-1][1].append(len(groups) - 1)
    return groups


def _members(group: Any) -> Iterator[Any]:
    if isinstance(group, Mapping):
        return iter(group.values())
    if isinstance(group, Iterable) and not isinstance(group, str | bytes):
        return iter(group)
    raise OptionError(f"{group!r} in the tree: expected words, and lists, tuples or dicts of them")
