"""Binary trees over words and their paths, for hierarchical softmax.

A tree of V words has V - 1 inner nodes, each a row of the output matrix. A word's code is the turns from the root to
its leaf: +1 to the left, -1 to the right.

A tree is stored as the (V - 1, 2) children of its nodes: a child below V is a word, V + i is inner node i, and the last
node is the root. All functions work level by level, so that a tree of 100,000 words takes a tenth of a second.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Children = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """The paths of V words through V - 1 nodes.

    Attributes:
        starts: (V + 1,) int64, the start of each word's path in `nodes` and `signs`; the last is their length.
        nodes: int64, the nodes from the root down.
        signs: float32, the turns: +1 left, -1 right.
    """

    starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    signs: npt.NDArray[np.float32]

    @property
    def longest(self) -> int:
        """The nodes of the longest path."""
        return int(self.lengths.max(initial=0))

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(V,) the nodes of each word's path."""
        return np.diff(self.starts)

    @staticmethod
    def empty() -> "Tree":
        """A tree without words, for models that need none."""
        return Tree(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.float32))


def from_children(children: Children) -> Tree:
    """Return the paths of a tree from its (V - 1, 2) children; see the module."""
    words = len(children) + 1
    parent, sign = _parents(children)
    climbing, item = np.arange(words), np.arange(words)  # words whose path has not reached the root, and its top item
    lengths, levels = np.zeros(words, np.int64), []
    while len(climbing := climbing[parent[item] >= 0]):
        item = item[parent[item] >= 0]
        levels.append((climbing, parent[item], sign[item]))
        lengths[climbing] += 1
        item = words + parent[item]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    nodes, signs = np.zeros(starts[-1], np.int64), np.zeros(starts[-1], np.float32)
    for height, (below, above, turn) in enumerate(levels):
        position = starts[below + 1] - 1 - height
        nodes[position], signs[position] = above, turn
    return Tree(starts, nodes, signs)


def _parents(children: Children) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the parent of each word and node (-1 for the root) and the turn at the parent."""
    items = 2 * len(children) + 1
    parent, sign = np.full(items, -1, np.int64), np.ones(items, np.float32)
    parent[children] = np.arange(len(children))[:, None]
    sign[children[:, 1]] = -1
    return parent, sign


def huffman(counts: npt.NDArray[np.int64]) -> Tree:
    """Return the paths of Huffman's tree; see `huffman_children`."""
    return from_children(huffman_children(counts))


def huffman_children(counts: npt.NDArray[np.int64]) -> Children:
    """Return the Huffman tree of (V,) word counts, which has the shortest mean path.

    Source: Huffman 1952, "A method for the construction of minimum-redundancy codes". Ties go by id, words before
    nodes, so that the same counts always give the same tree.
    """
    words = len(counts)
    order = np.argsort(counts, kind="stable")
    # Nodes are created in the order of their counts, so the unmerged words and nodes are two sorted queues.
    leaves, leaf_counts = order.tolist(), counts[order].tolist()
    node_counts: list[int] = []
    children = np.zeros((max(words - 1, 0), 2), dtype=np.int64)
    leaf = node = 0
    for parent in range(words - 1):
        total = 0
        for side in range(2):
            if node == parent or (leaf < words and leaf_counts[leaf] <= node_counts[node]):
                children[parent, side] = leaves[leaf]
                total += leaf_counts[leaf]
                leaf += 1
            else:
                children[parent, side] = words + node
                total += node_counts[node]
                node += 1
        node_counts.append(total)
    return children


def balanced_children(words: npt.NDArray[np.int64]) -> Children:
    """Return a tree over (V,) words in this order; the lengths of its paths differ by at most one."""
    count = len(words)
    # The items of a complete tree are 0, the root, to 2V - 2; the children of item i are 2i + 1 and 2i + 2.
    child = 2 * np.arange(max(count - 1, 0))[:, None] + [1, 2]
    inner = child < count - 1
    return np.where(inner, 2 * count - 2 - child, words[np.where(inner, 0, child - count + 1)])[::-1].copy()
