"""Log-probabilities of leaves along their paths; each prediction computes only the nodes on its path.

What: the log-probability of each requested leaf: the sum of log sigma(+-score) along its path.

Objective: for a leaf with nodes n_1 ... n_k and turns s_1 ... s_k (+1 left, -1 right),

    log p(leaf | h) = sum_i log sigma(s_i (h . u_{n_i} + b_{n_i}))

Source: Morin and Bengio 2005, "Hierarchical probabilistic neural network language model", section 3.

Cost: P D multiplications forward and twice that backward, with P the number of nodes on all paths. Rows of nodes are
gathered block by block, so that they stay in the cache. Backward, with the passes sorted by node, the gradients of
hidden vectors and of nodes are weighted sums of rows. These are embedding bags, which torch computes several times
faster than it scatters rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

BLOCK = 1024  # passes per gathered block: two blocks of 100 floats each fit a cache of 1 MB


@dataclass(frozen=True, eq=False)
class Passes:
    """The P nodes on the paths to the requested leaves, in the order of their hidden vectors.

    Attributes:
        nodes: (P,) int64.
        signs: (P,) the turns, +1 left and -1 right.
        rows: (P,) int64, the index of the hidden vector.
        leaves: (P,) int64, the index of the requested leaf.
        starts: (N,) int64, the first pass of each hidden vector.
    """

    nodes: torch.Tensor
    signs: torch.Tensor
    rows: torch.Tensor
    leaves: torch.Tensor
    starts: torch.Tensor


def path_log_prob(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, passes: Passes, count: int
) -> torch.Tensor:
    """Return the log-probability of each requested leaf, in nats.

    Args:
        hidden: (N, D).
        weight: (L - 1, D) one row per node.
        bias: (L - 1,).
        count: number of requested leaves; a leaf without passes is the only one of its tree and certain.
    """
    apply: Callable[..., torch.Tensor] = _PathLogProb.apply
    return apply(hidden, weight, bias, passes, count)


class _PathLogProb(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, passes: Passes, count: int
    ) -> torch.Tensor:
        scores = bias.index_select(0, passes.nodes)
        for first in range(0, len(scores), BLOCK):
            block = slice(first, first + BLOCK)
            product = weight.index_select(0, passes.nodes[block])
            product *= hidden.index_select(0, passes.rows[block])
            scores[block] += product.sum(1)
        scores *= passes.signs
        ctx.save_for_backward(hidden, weight, scores)
        ctx.passes = passes
        return scores.new_zeros(count).index_add_(0, passes.leaves, functional.logsigmoid(scores))

    @staticmethod
    def backward(ctx: Any, *outer: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, weight, scores = ctx.saved_tensors
        passes: Passes = ctx.passes
        each = torch.sigmoid(-scores) * passes.signs * outer[0].index_select(0, passes.leaves)
        if not len(each):
            return torch.zeros_like(hidden), torch.zeros_like(weight), weight.new_zeros(len(weight)), None, None
        by_bias = weight.new_zeros(len(weight)).index_add_(0, passes.nodes, each)
        by_hidden = functional.embedding_bag(passes.nodes, weight, passes.starts, mode="sum", per_sample_weights=each)
        return by_hidden, _by_weight(hidden, weight, passes, each), by_bias, None, None


def _by_weight(hidden: torch.Tensor, weight: torch.Tensor, passes: Passes, each: torch.Tensor) -> torch.Tensor:
    """Return (L - 1, D): for every node the weighted sum of the hidden vectors that pass it."""
    nodes, order = torch.sort(passes.nodes)
    distinct, times = torch.unique_consecutive(nodes, return_counts=True)
    sums = functional.embedding_bag(
        passes.rows[order], hidden, times.cumsum(0) - times, mode="sum", per_sample_weights=each[order]
    )
    return torch.zeros_like(weight).index_copy_(0, distinct, sums)
