"""A highway layer: at each number a gate chooses between what comes in and what is made of it.

What
    A layer that starts out letting its input through, so that deep stacks train.
Objective
    y = t * g + (1 - t) * x,   t = sigma(W_t x + b_t),   g = relu(W x + b) in `Highway`, any layer's output in `Gate`.
Source
    Srivastava, Greff and Schmidhuber 2015, equations 2 and 3, section 2.2 for b_t from -1 to -3; Kim et al. 2016,
    equation 8, with relu over a character CNN.
Departures
    None.
Cost
    Two products with a (D, D) matrix.
"""

import torch
from torch import nn
from torch.nn.functional import relu

CARRY = -2.0  # the gate's bias at first: sigma(-2) = 0.12 of the layer, 0.88 of its input


class Gate(nn.Module):
    """The choice between an input and what a layer makes of it.

    Args:
        width: D.
        bias: of the gate at first; the lower, the more of the input goes through.

    Attributes:
        bias: the same.
    """

    def __init__(self, width: int, *, bias: float = CARRY) -> None:
        super().__init__()
        self.bias = bias
        self.transform = nn.Linear(width, width)
        self.close()

    def close(self) -> None:
        """Set the gate's bias to what it is at first."""
        nn.init.constant_(self.transform.bias, self.bias)

    def forward(self, x: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
        """Return a mixture of both, number by number.

        Args:
            x: (..., D), which also sets the gate.
            made: (..., D) what a layer made of x.
        """
        # Not torch.lerp, whose three inputs must be of one type: with autocast the gate is in half precision.
        return x + torch.sigmoid(self.transform(x)) * (made - x)


class Highway(nn.Module):
    """Highway layers of their own, with a rectified linear layer in each.

    Args:
        width: D.
        layers: how many, one upon the other.
        bias: of each gate at first.

    Attributes:
        width: D.
    """

    def __init__(self, width: int, *, layers: int = 1, bias: float = CARRY) -> None:
        super().__init__()
        self.width = width
        self.makers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.gates = nn.ModuleList(Gate(width, bias=bias) for _ in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the last layer's output.

        Args:
            x: (..., D).
        """
        for make, gate in zip(self.makers, self.gates, strict=True):
            x = gate(x, relu(make(x)))
        return x
