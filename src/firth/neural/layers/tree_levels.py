"""The nodes of a batch of trees by height, so that one product serves all nodes of a height.

What
    Rows are numbered by the height of their nodes: the leaves of all trees, then all nodes whose children are leaves,
    and so on up to the last root. Each level is a slice of rows, and depends on lower levels only.
Objective
    height(j) = 0 for a leaf, else 1 + max height(k) over the children k of j.
Source
    Looks, Herreshoff, Hutchins and Norvig 2017, "Deep learning with dynamic computation graphs", section 2 (operations
    of one depth are batched).
Departures
    By height, not by depth: the leaves, half of all nodes in binary trees, form one level.
Cost
    NumPy over all nodes, a few calls per level; no recursion.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import ShapeError

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TreeLevels:
    """N nodes of B trees in rows by height; E = N - B edges, those to the same parent together.

    Attributes:
        nodes: (N,) number of each row's node; the nodes of the trees are counted on from tree to tree.
        rows: (N,) row of each node: the inverse of `nodes`.
        roots: (B,) row of each tree's root.
        starts: first row of each level, then N.
        edge_starts: number of edges to lower levels, for each level, then E.
        kids: (E,) row of the lower end of each edge, in the order of the parents' rows and of siblings.
        parents: (E,) row of the upper end.
        places: (E,) number of the kid among its siblings, from 0.
        edges: (N,) edge above each row; E + b for the root of tree b.
    """

    nodes: torch.Tensor
    rows: torch.Tensor
    roots: torch.Tensor
    starts: tuple[int, ...]
    edge_starts: tuple[int, ...]
    kids: torch.Tensor
    parents: torch.Tensor
    places: torch.Tensor
    edges: torch.Tensor

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def leaves(self) -> int:
        """Number of leaves, the first rows."""
        return self.starts[1]

    @property
    def max_children(self) -> int:
        """Largest number of children of a node."""
        return int(self.places.max()) + 1 if len(self.places) else 0

    def to(self, device: torch.device) -> "TreeLevels":
        """Return the levels with their tensors on a device."""
        return TreeLevels(
            self.nodes.to(device),
            self.rows.to(device),
            self.roots.to(device),
            self.starts,
            self.edge_starts,
            self.kids.to(device),
            self.parents.to(device),
            self.places.to(device),
            self.edges.to(device),
        )


def tree_levels(trees: Sequence[Sequence[int] | Numbers]) -> TreeLevels:
    """Return the levels of a batch of trees.

    Args:
        trees: B trees, each the number of every node's parent, -1 for the root; siblings are in the order of their
            numbers.
    """
    if not len(trees):
        raise ShapeError("no trees: expected at least one")
    arrays = [np.asarray(tree, dtype=np.int64) for tree in trees]
    sizes = np.array([len(array) for array in arrays])
    offsets = np.cumsum(sizes) - sizes
    local = np.concatenate(arrays)
    parents = np.where(local < 0, -1, local + np.repeat(offsets, sizes))
    roots = np.flatnonzero(parents < 0)
    rooted = np.array_equal(np.searchsorted(offsets, roots, side="right"), np.arange(1, len(trees) + 1))
    if not rooted or (local >= np.repeat(sizes, sizes)).any():
        raise ShapeError(f"{len(trees)} trees with {len(roots)} roots: expected a root each, and parents within a tree")
    heights = _heights(parents)
    nodes = np.argsort(heights, kind="stable")
    rows = np.empty_like(nodes)
    rows[nodes] = np.arange(len(nodes))
    starts = np.searchsorted(heights[nodes], np.arange(int(heights.max()) + 2))
    below = np.flatnonzero(parents >= 0)
    below = below[np.argsort(rows[parents[below]], kind="stable")]  # edges by their lower ends
    upper = rows[parents[below]]
    first = np.searchsorted(upper, upper)  # first edge to the same parent
    edges = np.empty_like(nodes)
    edges[rows[below]] = np.arange(len(below))
    edges[rows[roots]] = len(below) + np.arange(len(roots))
    return TreeLevels(
        torch.from_numpy(nodes),
        torch.from_numpy(rows),
        torch.from_numpy(rows[roots]),
        tuple(starts.tolist()),
        tuple(np.searchsorted(upper, starts).tolist()),
        torch.from_numpy(rows[below]),
        torch.from_numpy(upper),
        torch.from_numpy(np.arange(len(below)) - first),
        torch.from_numpy(edges),
    )


def _heights(parents: Numbers) -> Numbers:
    waiting = np.bincount(parents[parents >= 0], minlength=len(parents))  # children whose height is unknown
    heights = np.full(len(parents), -1)
    level, ready = 0, np.flatnonzero(waiting == 0)
    while len(ready):
        heights[ready] = level
        above = parents[ready]
        above = above[above >= 0]
        np.subtract.at(waiting, above, 1)
        ready = np.unique(above[waiting[above] == 0])
        level += 1
    if (heights < 0).any():
        raise ShapeError(f"{int((heights < 0).sum()):,} nodes on a cycle or above one: expected trees")
    return heights
