"""Binary trees over words, as the paths that hierarchical softmax walks.

A tree of V words has V - 1 inner nodes, each a row of the output matrix. A word's code is the turns from the root to
its leaf: +1 to the left, -1 to the right.
"""

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Tree:
    """The paths of V words through V - 1 nodes.

    Attributes:
        starts: (V + 1,) int64, where each word's path begins in the next two; the last is their length.
        nodes: int64, the nodes from the root down.
        signs: float32, the turns taken there: +1 left, -1 right.
    """

    starts: npt.NDArray[np.int64]
    nodes: npt.NDArray[np.int64]
    signs: npt.NDArray[np.float32]

    @property
    def longest(self) -> int:
        """The nodes of the longest path."""
        return int(np.diff(self.starts).max(initial=0))

    @staticmethod
    def empty() -> "Tree":
        """A tree without words, for models that walk none."""
        return Tree(np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.float32))


def from_children(children: npt.NDArray[np.int64]) -> Tree:
    """Return the paths of a tree that is given by its inner nodes.

    Args:
        children: (V - 1, 2) the left and the right child of each inner node; a child below V is a word, V + i is inner
            node i; the last node is the root.
    """
    words = len(children) + 1
    paths: list[list[tuple[int, float]]] = [[] for _ in range(words)]
    pending: list[tuple[int, list[tuple[int, float]]]] = [(words + len(children) - 1, [])] if len(children) else []
    while pending:
        item, path = pending.pop()
        if item < words:
            paths[item] = path
            continue
        node = item - words
        pending.append((int(children[node, 0]), [*path, (node, 1.0)]))
        pending.append((int(children[node, 1]), [*path, (node, -1.0)]))
    starts = np.concatenate([[0], np.cumsum([len(path) for path in paths])]).astype(np.int64)
    steps = [step for path in paths for step in path]
    return Tree(
        starts, np.array([node for node, _ in steps], np.int64), np.array([sign for _, sign in steps], np.float32)
    )


def huffman(counts: npt.NDArray[np.int64]) -> Tree:
    """Return Huffman's tree: the shortest mean path for words of these counts.

    Source: Huffman 1952, "A method for the construction of minimum-redundancy codes". Equal counts are joined in order
    of their ids, so that the same counts give the same tree.

    Args:
        counts: (V,).
    """
    words = len(counts)
    heap = [(int(count), word) for word, count in enumerate(counts)]
    heapq.heapify(heap)
    children = np.zeros((max(words - 1, 0), 2), dtype=np.int64)
    for node in range(words - 1):
        (few, one), (more, other) = heapq.heappop(heap), heapq.heappop(heap)
        children[node] = one, other
        heapq.heappush(heap, (few + more, words + node))
    return from_children(children)
