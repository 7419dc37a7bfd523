"""Trees as numbers: words, chains of phrases, batches."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.classification.reader import TextReader
from firth.neural.models.trees.data import TreeItem, collate, read_tree, tree_batches
from firth.readers.tree import Tree
from tests.unit.neural.models.trees.tiny import tree_of

READER = TextReader(["a", "b", "c"], "whitespace", 100)  # ids 2, 3, 4; unknown words are 1
TREE = tree_of("(4 (3 (2 A) (1 b)) (0 x))")


def test_a_tree_keeps_its_nodes():
    read = read_tree(TREE, READER, chains=False, lowercase=True)
    assert read.parents[0].tolist() == [-1, 0, 1, 1, 0]
    assert read.ids.tolist() == [-1, -1, 2, 3, 1]
    assert (read.positions.tolist(), read.root) == ([0, 1, 2, 3, 4], 0)
    assert read_tree(TREE, READER, chains=False, lowercase=False).ids.tolist() == [-1, -1, 1, 3, 1]


def test_phrases_that_begin_alike_share_a_chain():
    """A b x, A b and A are one chain of three words; b and x are chains of one."""
    read = read_tree(TREE, READER, chains=True, lowercase=True)
    assert [parents.tolist() for parents in read.parents] == [[1, 2, -1], [-1], [-1]]
    assert read.ids.tolist() == [2, 3, 1, 3, 1]
    assert read.positions.tolist() == [2, 1, 0, 3, 4]


def test_the_root_of_dependencies_is_the_whole_sentence_as_a_chain():
    read = read_tree(Tree((1, -1, 1), ("", "", ""), ("a", "b", "c")), READER, chains=True, lowercase=True)
    first = sum(len(parents) for parents in read.parents[:1])
    assert (read.positions[1], first) == (2, 3)
    assert read.ids[:3].tolist() == [2, 3, 4]


def test_a_batch_has_the_rows_of_the_labelled_nodes():
    read = read_tree(TREE, READER, chains=False, lowercase=True)
    inputs = collate([read, read], [np.array([0, 3]), np.array([4])])
    assert inputs.levels.nodes[inputs.outputs].tolist() == [0, 3, 9]
    assert inputs.ids.tolist() == [2, 3, 1, 2, 3, 1]
    assert collate([read, read]).outputs.tolist() == inputs.levels.roots.tolist()


def test_pairs_are_first_trees_then_second_ones():
    trees = [read_tree(tree_of(f"(0 {word})"), READER, chains=False, lowercase=True) for word in "abc"]
    items = [
        TreeItem((trees[0], trees[1]), np.array([0]), np.ones((1, 2), np.float32)),
        TreeItem((trees[2], trees[2]), np.array([0]), np.zeros((1, 2), np.float32)),
    ]
    (batch,) = tree_batches(items, batch_size=2, shuffle=False).epoch(0)
    assert batch.inputs.ids.tolist() == [2, 4, 3, 4]
    assert batch.targets.tolist() == [[1, 1], [0, 0]]
