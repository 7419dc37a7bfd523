"""Trees over words, for hierarchical softmax: given by the user, or named.

What: a `WordTree` holds groups within groups of words, whatever the number of members. Before training it is cut down
to the corpus's words, and a group of many becomes a small Huffman tree of its own.

Objective: none of its own; `firth.kernels.objectives` has that of hierarchical softmax. The fewer nodes a frequent word
passes, and the more alike the words on one side of a node are, the better the tree.

Source: Morin and Bengio 2005, "Hierarchical probabilistic neural network language model", section 4, for a tree from
WordNet; Mnih and Hinton 2008, "A scalable hierarchical distributed language model", section 4, for random trees.

Departures: Morin and Bengio make WordNet's tree binary by clustering; here members of a group are joined by Huffman's
rule. Where a word has several senses or a sense several hypernyms, the first is taken.

Cost: linear in the words, but for sorting.
"""

import hashlib
import heapq
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.kernels.trees import Children
from firth.readers.wordnet import hypernym_groups
from firth.vocabulary import Vocabulary

DEEPEST = 1000  # groups within groups
NAMES = ("huffman", "random", "learned", "wordnet")
Group = list[str | int]  # words, and numbers of groups that stand before it


class WordTree:
    """Words in groups within groups, for `Word2Vec(objective="hierarchical", tree=...)`.

    Args:
        groups: the tree as nested lists or tuples of words, such as `[["cat", "dog"], ["tea", "milk", "beer"]]`; a
            dict stands for the list of its values, and its keys for nothing.
        outside: whether words that the tree lacks hang beside it, under a Huffman tree of their own; else they are an
            error.

    Attributes:
        name: a name for it: "given" and a digest of what it holds.
        outside: as given.

    Raises:
        OptionError: something in it is neither a word nor a group, a word stands in it twice, or it is deeper than a
            thousand groups.
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
        """Return a binary tree that is given by its inner nodes.

        Args:
            words: V words.
            children: (V - 1, 2) whole numbers: i below V stands for word i, V + i for inner node i, which stands before
                the node that names it; the last node is the root.

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
                f"children: expected each number from 0 to {2 * count - 3} once, words first, and a node only after "
                "those that it names"
            )
        built: list[Any] = list(words)
        for left, right in pairs.tolist():
            built.append((built[left], built[right]))
        return WordTree(built[-1] if count > 1 else built)

    @staticmethod
    def wordnet(path: str | os.PathLike[str]) -> "WordTree":
        """Return the tree of WordNet's hypernyms, words hanging on the synset of their first sense.

        Words that WordNet lacks hang beside it. A word is looked up as it stands; inflected forms are outside.

        Args:
            path: Open English WordNet in YAML: a folder, or a .tar.gz of it.

        Raises:
            FormatError: the path holds no such files.
        """
        return WordTree(hypernym_groups(path), outside=True)

    def words(self) -> Iterator[str]:
        """Yield every word."""
        return (member for group in self._groups for member in group if isinstance(member, str))

    def children(self, vocabulary: Vocabulary) -> Children:
        """Return the binary tree over a vocabulary, as `firth.kernels.trees` describes it.

        Args:
            vocabulary: its words may be fewer than the tree's.

        Raises:
            OptionError: the tree lacks a word and does not hang it beside itself.
        """
        ids, counts = vocabulary.ids, vocabulary.counts.tolist()
        made: list[tuple[int, int]] = []
        roots: list[tuple[int, int] | None] = []  # (count, item) of each group, None where no word of it is left
        for group in self._groups:
            members = [roots[member] if isinstance(member, int) else _leaf(ids.get(member), counts) for member in group]
            roots.append(_joined([member for member in members if member is not None], made, len(ids)))
        missing = sorted(set(ids.values()) - {ids[word] for word in self.words() if word in ids})
        if missing and not self.outside:
            raise OptionError(_lacking(vocabulary, missing))
        if missing:
            beside = _joined([(counts[word], word) for word in missing], made, len(ids))
            _joined([root for root in (roots[-1], beside) if root is not None], made, len(ids))
        return np.array(made, dtype=np.int64).reshape(-1, 2)

    def _check_words(self) -> None:
        seen = set()
        for word in self.words():
            if word in seen:
                raise OptionError(f"the tree holds {word!r} twice; expected each word once")
            seen.add(word)


def _leaf(word: int | None, counts: list[int]) -> tuple[int, int] | None:
    return None if word is None else (counts[word], word)


def _joined(members: list[tuple[int, int]], made: list[tuple[int, int]], words: int) -> tuple[int, int] | None:
    """Join members to one by Huffman's rule, two staying in their order; add the nodes to `made`."""

    def join(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        made.append((first[1], second[1]))
        return first[0] + second[0], words + len(made) - 1

    if len(members) > 2:
        heapq.heapify(members)
    while len(members) > 2:
        heapq.heappush(members, join(heapq.heappop(members), heapq.heappop(members)))
    return join(*members) if len(members) == 2 else next(iter(members), None)


def _lacking(vocabulary: Vocabulary, missing: list[int]) -> str:
    first = vocabulary.words[missing[0]]
    more = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    return (
        f"the tree lacks {first!r}{more} of the corpus's {len(vocabulary):,} words; expected every one: add "
        "them, leave them out of the corpus (max_size, stop_words), or let them hang beside the tree with "
        "WordTree(..., outside=True)"
    )


def _flattened(root: Any) -> list[Group]:
    """Return nested groups as a list in which every group stands behind those in it."""
    groups: list[Group] = []
    open_groups: list[tuple[Iterator[Any], Group]] = [(_members(root), [])]
    while open_groups:
        members, group = open_groups[-1]
        for member in members:
            if isinstance(member, str):
                group.append(member)
                continue
            if len(open_groups) == DEEPEST:
                raise OptionError(f"the tree is deeper than {DEEPEST:,} groups, or a group holds itself")
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
