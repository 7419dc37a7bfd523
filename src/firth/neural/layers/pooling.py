"""The recurrence of a QRNN, forward and backward: at each step the state is scaled by a gate and added to.

What
    All steps of c_t = f_t c_{t-1} + u_t as one node of the autograd graph.
Objective
    c_t = f_t * c_{t-1} + u_t. Gradients: g_t = d_t + f_{t+1} * g_{t+1} for u_t; g_t * c_{t-1} for f_t; f_1 * g_1 for
    c_0.
Source
    Bradbury, Merity, Xiong and Socher 2017, section 2, equations 3 to 5.
Departures
    A loop over steps with one call of torch each. A cumulative sum of logarithms would divide by products of gates
    that leave the range of float32; here no number leaves the range of the inputs.
Cost
    One multiply-add per number in each pass; memory for c.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.function import once_differentiable


def pool(forget: torch.Tensor, update: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """Return all states, (T, B, H).

    Args:
        forget: (T, B, H) from 0 to 1.
        update: (T, B, H).
        start: (B, H), c_0.
    """
    apply: Callable[..., torch.Tensor] = _Pool.apply  # torch gives it no types
    return apply(forget, update, start)


class _Pool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, forget: torch.Tensor, update: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
        c = torch.empty_like(update)
        before = start
        for f, u, now in zip(forget.unbind(), update.unbind(), c.unbind(), strict=True):
            torch.addcmul(u, f, before, out=now)
            before = now
        ctx.save_for_backward(forget, c, start)
        return c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_c: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        forget, c, start = ctx.saved_tensors
        g = torch.empty_like(d_c, memory_format=torch.contiguous_format)
        later = torch.zeros_like(start)
        for f, d, now in reversed(list(zip(forget.unbind(), d_c.unbind(), g.unbind(), strict=True))):
            torch.add(d, later, out=now)
            later = f * now
        return torch.cat([(g[0] * start).unsqueeze(0), g[1:] * c[:-1]]), g, later
