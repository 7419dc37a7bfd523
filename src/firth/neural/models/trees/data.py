"""Trees as a Tree-LSTM reads them, and batches of them.

What
    A tree is a list of parents and the ids of its words. For an LSTM, which reads words in order, it is a chain for
    each word that begins a labelled phrase, long enough for the longest of them: phrases that begin alike share it.
Objective
    Every tree once per epoch, with a target at each labelled node.
Source
    Tai, Socher and Manning 2015, sections 4.1 and 5.1 (a loss at each labelled node; LSTMs over the same phrases).
Cost
    16 bytes per node.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, FormatError, OptionError, brief
from firth.neural.layers.tree_levels import TreeLevels, tree_levels
from firth.neural.models.classification.data import LabelBatch
from firth.neural.models.classification.reader import TextReader
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch
from firth.readers.brackets import parse_bracketed, read_bracketed
from firth.readers.conllu import read_conllu
from firth.readers.tree import ROOT, Tree
from firth.storage.skipping import STOP
from firth.text.characters import fold

FORMS = "expected a file of trees in brackets or in CoNLL-U, or a list of trees"
PAIR_FORMS = "expected pairs of trees with labels=, or tuples ((first, second), label)"
NO_WORD = -1
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TreeExamples:
    """Trees or pairs of trees with labels.

    Attributes:
        trees: N examples, each a tuple of one tree or of two.
        labels: the label of every node of a tree, "" for none; of a pair, its label alone.
        name: of the source, for error messages.
    """

    trees: list[tuple[Tree, ...]]
    labels: list[tuple[str, ...]]
    name: str

    def __len__(self) -> int:
        return len(self.trees)

    def rows(self, rows: Iterable[int]) -> "TreeExamples":
        """Return some of the examples."""
        rows = list(rows)
        return TreeExamples([self.trees[i] for i in rows], [self.labels[i] for i in rows], self.name)


def read_examples(
    source: Any, labels: Any, *, pairs: bool, merged: Mapping[str, str], on_error: str = STOP
) -> TreeExamples:
    """Read trees with labels.

    Args:
        source: trees in brackets, whose nodes have labels: a path, several, or a list of trees; with `labels`, trees of
            any kind. Files of CoNLL-U (`.conllu`) may have labels in comments, `# label = NAME`. With `pairs`, pairs of
            trees, or tuples ((first, second), label).
        labels: None where the labels are in `source`; else a label for the root of each tree, or for each pair.
        pairs: whether an example is a pair of trees.
        merged: label of a node: label to learn; nodes with other labels have none. Empty for labels as they are.
        on_error: "stop" at the first damaged sentence of CoNLL-U, or "skip" such sentences.
    """
    if pairs:
        examples = _read_pairs(source, labels)
    else:
        name = str(source) if isinstance(source, str | os.PathLike) else "trees"
        if labels is None and any(map(is_dependencies, files := _paths(source))):
            source, labels = _labelled_dependencies(files, on_error)
        trees = read_trees(source, on_error)
        names = [tree.labels for tree in trees] if labels is None else _root_labels(trees, labels)
        examples = TreeExamples([(tree,) for tree in trees], names, name)
    if merged:
        changed = [tuple(merged.get(label, "") for label in names) for names in examples.labels]
        examples = TreeExamples(examples.trees, changed, examples.name)
    if not any(map(any, examples.labels)):
        raise CorpusError(
            f"{examples.name}: {len(examples):,} trees, none with a label; expected a label for some node"
        )
    return examples


def read_trees(source: Any, on_error: str = STOP) -> list[Tree]:
    """Return trees from a path, several paths, trees, or strings of brackets."""
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.exists():
            raise CorpusError(f"{path}: no such file; {FORMS}")
        if is_dependencies(path):
            return [sentence.tree for sentence in read_conllu(path, on_error=on_error)]
        return list(read_bracketed(path))
    if not isinstance(source, Iterable):
        raise CorpusError(f"found {brief(source)}; {FORMS}")
    trees: list[Tree] = []
    for number, item in enumerate(source):
        if isinstance(item, os.PathLike) or (isinstance(item, str) and not item.lstrip().startswith("(")):
            trees += read_trees(item, on_error)
        else:
            trees.append(one_tree(item, f"item {number}"))
    if not trees:
        raise CorpusError(f"no trees; {FORMS}")
    return trees


def one_tree(item: Any, where: str) -> Tree:
    """Return a tree, which may be a string of brackets."""
    if isinstance(item, Tree):
        tree = item
    elif isinstance(item, str):
        trees = list(parse_bracketed(item, where))
        if len(trees) != 1:
            raise FormatError(f"{where}: {len(trees)} trees in {brief(item)}; expected one")
        tree = trees[0]
    else:
        raise CorpusError(f"{where} is {brief(item)}; expected a tree, such as '(4 (2 very) (3 good))'")
    if not tree.sentence:
        raise CorpusError(f"{where}: a tree without words; expected at least one")
    return tree


def is_dependencies(source: Any) -> bool:
    """Return whether a path is named as CoNLL-U."""
    return isinstance(source, str | os.PathLike) and ".conll" in Path(source).name


def _paths(source: Any) -> list[Any]:
    return list(source) if isinstance(source, list | tuple) else [source]


def _labelled_dependencies(paths: Sequence[Any], on_error: str) -> tuple[list[Tree], list[str]]:
    """Return the trees of CoNLL-U files, with the labels of their comments; "" for none."""
    if not all(map(is_dependencies, paths)):
        raise OptionError("files of CoNLL-U with other trees; expected trees of one kind")
    sentences = [sentence for path in paths for sentence in read_conllu(path, on_error=on_error)]
    labels = [next(filter(None, map(_label_of, sentence.comments)), "") for sentence in sentences]
    if not any(labels):
        raise OptionError(
            f"{paths[0]}: trees of dependencies have relations for labels; expected a line '# label = NAME' before "
            "each sentence, or a label per tree, labels=[...]"
        )
    return [sentence.tree for sentence in sentences], labels


def _label_of(comment: str) -> str:
    name, _, value = comment.partition("=")
    return value.strip() if name.strip() == "label" else ""


def _root_labels(trees: Sequence[Tree], labels: Any) -> list[tuple[str, ...]]:
    given = list(labels)
    if len(given) != len(trees):
        raise OptionError(f"{len(given):,} labels for {len(trees):,} trees; expected one per tree")
    return [
        tuple(str(label) if parent == ROOT else "" for parent in tree.parents)
        for tree, label in zip(trees, given, strict=True)
    ]


def _read_pairs(source: Any, labels: Any) -> TreeExamples:
    if isinstance(source, str | os.PathLike) or not isinstance(source, Iterable):
        raise CorpusError(f"pairs of trees: found {brief(source)}; {PAIR_FORMS}")
    items = list(source)
    if labels is None:
        odd = next((item for item in items if not isinstance(item, tuple | list) or len(item) != 2), None)
        if odd is not None or not items:
            raise CorpusError(f"pairs of trees: found {brief(odd)}; {PAIR_FORMS}")
        items, labels = [pair for pair, _ in items], [label for _, label in items]
    labels = list(labels)
    if len(labels) != len(items):
        raise OptionError(f"{len(labels):,} labels for {len(items):,} pairs; expected one per pair")
    pairs = [one_pair(item, f"item {number}") for number, item in enumerate(items)]
    return TreeExamples(pairs, [(str(label),) for label in labels], "pairs")


def one_pair(item: Any, where: str) -> tuple[Tree, ...]:
    """Return two trees."""
    if isinstance(item, str | Tree) or not isinstance(item, Sequence) or len(item) != 2:
        raise CorpusError(f"{where} is {brief(item)}; expected a pair of trees")
    return tuple(one_tree(tree, where) for tree in item)


@dataclass(frozen=True, eq=False)
class ReadTree:
    """A tree as numbers: one tree, or a chain for each beginning of a phrase.

    Attributes:
        parents: parents in each of its parts.
        ids: (n,) ids of the words of all parts; -1 for none.
        positions: (nodes,) where the state of each node of the tree is, among the n.
        root: number of the root among the nodes.
    """

    parents: tuple[Numbers, ...]
    ids: Numbers
    positions: Numbers
    root: int


@dataclass(frozen=True, eq=False)
class TreeInputs(TensorBatch):
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
    """Return a tree as numbers."""
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
    """Return the inputs of a batch."""
    levels = tree_levels([parents for tree in trees for parents in tree.parents])
    sizes = np.array([len(tree.ids) for tree in trees])
    offsets = np.cumsum(sizes) - sizes
    wanted = [np.array([tree.root]) for tree in trees] if nodes is None else nodes
    at = np.concatenate([first + tree.positions[of] for first, tree, of in zip(offsets, trees, wanted, strict=True)])
    is_root = np.concatenate([of == tree.root for tree, of in zip(trees, wanted, strict=True)])
    ids = torch.from_numpy(np.concatenate([tree.ids for tree in trees]))[levels.nodes]
    words = torch.nonzero(ids != NO_WORD).flatten()
    return TreeInputs(ids[words], words, levels, levels.rows[torch.from_numpy(at)], torch.from_numpy(is_root))


def tree_batches(items: Sequence[TreeItem], **options: Unpack[BatchOptions]) -> Buckets[TreeItem]:
    """Return items in batches of any sizes of trees."""

    def batch(rows: list[TreeItem]) -> LabelBatch:
        sides = range(len(rows[0].trees))
        trees = [item.trees[side] for side in sides for item in rows]
        nodes = [item.nodes for item in rows] if len(sides) == 1 else None
        return LabelBatch(collate(trees, nodes), torch.from_numpy(np.concatenate([item.targets for item in rows])))

    return Buckets.of(items, batch, **options)
