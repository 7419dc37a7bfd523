"""The turns at the nodes of many paths, each node computed for the prediction that passes it and for no other.

What: the logarithm of the probability of each leaf that is asked for: the sum, along its path, of log sigma(+-score).

Objective: for a leaf with nodes n_1 ... n_k and turns s_1 ... s_k (+1 left, -1 right),

    log p(leaf | h) = sum_i log sigma(s_i (h . u_{n_i} + b_{n_i}))

Source: Morin and Bengio 2005, "Hierarchical probabilistic neural network language model", section 3.

Departures: none.

Cost: P D multiplications forward and twice that backward, P being the nodes of all paths together. Rows of nodes are
gathered a block at a time, so that they stay in the cache. Backward, each hidden vector's gradient is a weighted sum of
node rows and each node's one of hidden vectors, once the passes are sorted by node: embedding bags, which torch sums
several times faster than it scatters rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

BLOCK = 1024  # passes whose rows are gathered at a time: two blocks of 100 floats each lie in a cache of 1 MB


@dataclass(frozen=True, eq=False)
class Passes:
    """The nodes of P passes: the paths of some leaves, one behind the other, in the order of their hidden vectors.

    Attributes:
        nodes: (P,) int64.
        signs: (P,) the turns taken there, +1 left and -1 right.
        rows: (P,) int64, the hidden vector of each.
        leaves: (P,) int64, which of the leaves that are asked for each belongs to.
        starts: (N,) int64, where the passes of each hidden vector begin.
    """

    nodes: torch.Tensor
    signs: torch.Tensor
    rows: torch.Tensor
    leaves: torch.Tensor
    starts: torch.Tensor


def path_log_prob(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, passes: Passes, count: int
) -> torch.Tensor:
    """Return the logarithm of the probability of each leaf.

    Args:
        hidden: (N, D).
        weight: (L - 1, D) one row a node.
        bias: (L - 1,).
        passes: through the nodes.
        count: leaves asked for; one without passes, the only one of its tree, is certain.

    Returns:
        (count,) in nats.
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
            some = slice(first, first + BLOCK)
            product = weight.index_select(0, passes.nodes[some])
            product *= hidden.index_select(0, passes.rows[some])
            scores[some] += product.sum(1)
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
    """Return (L - 1, D) for every node the sum of the hidden vectors that passed it, each times its number."""
    nodes, order = torch.sort(passes.nodes)
    passed, times = torch.unique_consecutive(nodes, return_counts=True)
    sums = functional.embedding_bag(
        passes.rows[order], hidden, times.cumsum(0) - times, mode="sum", per_sample_weights=each[order]
    )
    return torch.zeros_like(weight).index_copy_(0, passed, sums)
