"""A recurrent layer read onward, or onward and backward side by side (Schuster and Paliwal 1997)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from firth.neural.layers.state import State


def turned(x: torch.Tensor, lengths: torch.Tensor | None) -> torch.Tensor:
    """Return sequences read from their ends; padding stays behind them.

    Args:
        x: (B, T, D).
        lengths: (B,) int64, steps of each; None where all have T.
    """
    if lengths is None:
        return x.flip(1)
    steps = torch.arange(x.shape[1], device=x.device)
    ends = lengths.to(x.device).unsqueeze(1)
    order = torch.where(steps < ends, ends - 1 - steps, steps)
    return x.gather(1, order.unsqueeze(-1).expand_as(x))


class Bidirectional(nn.Module):
    """Two layers of the same kind, one of which reads each sequence from its end.

    Args:
        make: makes a layer in one direction, whose `width` is H.

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
        """Read a batch of sequences both ways.

        Args:
            x: (B, T, D).
            state: of the layer onward and of the one backward; None for a fresh start.
            lengths: (B,) int64, steps of each sequence; None where all have T.

        Returns:
            (B, T, 2 H), and the states: onward at a sequence's end, backward at its beginning.
        """
        first, second = state or (None, None)
        y, onward = self.forward_layer(x, first, lengths)
        z, back = self.backward_layer(turned(x, lengths), second, lengths)
        return torch.cat([y, turned(z, lengths)], dim=-1), (onward, back)
