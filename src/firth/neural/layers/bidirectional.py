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
    steps = torch.arange(x.shape[1], device=x.device)
    ends = lengths.to(x.device).unsqueeze(1)
    order = torch.where(steps < ends, ends - 1 - steps, steps)
    return x.gather(1, order.unsqueeze(-1).expand_as(x))


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
