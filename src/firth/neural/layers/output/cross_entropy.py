"""Cross entropy of a softmax over rows of weights, forward and backward in one array of scores.

What: -log softmax(W h + b)_target for each hidden vector, as torch's `cross_entropy` of `linear`.

Objective: with scores s = W h + b, p = softmax(s) and e the target's unit vector,

    loss = -log p_target,      d loss / d s = p - e,      so that W's gradient is the sum of (p - e) h^T

and with label smoothing the mean of -log p over the distribution (1 - smoothing) e + smoothing / V, which then stands
for e.

Source: the chain rule; Szegedy et al. 2016, section 7 (label smoothing).

Departures: none in the result. torch allocates four (N, V) arrays per step: scores, log-softmax, a zero gradient and
the gradient of the scores. Allocating them takes as long as a matrix product. Here the array of scores becomes p - e in
place, a block of rows at a time while they are in the cache, and incoming gradients scale the short vectors h instead.
Under autocast the array is in half precision, as the products are; the softmax itself never is.

Cost: 3 N V D multiplications, and one array of N V numbers.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from firth.neural.layers.products import in_blocks, product
from firth.neural.layers.scratch import borrow, release

BLOCK = 128  # rows of scores per step of the softmax


def linear_cross_entropy(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, targets: torch.Tensor, smoothing: float = 0.0
) -> torch.Tensor:
    """Return -log softmax(W h + b) at the targets, or its mean over smoothed targets.

    Args:
        hidden: (N, D).
        weight: (V, D).
        bias: (V,) or None.
        targets: (N,) int64.
        smoothing: e, label smoothing: the share of the target's probability that all words share.

    Returns:
        (N,) in nats.
    """
    if not torch.is_grad_enabled():
        w = _of_precision(weight).T
        pairs = zip(in_blocks(_of_precision(hidden), BLOCK), in_blocks(targets, BLOCK), strict=True)
        settings: Any = {"reduction": "none", "label_smoothing": smoothing}
        return torch.cat([functional.cross_entropy(_wide(product(h, w), bias), t, **settings) for h, t in pairs])
    apply: Callable[..., torch.Tensor] = _LinearCrossEntropy.apply
    return apply(hidden, weight, bias, targets, smoothing)


def log_normalisers(scores: torch.Tensor) -> torch.Tensor:
    """Return the (N,) log sum_v exp(s_v) of (N, V) scores, in at least single precision, with an array of few rows."""
    losses = []
    for rows in in_blocks(scores, BLOCK):
        wide = _wide(rows, None)
        losses.append(wide.amax(1) - functional.softmax(wide, 1).amax(1).log())
    return torch.cat(losses)


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        targets: torch.Tensor,
        smoothing: float,
    ) -> torch.Tensor:
        h, w = _of_precision(hidden), _of_precision(weight)
        scores = borrow((len(hidden), len(weight)), like=h)
        product(h, w.T, out=scores)
        losses = []
        for rows, target_columns in zip(torch.split(scores, BLOCK), torch.split(targets[:, None], BLOCK), strict=True):
            wide = _wide(rows, bias)
            greatest, at_target = wide.amax(1, keepdim=True), wide.gather(1, target_columns)
            at_target = at_target if not smoothing else torch.lerp(at_target, wide.mean(1, keepdim=True), smoothing)
            p = functional.softmax(wide, 1)
            losses.append((greatest - p.amax(1, keepdim=True).log() - at_target)[:, 0])
            p = p.sub_(smoothing / len(weight)) if smoothing else p
            rows.copy_(p.scatter_add_(1, target_columns, p.new_full(target_columns.shape, smoothing - 1.0)))
        ctx.save_for_backward(hidden, weight, scores)
        ctx.has_bias = bias is not None
        return torch.cat(losses)

    @staticmethod
    def backward(ctx: Any, *outer: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        hidden, weight, slope = ctx.saved_tensors
        scale = outer[0][:, None]
        by_hidden = product(slope, weight.to(slope.dtype)).to(hidden.dtype) * scale
        by_weight = product(slope.T, (scale * hidden).to(slope.dtype)).to(weight.dtype)
        by_bias = (slope.T @ scale.to(slope.dtype))[:, 0].to(weight.dtype) if ctx.has_bias else None
        release(slope)
        return by_hidden, by_weight, by_bias, None, None


def _wide(scores: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """Scores plus biases in at least single precision; in place if the scores already have it."""
    wide = scores if scores.dtype == torch.float64 else scores.float()
    return wide if bias is None else wide.add_(bias)


def _of_precision(x: torch.Tensor) -> torch.Tensor:
    """The factor of a product: in half precision under autocast."""
    kind = x.device.type
    return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) and x.dtype == torch.float32 else x
