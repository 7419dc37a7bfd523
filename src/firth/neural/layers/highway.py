"""Highway layers: a gate mixes the input and the output of a layer, unit by unit.

What
    Initially the gate passes most of the input, so that deep stacks train.
Objective
    y = t * g + (1 - t) * x,   t = sigma(W_t x + b_t),   g = relu(W x + b) in `Highway`, any layer's output in `Gate`.
Source
    Srivastava, Greff and Schmidhuber 2015, equations 2 and 3, section 2.2 for b_t from -1 to -3; Kim et al. 2016,
    equation 8, with relu over a character CNN.
Cost
    Two products with a (D, D) matrix.
"""

import torch
from torch import nn
from torch.nn.functional import relu

CARRY = -2.0  # initial bias of the gate: sigma(-2) = 0.12 of the layer, 0.88 of its input


class Gate(nn.Module):
    """The gate between the input and the output of a layer.

    Args:
        width: D.
        bias: initial bias; lower values pass more of the input.

    Attributes:
        bias: the same.
    """

    def __init__(self, width: int, *, bias: float = CARRY) -> None:
        super().__init__()
        self.bias = bias
        self.transform = nn.Linear(width, width)
        self.close()

    def close(self) -> None:
        """Reset the bias to its initial value."""
        nn.init.constant_(self.transform.bias, self.bias)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return the gated sum of (..., D) x, which also determines the gate, and (..., D) y."""
        # Not torch.lerp, whose three inputs must be of one type: with autocast the gate is in half precision.
        return x + torch.sigmoid(self.transform(x)) * (y - x)


class Highway(nn.Module):
    """A stack of highway layers over rectified linear layers.

    Args:
        width: D.

    Attributes:
        width: D.
    """

    def __init__(self, width: int, *, layers: int = 1, bias: float = CARRY) -> None:
        super().__init__()
        self.width = width
        self.makers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.gates = nn.ModuleList(Gate(width, bias=bias) for _ in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the (..., D) output of the last layer."""
        for make, gate in zip(self.makers, self.gates, strict=True):
            x = gate(x, relu(make(x)))
        return x
