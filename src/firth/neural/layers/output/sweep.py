"""The probabilities of all leaves of a tree at once: from the root down, a level at a time."""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from firth.kernels.trees import Children


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes at one distance from the root, and where their children stand among their 2 n children.

    Attributes:
        nodes: (n,) int64, the inner nodes of this level.
        inner: int64, places of children that are inner nodes, in the order of the next level.
        outer: int64, places of children that are leaves.
    """

    nodes: torch.Tensor
    inner: torch.Tensor
    outer: torch.Tensor


@dataclass(frozen=True, eq=False)
class Sweep:
    """A tree, level by level.

    Attributes:
        levels: from the root down.
        columns: (L,) int64, the place of each leaf in the order in which levels reach them.
    """

    levels: list[Level]
    columns: torch.Tensor

    def to(self, device: torch.device) -> "Sweep":
        """Return it on a device; itself where it is there."""
        if self.columns.device == device:
            return self
        levels = [Level(each.nodes.to(device), each.inner.to(device), each.outer.to(device)) for each in self.levels]
        return Sweep(levels, self.columns.to(device))


def sweep_of(children: Children) -> Sweep:
    """Return the levels of a tree.

    Args:
        children: (L - 1, 2), as in `firth.kernels.trees`.
    """
    leaves = len(children) + 1
    levels, reached = [], []
    nodes = np.array([len(children) - 1])[: len(children)]
    while len(nodes):
        items = children[nodes].ravel()
        inner, outer = np.flatnonzero(items >= leaves), np.flatnonzero(items < leaves)
        levels.append(Level(*(torch.from_numpy(part) for part in (nodes, inner, outer))))
        reached.append(items[outer])
        nodes = items[inner] - leaves
    columns = np.zeros(leaves, np.int64)
    columns[np.concatenate([np.zeros(0, np.int64), *reached])] = np.arange(leaves if reached else 0)
    return Sweep(levels, torch.from_numpy(columns))


def log_prob_of_leaves(scores: torch.Tensor, sweep: Sweep) -> torch.Tensor:
    """Return the logarithm of the probability of every leaf.

    Args:
        scores: (N, L - 1) one a node; sigma of it is the probability of its left side.
        sweep: of the tree, on the scores' device.

    Returns:
        (N, L) in nats.
    """
    if not sweep.levels:
        return scores.new_zeros(len(scores), 1)
    reached, done = scores.new_zeros(len(scores), 1), []
    for level in sweep.levels:
        here = scores.index_select(1, level.nodes)
        turns = torch.stack([functional.logsigmoid(here), functional.logsigmoid(-here)], 2)
        both = (reached[:, :, None] + turns).flatten(1)
        done.append(both.index_select(1, level.outer))
        reached = both.index_select(1, level.inner)
    return torch.cat(done, 1).index_select(1, sweep.columns)
