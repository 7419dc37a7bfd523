"""Cross entropy of a softmax over rows of weights, forward and backward over one array of scores.

What: -log softmax(W h + b)_target for each hidden vector, as torch's `cross_entropy` of torch's `linear` gives it.

Objective: with scores s = W h + b and p = softmax(s),

    loss = log sum_v exp(s_v) - s_target,      d loss / d s = p - e_target

Source: the chain rule.

Departures: none in what is computed. torch keeps scores, their log-softmax, a gradient of zeros and one of scores, each
(N, V), and for the system to hand out such arrays anew at every step takes as long as a product of matrices. Here the
scores' array becomes that of exponentials, and backward goes a block at a time. Products are in half precision where
autocast is on, what lies between them never is.

Cost: 3 N V D multiplications, and some eight passes over N V numbers.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional


def linear_cross_entropy(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, targets: torch.Tensor
) -> torch.Tensor:
    """Return -log softmax(W h + b) at the targets.

    Args:
        hidden: (N, D).
        weight: (V, D).
        bias: (V,) or None.
        targets: (N,) int64.

    Returns:
        (N,) in nats.
    """
    apply: Callable[..., torch.Tensor] = _LinearCrossEntropy.apply
    return apply(hidden, weight, bias, targets)


BLOCK = 256  # hidden vectors whose scores' gradient stands in memory at a time


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, targets: torch.Tensor
    ) -> torch.Tensor:
        product = functional.linear(hidden, weight, bias)
        scores = product if product.dtype == torch.float64 else product.float()
        at_targets = scores.gather(1, targets[:, None])
        greatest = scores.amax(1, keepdim=True)
        sums = scores.sub_(greatest).exp_().sum(1, keepdim=True)
        ctx.save_for_backward(hidden, weight, targets, scores, sums)
        ctx.precision, ctx.has_bias = product.dtype, bias is not None
        return (greatest + sums.log() - at_targets)[:, 0]

    @staticmethod
    def backward(ctx: Any, *outer: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, weight, targets, exponentials, sums = ctx.saved_tensors
        scale = outer[0].to(sums.dtype)[:, None]
        by_hidden, by_weight = torch.empty_like(hidden), torch.zeros_like(weight)
        by_bias = exponentials.T @ (scale / sums)[:, 0]
        by_bias.index_add_(0, targets, -scale[:, 0])
        low = weight.to(ctx.precision)
        for first in range(0, len(hidden), BLOCK):
            some = slice(first, first + BLOCK)
            by_scores = exponentials[some] * (scale[some] / sums[some])
            by_scores.scatter_add_(1, targets[some, None], -scale[some])
            block = by_scores.to(ctx.precision)
            by_hidden[some] = block @ low
            _add_product(by_weight, block.T, hidden[some].to(ctx.precision))
        return by_hidden, by_weight, by_bias if ctx.has_bias else None, None


def _add_product(total: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> None:
    """Add a product to float sums; of the same precision at once, without an array of its own."""
    if left.dtype == total.dtype:
        total.addmm_(left, right)
    else:
        total += left @ right
