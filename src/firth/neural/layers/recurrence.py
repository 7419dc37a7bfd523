"""A recurrence over time as one node of the autograd graph, with masks that torch's kernels do not support.

What
    All steps of a recurrent layer in one direction. The same mask acts on the state at each step (variational
    dropout), and units of the state may keep their values (zoneout, padding).
Objective
    s~_t = cell(x_t, m * h_{t-1}, s_{t-1}),   s_t = k_t * s_{t-1} + (1 - k_t) * s~_t
    with m the mask of the recurrent product and k_t the share of the old state that is kept: 0 in a plain run.
Source
    Gal and Ghahramani 2016, equation 7 (m); Krueger et al. 2017, equations 2 to 4 (k).
Departures
    The backward pass is written out; autograd would make some ten nodes per step. The gradient of the weights is one
    product for all steps, and the element-wise derivatives of all steps are computed beforehand.
Cost
    One product of the state with U per step in each pass; 2 G + 5 numbers in memory per step and hidden unit.
"""

from collections.abc import Callable
from functools import reduce
from itertools import pairwise, zip_longest
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from firth.neural.layers.cell_steps import CellStep, GruStep, LstmStep, RnnStep
from firth.neural.layers.products import product, step_product

CELL_STEPS: dict[str, CellStep] = {"rnn": RnnStep(), "lstm": LstmStep(), "gru": GruStep()}


def run(
    kind: str,
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    start: tuple[torch.Tensor, ...],
    *,
    mask: torch.Tensor | None = None,
    keep: tuple[torch.Tensor, ...] | None = None,
) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
    """Take all steps of a recurrent layer.

    Args:
        kind: "rnn", "lstm" or "gru".
        x: (T, B, G H), W x and the biases.
        weight: (G H, H), U.
        bias: (G H,) of U h in a GRU, where it is separate from the input's; None for other cells.
        start: the state, (B, H) each.
        mask: (B, H) on the state in its product with U, or None.
        keep: per tensor of the state (T, B, H) or (T, B, 1), from 0 (takes the new value) to 1 (keeps the old), or
            None.

    Returns:
        (T, B, H) outputs, in float32 where x has half precision, and the state at the end.
    """
    apply: Callable[..., tuple[torch.Tensor, ...]] = _Recurrence.apply  # torch gives it no types
    y, *ends = apply(kind, x, weight, bias, mask, keep, *start)
    return y, tuple(ends)


class _Recurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        kind: str,
        x: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        mask: torch.Tensor | None,
        keep: tuple[torch.Tensor, ...] | None,
        *start: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        cell = CELL_STEPS[kind]
        (T, B), H = x.shape[:2], weight.shape[1]
        exact = torch.promote_types(x.dtype, torch.float32)
        weight = weight.to(x.dtype)
        addend = x if bias is None else bias.to(x.dtype).expand(T, B, -1)
        p = torch.empty(T, B, cell.gates * H, dtype=exact, device=x.device)
        cache = torch.empty(T, B, H, dtype=exact, device=x.device)
        keep = None if keep is None else tuple(k.to(exact) for k in keep)
        states = [torch.empty(T + 1, B, H, dtype=exact, device=x.device) for _ in start]
        for all_steps, first in zip(states, start, strict=True):
            all_steps[0] = first
        over_time = list(zip(*(all_steps.unbind() for all_steps in states), strict=True))
        for t, (before, after) in enumerate(pairwise(over_time)):
            h = before[0] if mask is None else before[0] * mask
            # Only the product is in half precision; gates and states are not, for the cell sums over many steps.
            step_product(addend[t], h, weight, p[t])
            cell.forward(p[t], x[t], before, after, cache[t])
            if keep is not None:
                for new, old, k in zip(after, before, keep, strict=True):
                    torch.lerp(new, old, k[t].expand_as(old), out=new)
        ctx.kind, ctx.dtype = kind, x.dtype
        ctx.save_for_backward(weight, mask, p, cache, *states, *(keep or ()))
        return states[0][1:], *(all_steps[T].clone() for all_steps in states)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_y: torch.Tensor, *d_ends: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        cell = CELL_STEPS[ctx.kind]
        weight, mask, p, cache, *rest = ctx.saved_tensors
        states, keep = rest[: cell.tensors], rest[cell.tensors :]
        T, B, H = cache.shape
        derivatives = cell.derivatives(p, cache, [s[:T] for s in states])
        d_p = torch.empty(T, B, cell.backward_blocks * H, dtype=p.dtype, device=p.device)
        d_product = d_p[..., : cell.gates * H]
        d = list(d_ends)
        for t in range(T - 1, -1, -1):
            d[0] = d[0] + d_y[t]
            stays = [part * k[t] for part, k in zip(d, keep, strict=False)]
            new = [part - stay for part, stay in zip(d, stays, strict=True)] if stays else d
            before = cell.backward([s[t] for s in derivatives], new, d_p[t])
            through = product(d_product[t].to(weight.dtype), weight)
            before[0] = _sum(through if mask is None else through * mask, before[0])
            d = [_sum(part, stay) for part, stay in zip_longest(before, stays)]
        h = states[0][:T] if mask is None else states[0][:T] * mask
        flat = d_product.reshape(T * B, -1).to(weight.dtype)
        d_weight = product(flat.t(), h.reshape(T * B, H).to(weight.dtype))
        d_bias = d_product.sum((0, 1)) if cell.separate_input else None
        return None, cell.input_gradient(d_p).to(ctx.dtype), d_weight, d_bias, None, None, *d


def _sum(*parts: torch.Tensor | None) -> torch.Tensor:
    return reduce(torch.add, [part for part in parts if part is not None])
