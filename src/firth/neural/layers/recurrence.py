"""A recurrence over time as one node of the graph, with masks that torch's own kernels have no place for.

What
    All steps of a recurrent layer in one direction, with the same mask on the state at each step (variational
    dropout), and with numbers of the state that stay as they were (zoneout, padding).
Objective
    s~_t = cell(x_t, m * h_{t-1}, s_{t-1}),   s_t = k_t * s_{t-1} + (1 - k_t) * s~_t
    with m the mask of the recurrent product, k_t what is kept: 0 for a plain run.
Source
    Gal and Ghahramani 2016, equation 7 (m); Krueger et al. 2017, equations 2 to 4 (k).
Departures
    The way back is written out instead of left to autograd, which would make some ten nodes a step: the gradient of the
    weights is one product for all steps, and derivatives are multiplied out over time beforehand.
Cost
    One product of the state with U a step each way; 2 G + 5 numbers kept a step and hidden unit.
"""

from collections.abc import Callable
from functools import reduce
from itertools import pairwise, zip_longest
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from firth.neural.layers.cell_steps import GruSteps, LstmSteps, RnnSteps, Steps
from firth.neural.layers.products import product

STEPS: dict[str, Steps] = {"rnn": RnnSteps(), "lstm": LstmSteps(), "gru": GruSteps()}


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
        x: (T, B, G H) what the input gives: W x and the biases.
        weight: (G H, H), U.
        bias: (G H,) of U h in a GRU, which has it apart from the input's; None for other cells.
        start: the state, (B, H) each.
        mask: (B, H) on the state in its product with U, or None.
        keep: for each tensor of the state (T, B, H) or (T, B, 1), from 0 (the step's own) to 1 (what was before), or
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
        steps = STEPS[kind]
        (T, B), H = x.shape[:2], weight.shape[1]
        exact = torch.promote_types(x.dtype, torch.float32)
        weight = weight.to(x.dtype)
        given = x if bias is None else bias.to(x.dtype).expand(T, B, -1)
        p = torch.empty(T, B, steps.gates * H, dtype=exact, device=x.device)
        kept = torch.empty(T, B, H, dtype=exact, device=x.device)
        keep = None if keep is None else tuple(k.to(exact) for k in keep)
        states = [torch.empty(T + 1, B, H, dtype=exact, device=x.device) for _ in start]
        for all_steps, first in zip(states, start, strict=True):
            all_steps[0] = first
        over_time = list(zip(*(all_steps.unbind() for all_steps in states), strict=True))
        for t, (before, after) in enumerate(pairwise(over_time)):
            h = before[0] if mask is None else before[0] * mask
            _product(given[t], h, weight, p[t])
            steps.onward(p[t], x[t], before, after, kept[t])
            if keep is not None:
                for new, old, k in zip(after, before, keep, strict=True):
                    torch.lerp(new, old, k[t].expand_as(old), out=new)
        ctx.kind, ctx.dtype = kind, x.dtype
        ctx.save_for_backward(weight, mask, p, kept, *states, *(keep or ()))
        return states[0][1:], *(all_steps[T].clone() for all_steps in states)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_y: torch.Tensor, *d_ends: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        steps = STEPS[ctx.kind]
        weight, mask, p, kept, *rest = ctx.saved_tensors
        states, keep = rest[: steps.tensors], rest[steps.tensors :]
        T, B, H = kept.shape
        slopes = steps.slopes(p, kept, [s[:T] for s in states])
        d_p = torch.empty(T, B, steps.written * H, dtype=p.dtype, device=p.device)
        d_product = d_p[..., : steps.gates * H]
        d = list(d_ends)
        for t in range(T - 1, -1, -1):
            d[0] = d[0] + d_y[t]
            stays = [part * k[t] for part, k in zip(d, keep, strict=False)]
            made = [part - stay for part, stay in zip(d, stays, strict=True)] if stays else d
            before = steps.back([s[t] for s in slopes], made, d_p[t])
            through = torch.mm(d_product[t].to(weight.dtype), weight)
            before[0] = _sum(through if mask is None else through * mask, before[0])
            d = [_sum(part, stay) for part, stay in zip_longest(before, stays)]
        h = states[0][:T] if mask is None else states[0][:T] * mask
        flat = d_product.reshape(T * B, -1).to(weight.dtype)
        d_weight = product(flat.t(), h.reshape(T * B, H).to(weight.dtype))
        d_bias = d_product.sum((0, 1)) if steps.apart else None
        return None, steps.of_input(d_p).to(ctx.dtype), d_weight, d_bias, None, None, *d


def _sum(*parts: torch.Tensor | None) -> torch.Tensor:
    """The sum of those that there are."""
    return reduce(torch.add, [part for part in parts if part is not None])


def _product(given: torch.Tensor, h: torch.Tensor, weight: torch.Tensor, out: torch.Tensor) -> None:
    # In half precision the product alone is: gates and states are not, for the cell sums over many steps.
    if given.dtype == out.dtype:
        torch.addmm(given, h, weight.t(), out=out)
    else:
        out.copy_(torch.addmm(given, h.to(given.dtype), weight.t()))
