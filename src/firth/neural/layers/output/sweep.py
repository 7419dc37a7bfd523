"""The probabilities of all leaves of a tree, computed level by level from the root."""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from firth.kernels.trees import Children


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes at one distance from the root, with 2 n children.

    Attributes:
        nodes: (n,) int64, the inner nodes of this level.
        inner: int64, indices of the children that are inner nodes, in the order of the next level.
        outer: int64, indices of the children that are leaves.
    """

    nodes: torch.Tensor
    inner: torch.Tensor
    outer: torch.Tensor


@dataclass(frozen=True, eq=False)
class Sweep:
    """A tree, level by level.

    Attributes:
        levels: from the root down.
        columns: (L,) int64, the index of each leaf in level order.
    """

    levels: list[Level]
    columns: torch.Tensor

    def to(self, device: torch.device) -> "Sweep":
        """Return the sweep on a device."""
        if self.columns.device == device:
            return self
        levels = [Level(each.nodes.to(device), each.inner.to(device), each.outer.to(device)) for each in self.levels]
        return Sweep(levels, self.columns.to(device))


def sweep_of(children: Children) -> Sweep:
    """Return the levels of a tree with (L - 1, 2) children, as in `firth.kernels.trees`."""
    leaves = len(children) + 1
    levels, leaf_ids = [], []
    nodes = np.array([len(children) - 1])[: len(children)]
    while len(nodes):
        items = children[nodes].ravel()
        inner, outer = np.flatnonzero(items >= leaves), np.flatnonzero(items < leaves)
        levels.append(Level(*(torch.from_numpy(part) for part in (nodes, inner, outer))))
        leaf_ids.append(items[outer])
        nodes = items[inner] - leaves
    columns = np.zeros(leaves, np.int64)
    columns[np.concatenate([np.zeros(0, np.int64), *leaf_ids])] = np.arange(leaves if leaf_ids else 0)
    return Sweep(levels, torch.from_numpy(columns))


def log_prob_of_leaves(scores: torch.Tensor, sweep: Sweep) -> torch.Tensor:
    """Return the (N, L) log-probabilities of all leaves, in nats.

    Args:
        scores: (N, L - 1) one per node; the left side has probability sigma(score).
        sweep: of the tree, on the device of the scores.
    """
    if not sweep.levels:
        return scores.new_zeros(len(scores), 1)
    prefix, parts = scores.new_zeros(len(scores), 1), []
    for level in sweep.levels:
        here = scores.index_select(1, level.nodes)
        turns = torch.stack([functional.logsigmoid(here), functional.logsigmoid(-here)], 2)
        both = (prefix[:, :, None] + turns).flatten(1)
        parts.append(both.index_select(1, level.outer))
        prefix = both.index_select(1, level.inner)
    return torch.cat(parts, 1).index_select(1, sweep.columns)
