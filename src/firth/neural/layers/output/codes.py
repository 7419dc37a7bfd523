"""Binary trees over words for the tree output; a word has one or more codes.

A tree has L leaves and L - 1 inner nodes, in the format of `firth.kernels.trees`. A table holds the word at each leaf.
A word at several leaves has several codes; its probability is the sum over them.
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

MAX_CODES = 64  # of a tree by name; also the limit of a leaf table's size relative to the number of leaves


@dataclass(frozen=True, eq=False)
class WordCodes:
    """A binary tree whose leaves are words.

    Attributes:
        children: (L - 1, 2) int64: a number below L is a leaf, L + i is inner node i; the last node is the root.
        leaf_words: (L,) int64, the word at each leaf; every word has at least one.
    """

    children: Children
    leaf_words: npt.NDArray[np.int64]

    @cached_property
    def paths(self) -> Tree:
        """The nodes and turns from the root to each leaf."""
        return from_children(self.children)

    def leaves_of(self, words: int) -> npt.NDArray[np.int64]:
        """Return (V, M) the leaves of each of V words in ascending order, padded with -1.

        Raises:
            ShapeError: this is no tree, a word has no leaf, or a word id is out of range.
        """
        leaves = len(self.leaf_words)
        valid = leaves > 0 and 0 <= self.leaf_words.min() <= self.leaf_words.max() < words
        counts = np.bincount(self.leaf_words, minlength=words) if valid else np.zeros(words, np.int64)
        if not (valid and counts.all() and _is_tree(self.children, leaves)):
            raise ShapeError(
                f"a tree of {len(self.children)} nodes and {leaves} leaves for {words} words: expected one node less "
                "than leaves, each node but the root the child of one later node, and each word at one leaf or more"
            )
        if words * int(counts.max()) > MAX_CODES * leaves:
            raise ShapeError(f"a word at {counts.max():,} of {leaves:,} leaves for {words} words: expected only a few")
        order = np.argsort(self.leaf_words, kind="stable")
        word = self.leaf_words[order]
        table = np.full((words, counts.max()), -1, np.int64)
        table[word, np.arange(len(word)) - (np.cumsum(counts) - counts)[word]] = order
        return table


def _is_tree(children: Children, leaves: int) -> bool:
    """Whether each item but the root is the child of exactly one node, and each node follows its children."""
    if children.shape != (leaves - 1, 2):
        return False
    late = children >= leaves + np.arange(leaves - 1)[:, None]
    return not late.any() and np.array_equal(np.sort(children, axis=None), np.arange(2 * leaves - 2))


def join_trees(trees: Sequence[WordCodes]) -> WordCodes:
    """Return one tree with all the given trees as subtrees; each word has one code per tree.

    Source: Mnih and Hinton 2008, section 5: their best trees are two or four joined under a new root.
    """
    leaves = sum(len(tree.leaf_words) for tree in trees)
    leaf, node, children, roots = 0, 0, [], []
    for tree in trees:
        own = len(tree.leaf_words)
        children.append(np.where(tree.children < own, tree.children + leaf, tree.children - own + leaves + node))
        leaf, node = leaf + own, node + own - 1
        roots.append(leaves + node - 1 if own > 1 else leaf - 1)
    top = balanced_children(np.arange(len(trees)))
    positions = np.concatenate([np.array(roots), leaves + node + np.arange(len(top))])
    return WordCodes(
        np.concatenate([*children, positions[top].reshape(-1, 2)]).astype(np.int64),
        np.concatenate([tree.leaf_words for tree in trees]),
    )


def named_codes(name: str, words: int, *, counts: Any, seed: int, codes: int = 1) -> WordCodes:
    """Return a tree by its name.

    Args:
        words: V.
        counts: (V,) word counts, or None.
        codes: number of trees to join; above 1 for random trees only, the others would all be equal.
    """
    if name not in TREES:
        raise OptionError(f"tree={name!r}: expected one of {', '.join(TREES)}, or WordCodes")
    if checked_number("codes", codes, 1, MAX_CODES, whole=True) > 1 and name != "random":
        raise OptionError(f"codes={codes} with tree={name!r}: expected 1; several codes come from random trees")
    return join_trees([TREES[name](words, counts, f"{seed} {code}") for code in range(codes)])


def _huffman(words: int, counts: Any, seed: str) -> WordCodes:
    """Frequent words near the root."""
    if counts is None:
        raise OptionError("tree='huffman' without counts: expected word counts, or tree='balanced'")
    return WordCodes(huffman_children(checked_counts(counts, words)), np.arange(words))


def _balanced(words: int, counts: Any, seed: str) -> WordCodes:
    """Equal path lengths, words in the order of their ids (in a sorted vocabulary: by count)."""
    return WordCodes(balanced_children(np.arange(words)), np.arange(words))


def _random(words: int, counts: Any, seed: str) -> WordCodes:
    """Equal path lengths, words in random order."""
    return WordCodes(balanced_children(generator(0, f"tree {seed}").permutation(words)), np.arange(words))


TREES: dict[str, Callable[[int, Any, str], WordCodes]] = {"huffman": _huffman, "balanced": _balanced, "random": _random}
