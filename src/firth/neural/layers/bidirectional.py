"""Bidirectional recurrent layers (Schuster and Paliwal 1997)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from firth.neural.layers.state import State


def reversed_sequences(x: torch.Tensor, lengths: torch.Tensor | None) -> torch.Tensor:
    """Return (B, T, D) sequences in reverse order; padding stays at the end.

    Args:
        x: (B, T, D).
        lengths: (B,) int64, steps of each sequence; None if all have T.
    """
    if lengths is None:
        return x.flip(1)
    B, T = x.shape[:2]
    steps = torch.arange(T, device=x.device)
    ends = lengths.to(x.device).unsqueeze(1)
    order = torch.where(steps < ends, ends - 1 - steps, steps) + T * torch.arange(B, device=x.device).unsqueeze(1)
    exchanged: torch.Tensor = _Exchange.apply(x, order.flatten())  # type: ignore[no-untyped-call]  # torch gives it no types
    return exchanged


class _Exchange(torch.autograd.Function):
    """Rows in another order, which is its own inverse: four times as fast in both passes as `gather`."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(order)
        return x.flatten(0, 1).index_select(0, order).view(x.shape)

    @staticmethod
    def backward(ctx: Any, d: torch.Tensor) -> tuple[torch.Tensor, None]:
        return _Exchange.apply(d, *ctx.saved_tensors), None  # type: ignore[no-untyped-call]  # torch gives it no types


class Bidirectional(nn.Module):
    """Two layers of the same kind, one of which reads each sequence backward.

    Args:
        make: returns a layer in one direction, with attribute `width` H.

    Attributes:
        width: 2 H.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        super().__init__()
        self.forward_layer, self.backward_layer = make(), make()
        self.width = 2 * self.forward_layer.width

    def forward(
        self, x: torch.Tensor, state: State = None, lengths: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return (B, T, 2 H) outputs and the states: of the forward layer at the end, of the other at the beginning.

        Args:
            x: (B, T, D).
            state: of the forward and the backward layer; None at the start.
            lengths: (B,) int64, steps of each sequence; None if all have T.
        """
        first, second = state or (None, None)
        y, onward = self.forward_layer(x, first, lengths)
        z, back = self.backward_layer(reversed_sequences(x, lengths), second, lengths)
        return torch.cat([y, reversed_sequences(z, lengths)], dim=-1), (onward, back)
