"""Trees over words for the tree output: which turns lead to a word, in one way or in several.

A tree has L leaves and L - 1 inner nodes. It is built as `firth.kernels.trees` builds them, over leaves in the place of
words, and a list says which word hangs at each leaf. A word at several leaves has several codes, and its probability is
the sum over them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.kernels.trees import Children, Tree, balanced_children, from_children, huffman_children
from firth.neural.layers.output.base import checked_counts, checked_number
from firth.randomness import generator

UNEVEN = 64  # times as many places as leaves, in the table of all words' leaves


@dataclass(frozen=True, eq=False)
class WordCodes:
    """A binary tree whose leaves are words.

    Attributes:
        children: (L - 1, 2) int64: below L stands for a leaf, L + i for inner node i; the last node is the root.
        leaf_words: (L,) int64, the word at each leaf; every word hangs at one at least.
    """

    children: Children
    leaf_words: npt.NDArray[np.int64]

    @cached_property
    def paths(self) -> Tree:
        """The nodes and turns from the root to each leaf."""
        return from_children(self.children)

    def leaves_of(self, words: int) -> npt.NDArray[np.int64]:
        """Return (V, M) the leaves of each word in rising order, -1 behind those of words that have fewer than M.

        Args:
            words: V.

        Raises:
            ShapeError: this is no tree, a word hangs nowhere, or there is a number that is no word's.
        """
        leaves = len(self.leaf_words)
        known = leaves > 0 and 0 <= self.leaf_words.min() <= self.leaf_words.max() < words
        counts = np.bincount(self.leaf_words, minlength=words) if known else np.zeros(words, np.int64)
        if not (known and counts.all() and _is_tree(self.children, leaves)):
            raise ShapeError(
                f"a tree of {len(self.children)} nodes and {leaves} leaves for {words} words: expected one node less "
                "than leaves, each but the root named once, by a node behind it, and each word at one leaf or more"
            )
        if words * int(counts.max()) > UNEVEN * leaves:
            raise ShapeError(f"a word at {counts.max():,} of {leaves:,} leaves for {words} words: expected it at few")
        order = np.argsort(self.leaf_words, kind="stable")
        word = self.leaf_words[order]
        table = np.full((words, counts.max()), -1, np.int64)
        table[word, np.arange(len(word)) - (np.cumsum(counts) - counts)[word]] = order
        return table


def _is_tree(children: Children, leaves: int) -> bool:
    """Tell whether each item but the root is named once, and a node only after those that it names."""
    if children.shape != (leaves - 1, 2):
        return False
    late = children >= leaves + np.arange(leaves - 1)[:, None]
    return not late.any() and np.array_equal(np.sort(children, axis=None), np.arange(2 * leaves - 2))


def joined(trees: Sequence[WordCodes]) -> WordCodes:
    """Return one tree that has several below its first nodes, so that each word has the codes of all.

    Args:
        trees: one or more.

    Source: Mnih and Hinton 2008, section 5, whose best trees are two or four joined under a new root.
    """
    leaves = sum(len(tree.leaf_words) for tree in trees)
    leaf, node, children, roots = 0, 0, [], []
    for tree in trees:
        own = len(tree.leaf_words)
        children.append(np.where(tree.children < own, tree.children + leaf, tree.children - own + leaves + node))
        leaf, node = leaf + own, node + own - 1
        roots.append(leaves + node - 1 if own > 1 else leaf - 1)
    top = balanced_children(np.arange(len(trees)))
    places = np.concatenate([np.array(roots), leaves + node + np.arange(len(top))])
    return WordCodes(
        np.concatenate([*children, places[top].reshape(-1, 2)]).astype(np.int64),
        np.concatenate([tree.leaf_words for tree in trees]),
    )


def named_codes(name: str, words: int, *, counts: Any, seed: int, codes: int = 1) -> WordCodes:
    """Return a tree by its name.

    Args:
        name: one of `TREES`.
        words: V.
        counts: (V,) of the words, or None.
        seed: of random trees.
        codes: how many trees are joined; only random ones differ from each other.

    Raises:
        OptionError: there is no such tree, `codes` is out of its range or asks for several trees that would all be the
            same, or Huffman's tree has no counts.
        ShapeError: there are not V counts.
    """
    if name not in TREES:
        raise OptionError(f"tree={name!r}: expected one of {', '.join(TREES)}, or WordCodes")
    if checked_number("codes", codes, 1, UNEVEN, whole=True) > 1 and name != "random":
        raise OptionError(f"codes={codes} with tree={name!r}: expected 1; several codes come from random trees")
    return joined([TREES[name](words, counts, f"{seed} {code}") for code in range(codes)])


def _huffman(words: int, counts: Any, seed: str) -> WordCodes:
    """Frequent words near the root, whatever they are."""
    if counts is None:
        raise OptionError("tree='huffman' without counts: expected the words' counts; or tree='balanced'")
    return WordCodes(huffman_children(checked_counts(counts, words)), np.arange(words))


def _balanced(words: int, counts: Any, seed: str) -> WordCodes:
    """All paths of one length, words in the order of their numbers: in a sorted vocabulary, of their counts."""
    return WordCodes(balanced_children(np.arange(words)), np.arange(words))


def _random(words: int, counts: Any, seed: str) -> WordCodes:
    """All paths of one length, words in any order."""
    return WordCodes(balanced_children(generator(0, f"tree {seed}").permutation(words)), np.arange(words))


TREES: dict[str, Callable[[int, Any, str], WordCodes]] = {"huffman": _huffman, "balanced": _balanced, "random": _random}
