"""Connections around the layers of a stack: plain, residual, highway and dense.

What
    Paths around a layer that carry signals and gradients through deep stacks.
Objective
    With x the input of a layer and y its output, the input of the next layer is

        plain      y
        residual   x + y
        highway    t * y + (1 - t) * x,   t = sigma(W_t x + b_t)
        dense      [x; y], so that each layer reads the input of the stack and all earlier outputs
Source
    He et al. 2016, equations 1 and 2; Srivastava, Greff and Schmidhuber 2015, equation 3; Huang et al. 2017, equation
    2; Bradbury et al. 2017, section 2.1, for dense connections between recurrent layers.
Departures
    If x and y differ in width, x passes a learned matrix without bias (He et al. 2016, equation 2), in highways too.
    The last layer of a dense stack gives only its output, as in Bradbury et al., so that the stack has the width of
    its layers.
Cost
    One addition; a (D, D) product for a highway; inputs that grow with each layer for dense connections.
"""

from collections.abc import Callable

import torch
from torch import nn

from firth.neural.layers.highway import Gate


class Plain(nn.Module):
    """The output only.

    Args:
        width_in: D, width of x.
        width: D', width of y.

    Attributes:
        width: of the result.
    """

    def __init__(self, width_in: int, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return (..., D') y, given (..., D) x."""
        return y


class Residual(nn.Module):
    """The sum; arguments and attributes as in `Plain`."""

    def __init__(self, width_in: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.shortcut = _fitting(width_in, width)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return x + y, as in `Plain.forward`."""
        total: torch.Tensor = self.shortcut(x) + y
        return total


class HighwayConnection(nn.Module):
    """A gated sum; arguments and attributes as in `Plain`."""

    def __init__(self, width_in: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.shortcut = _fitting(width_in, width)
        self.gate = Gate(width)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return t * y + (1 - t) * x, as in `Plain.forward`."""
        mixed: torch.Tensor = self.gate(self.shortcut(x), y)
        return mixed


class Dense(nn.Module):
    """The concatenation; arguments and attributes as in `Plain`."""

    def __init__(self, width_in: int, width: int) -> None:
        super().__init__()
        self.width = width_in + width

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return [x; y], (..., D + D'), as in `Plain.forward`."""
        return torch.cat([x, y], dim=-1)


Connection = Plain | Residual | HighwayConnection | Dense

CONNECTIONS: dict[str, Callable[[int, int], Connection]] = {
    "plain": Plain,
    "residual": Residual,
    "highway": HighwayConnection,
    "dense": Dense,
}


def _fitting(width_in: int, width: int) -> nn.Module:
    return nn.Identity() if width_in == width else nn.Linear(width_in, width, bias=False)
