"""Trees as a Tree-LSTM reads them, and batches of them.

What
    A tree is a list of parents and the ids of its words. For an LSTM, which reads words in order, it is a chain for
    each word that begins a labelled phrase, long enough for the longest of them: phrases that begin alike share it.
Objective
    Every tree once per epoch, with a target at each labelled node.
Source
    Tai, Socher and Manning 2015, sections 4.1 and 5.1 (a loss at each labelled node; LSTMs over the same phrases).
Departures
    None.
Cost
    16 bytes per node.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from firth.neural.layers.tree_levels import TreeLevels, tree_levels
from firth.neural.models.texts.data import LabelBatch
from firth.neural.models.texts.reader import TextReader
from firth.neural.training.batching import Buckets
from firth.readers.tree import ROOT, Tree
from firth.text.characters import fold

NO_WORD = -1
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ReadTree:
    """A tree as numbers: one tree, or a chain for each beginning of a phrase.

    Attributes:
        parents: parents in each of its parts.
        ids: (n,) ids of the words of all parts; -1 for none.
        places: (nodes,) where the state of each node of the tree is, among the n.
        root: number of the root among the nodes.
    """

    parents: tuple[Numbers, ...]
    ids: Numbers
    places: Numbers
    root: int


@dataclass(frozen=True, eq=False)
class TreeInputs:
    """Inputs of an encoder of trees.

    Attributes:
        ids: (M,) ids of words.
        words: (M,) rows of the levels that have them, ascending.
        levels: of all trees of the batch.
        outputs: (R,) rows whose states are wanted.
        is_root: (R,) whether each is the root of its tree.
    """

    ids: torch.Tensor
    words: torch.Tensor
    levels: TreeLevels
    outputs: torch.Tensor
    is_root: torch.Tensor

    def to(self, device: torch.device) -> "TreeInputs":
        """Return the inputs on a device."""
        moved = (each.to(device) for each in (self.outputs, self.is_root))
        return TreeInputs(self.ids.to(device), self.words.to(device), self.levels.to(device), *moved)


@dataclass(frozen=True, eq=False)
class TreeItem:
    """An example to train on.

    Attributes:
        trees: one, or two.
        nodes: (R,) labelled nodes of the tree; of a pair, [0].
        targets: (R, L) distributions over the labels.
    """

    trees: tuple[ReadTree, ...]
    nodes: Numbers
    targets: Floats


def read_tree(tree: Tree, reader: TextReader, *, chains: bool, lowercase: bool) -> ReadTree:
    """Return a tree as numbers.

    Args:
        tree: to read.
        reader: the vocabulary.
        chains: whether phrases are read word by word.
        lowercase: whether words are read in lower case.
    """
    ids = np.full(len(tree), NO_WORD)
    words = [node for node, word in enumerate(tree.words) if word]
    ids[words] = reader.read([word_of(tree.words[node], lowercase) for node in words])
    if chains:
        return _chains(tree, ids, np.array(words))
    return ReadTree((np.array(tree.parents),), ids, np.arange(len(tree)), tree.root)


def word_of(word: str, lowercase: bool) -> str:
    """Return a word as it is looked up."""
    return fold(word) if lowercase else word


def _chains(tree: Tree, ids: Numbers, words: Numbers) -> ReadTree:
    first, last = _phrases(tree)
    beginnings, numbers = np.unique(first, return_inverse=True)
    lengths = np.zeros(len(beginnings), dtype=np.int64)
    np.maximum.at(lengths, numbers, last - first + 1)
    offsets = np.cumsum(lengths) - lengths
    parents = tuple(np.append(np.arange(1, length), ROOT) for length in lengths.tolist())
    read = np.concatenate([ids[words[b : b + n]] for b, n in zip(beginnings.tolist(), lengths.tolist(), strict=True)])
    return ReadTree(parents, read, offsets[numbers] + last - first, tree.root)


def _phrases(tree: Tree) -> tuple[Numbers, Numbers]:
    """Return the first and last word, by number in the sentence, below each node."""
    nodes = len(tree)
    first, last = np.full(nodes, nodes), np.full(nodes, -1)
    own = np.cumsum([bool(word) for word in tree.words]) - 1
    children, stack, order = tree.children(), [tree.root], list[int]()
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(children[node])
    for node in reversed(order):  # children before their parents
        if tree.words[node]:
            first[node], last[node] = min(first[node], own[node]), max(last[node], own[node])
        parent = tree.parents[node]
        if parent != ROOT:
            first[parent], last[parent] = min(first[parent], first[node]), max(last[parent], last[node])
    return first, last


def collate(trees: Sequence[ReadTree], nodes: Sequence[Numbers] | None = None) -> TreeInputs:
    """Return the inputs of a batch.

    Args:
        trees: to encode.
        nodes: of each tree, those whose states are wanted; None for the roots.
    """
    levels = tree_levels([parents for tree in trees for parents in tree.parents])
    sizes = np.array([len(tree.ids) for tree in trees])
    offsets = np.cumsum(sizes) - sizes
    wanted = [np.array([tree.root]) for tree in trees] if nodes is None else nodes
    at = np.concatenate([first + tree.places[some] for first, tree, some in zip(offsets, trees, wanted, strict=True)])
    is_root = np.concatenate([some == tree.root for tree, some in zip(trees, wanted, strict=True)])
    ids = torch.from_numpy(np.concatenate([tree.ids for tree in trees]))[levels.nodes]
    words = torch.nonzero(ids != NO_WORD).flatten()
    return TreeInputs(ids[words], words, levels, levels.rows[torch.from_numpy(at)], torch.from_numpy(is_root))


def tree_batches(
    items: Sequence[TreeItem], *, batch_size: int, seed: int = 0, shuffle: bool = True
) -> Buckets[TreeItem]:
    """Return items in batches of any sizes of trees.

    Args:
        items: all of one tree, or all of two.
        batch_size: B, examples per batch.
        seed: of the order.
        shuffle: whether each epoch has a new order.
    """

    def batch(some: list[TreeItem]) -> LabelBatch:
        sides = range(len(some[0].trees))
        trees = [item.trees[side] for side in sides for item in some]
        nodes = [item.nodes for item in some] if len(sides) == 1 else None
        return LabelBatch(collate(trees, nodes), torch.from_numpy(np.concatenate([item.targets for item in some])))

    # Nothing is padded, so that trees of all sizes may be together: a single length keeps the order random.
    lengths = np.zeros(len(items), dtype=np.int64)
    return Buckets(items=items, lengths=lengths, collate=batch, batch_size=batch_size, seed=seed, shuffle=shuffle)
