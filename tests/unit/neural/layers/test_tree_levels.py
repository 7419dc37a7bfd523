"""Nodes of trees by height."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ShapeError
from firth.neural.layers.tree_levels import tree_levels
from tests.unit.neural.layers.tree_oracle import random_trees


def test_two_trees_by_hand():
    """((a b) c) as nodes 0 to 4, numbered as brackets open, and the word d alone as node 5.

    Leaves are a, b, c, d (nodes 2, 3, 4, 5) in rows 0 to 3; then (a b), then the root.
    """
    levels = tree_levels([[-1, 0, 1, 1, 0], [-1]])
    assert levels.nodes.tolist() == [2, 3, 4, 5, 1, 0]
    assert levels.rows.tolist() == [5, 4, 0, 1, 2, 3]
    assert levels.roots.tolist() == [5, 3]
    assert levels.starts == (0, 4, 5, 6)
    assert levels.kids.tolist() == [0, 1, 4, 2]
    assert levels.parents.tolist() == [4, 4, 5, 5]
    assert levels.places.tolist() == [0, 1, 0, 1]
    assert levels.edge_starts == (0, 0, 2, 4)
    assert levels.edges.tolist() == [0, 1, 3, 5, 2, 4]
    assert (levels.leaves, levels.max_children, len(levels)) == (4, 2, 6)


def test_children_are_below_their_parents_and_in_order():
    trees = random_trees(3, (30, 1, 20), children=4)
    levels = tree_levels(trees)
    level_of = [level for level in range(len(levels.starts) - 1) for _ in range(*levels.starts[level : level + 2])]
    for kid, parent in zip(levels.kids.tolist(), levels.parents.tolist(), strict=True):
        assert level_of[kid] < level_of[parent]
    for parent in set(levels.parents.tolist()):
        nodes = levels.nodes[levels.kids[levels.parents == parent]].tolist()
        assert nodes == sorted(nodes)


@pytest.mark.parametrize(
    ("trees", "problem"),
    [
        ([], "no trees"),
        ([[-1, -1], [0, 0]], "2 trees with 2 roots"),
        ([[-1], [1, 0]], "2 trees with 1 roots"),
        ([[-1, 2]], "1 trees with 1 roots: expected a root each, and parents within a tree"),
        ([[-1, 2, 1]], "2 nodes on a cycle"),
    ],
)
def test_what_is_no_tree(trees, problem):
    with pytest.raises(ShapeError, match=problem):
        tree_levels(trees)
