"""Scalar mix: a weighted mean of the layers of an encoder, times a factor, learned for each task.

What
    Layers of a pretrained encoder hold different things: lower ones spelling and syntax, higher ones meaning. A task
    learns how much of each it reads.
Objective
    gamma sum_j s_j h_j, with s = softmax(w); h_j the vector of a word in layer j
Source
    Peters et al. 2018, "Deep contextualized word representations", section 3.2, equation 1.
Departures
    Each layer's vector is normalised by its own mean and variance, which the authors did for some tasks: layers of
    different scale then begin with equal shares.
Cost
    Some passes over the vectors of all layers.
"""

import torch
from torch import nn
from torch.nn.functional import layer_norm


class ScalarMix(nn.Module):
    """A weighted mean of L layers.

    Args:
        layers: L.
        normalise: whether the vectors of each layer are normalised first.

    Attributes:
        weights: (L,) w, zeros at the start.
        gamma: the factor, 1 at the start.
    """

    def __init__(self, layers: int, *, normalise: bool = True) -> None:
        super().__init__()
        self.normalise = normalise
        self.weights = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def shares(self) -> torch.Tensor:
        """Return the (L,) shares of the layers, which sum to 1."""
        return self.weights.softmax(0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (..., D) means of (..., L, D) vectors."""
        if self.normalise:
            x = layer_norm(x, x.shape[-1:])
        mixed: torch.Tensor = self.gamma * (self.shares().to(x.dtype) @ x)
        return mixed
