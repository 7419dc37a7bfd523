"""Sequences of several lengths without padding: step by step, with fewer rows in each step.

What
    A batch of B sequences is stored step by step: the first token of each sequence, longest sequence first, then the
    second token of those that have one, and so on. No step computes padding.
Objective
    Row r of step t stands at offset_t + r, with offset_t the number of rows of the steps before.
Source
    The form of torch's `PackedSequence`, with indices that also read each sequence backward.
Cost
    A few integers per token.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from firth.neural.layers.products import product, step_product
from firth.neural.layers.recurrence import CELL_STEPS


@dataclass(frozen=True, eq=False)
class Packing:
    """Where each token of B padded sequences stands in packed order; N tokens.

    Attributes:
        lengths: (B,) int64 on the CPU, tokens of each sequence, at least 1.
    """

    lengths: torch.Tensor

    @cached_property
    def order(self) -> torch.Tensor:
        """(B,) the sequences, longest first."""
        return torch.argsort(self.lengths, descending=True, stable=True)

    @cached_property
    def _inside(self) -> torch.Tensor:
        steps = torch.arange(int(self.lengths.max()))
        return steps.unsqueeze(1) < self.lengths[self.order].unsqueeze(0)  # (T, B)

    @cached_property
    def sizes(self) -> list[int]:
        """Rows of each step, T numbers that never grow."""
        sizes: list[int] = self._inside.sum(1).tolist()
        return sizes

    @cached_property
    def _places(self) -> tuple[torch.Tensor, torch.Tensor]:
        steps, ranks = self._inside.nonzero(as_tuple=True)
        return steps, ranks

    @property
    def steps(self) -> torch.Tensor:
        """(N,) step of each packed token."""
        return self._places[0]

    @cached_property
    def rows(self) -> torch.Tensor:
        """(N,) sequence of each packed token."""
        return self.order[self._places[1]]

    @cached_property
    def _offsets(self) -> torch.Tensor:
        return torch.tensor([0, *accumulate(self.sizes)][:-1])

    @cached_property
    def ends(self) -> torch.Tensor:
        """(B,) packed position of the last token of each sequence."""
        ends = torch.empty_like(self.lengths)
        ends[self.order] = self._offsets[self.lengths[self.order] - 1] + torch.arange(len(self.lengths))
        return ends

    @cached_property
    def backward(self) -> torch.Tensor:
        """(N,) packed positions in the order in which the sequences are read backward."""
        steps, ranks = self._places
        return self._offsets[self.lengths[self.rows] - 1 - steps] + ranks

    def pack(self, x: torch.Tensor) -> torch.Tensor:
        """Return the (N, ...) tokens of (B, T, ...) padded sequences."""
        return x[self.rows.to(x.device), self.steps.to(x.device)]


def run_packed(
    kind: str, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, sizes: Sequence[int]
) -> torch.Tensor:
    """Take all steps of a recurrent layer over packed sequences, from a state of zeros.

    Args:
        kind: "rnn", "lstm" or "gru".
        x: (N, G H), W x and the biases.
        weight: (G H, H), U.
        bias: (G H,) of U h in a GRU; None for other cells.
        sizes: rows of each step, that never grow; N in all.

    Returns:
        (N, H) outputs, in float32 where x has half precision.
    """
    apply: Callable[..., torch.Tensor] = _PackedRecurrence.apply  # torch gives it no types
    return apply(kind, x, weight, bias, list(sizes))


class _PackedRecurrence(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, kind: str, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, sizes: list[int]
    ) -> torch.Tensor:
        cell = CELL_STEPS[kind]
        N, H = len(x), weight.shape[1]
        exact = torch.promote_types(x.dtype, torch.float32)
        weight = weight.to(x.dtype)
        addend = x if bias is None else bias.to(x.dtype).expand(N, -1)
        p = torch.empty(N, cell.gates * H, dtype=exact, device=x.device)
        cache = torch.empty(N, H, dtype=exact, device=x.device)
        states = [torch.empty(N, H, dtype=exact, device=x.device) for _ in range(cell.tensors)]
        before = [state.new_zeros(sizes[0], H) for state in states]
        for first, end in pairwise([0, *accumulate(sizes)]):
            rows = slice(first, end)
            before = [state[: end - first] for state in before]
            after = [state[rows] for state in states]
            step_product(addend[rows], before[0], weight, p[rows])
            cell.forward(p[rows], x[rows], before, after, cache[rows])
            before = after
        ctx.kind, ctx.dtype, ctx.sizes = kind, x.dtype, sizes
        ctx.save_for_backward(weight, p, cache, *states)
        return states[0]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_y: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        cell, sizes = CELL_STEPS[ctx.kind], ctx.sizes
        weight, p, cache, *states = ctx.saved_tensors
        N, H = cache.shape
        before = [_before(state, sizes) for state in states]
        derivatives = cell.derivatives(p[None], cache[None], [state[None] for state in before])
        d_p = torch.empty(N, cell.backward_blocks * H, dtype=p.dtype, device=p.device)
        d_product = d_p[:, : cell.gates * H]
        d_state: list[torch.Tensor] = []  # gradient of the state after a step, from the next step
        for first, end in reversed(list(pairwise([0, *accumulate(sizes)]))):
            rows, d = slice(first, end), [d_y[first:end], *(d_y.new_zeros(end - first, H) for _ in states[1:])]
            if d_state:
                d[0] = d[0].clone()
                for part, later in zip(d, d_state, strict=True):
                    part[: len(later)] += later
            earlier = cell.backward([table[0, rows] for table in derivatives], d, d_p[rows])
            through = product(d_product[rows].to(weight.dtype), weight)
            d_state = [through if earlier[0] is None else through + earlier[0]]
            d_state += [d_y.new_zeros(end - first, H) if part is None else part for part in earlier[1:]]
        d_weight = product(d_product.to(weight.dtype).t(), before[0].to(weight.dtype))
        d_bias = d_product.sum(0) if cell.separate_input else None
        return None, cell.input_gradient(d_p[None])[0].to(ctx.dtype), d_weight, d_bias, None


def _before(state: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """Return the state before each step, given that after each."""
    starts = [0, *accumulate(sizes)]
    parts = [state[start : start + size] for start, size in zip(starts, sizes[1:], strict=False)]
    return torch.cat([state.new_zeros(sizes[0], state.shape[1]), *parts])
