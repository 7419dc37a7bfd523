"""What a decoder sees of features: an encoder of vectors and grids, and a decoder that reads them at every step."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.neural.layers.dropout import Dropout
from firth.neural.layers.state import State
from firth.neural.models.translation.decoders import RecurrentTarget
from firth.neural.models.translation.encoders import Encoded


class FeatureEncoder(nn.Module):
    """A layer over the features of each cell: m_p = relu(W (f_p - mean) / deviation + b + e_p).

    Args:
        cells: P.
        dim: D.
        width: M.
        positions: whether cells have vectors e_p.
        dropout: rate.

    Attributes:
        width: M.
    """

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self, cells: int, dim: int, width: int, *, positions: bool, dropout: float) -> None:
        super().__init__()
        self.width, self.project, self.dropout = width, nn.Linear(dim, width), Dropout(dropout)
        self.positions = nn.Parameter(torch.randn(cells, width)) if positions else None  # as large as W f
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("deviation", torch.ones(dim))

    def standardise(self, features: npt.NDArray[np.float32]) -> None:
        """Take mean and standard deviation from (N, P, D) features."""
        flat = features.reshape(-1, features.shape[2])
        mean, deviation = flat.mean(0, dtype=np.float64), flat.std(0, dtype=np.float64)
        with torch.no_grad():
            self.mean.copy_(torch.from_numpy(mean))
            self.deviation.copy_(torch.from_numpy(np.where(deviation > 1e-6 * np.abs(mean) + 1e-12, deviation, 1)))

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Encoded:
        """Return (B, P, M) states and their mean, given (B, P, D) features."""
        states = self.project((x - self.mean) / self.deviation)
        states = states if self.positions is None else states + self.positions
        states = self.dropout(states.relu())
        return Encoded(states, lengths, states.mean(1), None)


class BiasedTarget(nn.Module):
    """A recurrent decoder that reads the mean of the states m beside each word.

    In a gate s(W x_t + V m + U h) the product V m is a bias of each gate, the same at every step.

    Args:
        target: reads words and m side by side.

    Attributes:
        width: H.
        sequential: True.
    """

    sequential = True

    def __init__(self, target: RecurrentTarget) -> None:
        super().__init__()
        self.target, self.width = target, target.width

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        """Return what the decoder looks at, and its first state; see `Decoder`."""
        memory, state = self.target.start(encoded)
        return (memory, encoded.summary), state

    def read(self, x: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, torch.Tensor | None, State]:
        """Return outputs, attention and state; see `Decoder`."""
        return self.target.read(_beside(x, memory[1]), memory[0], state)

    def prepared(self) -> Callable[[torch.Tensor, Any, State], tuple[torch.Tensor, torch.Tensor | None, State]]:
        """Return what reads one step in a search; see `Decoder`."""
        read = self.target.prepared()
        return lambda x, memory, state: read(_beside(x, memory[1]), memory[0], state)

    def attention(self, x: torch.Tensor, memory: Any, state: State) -> torch.Tensor:
        """Return attention; see `Decoder`."""
        return self.target.attention(_beside(x, memory[1]), memory[0], state)


def _beside(x: torch.Tensor, summary: torch.Tensor) -> torch.Tensor:
    """Return (B, T, D) inputs with (P, M) vectors beside them, each for B / P consecutive rows."""
    B, T = x.shape[:2]
    rows = summary.repeat_interleave(B // len(summary), 0)
    return torch.cat([x, rows[:, None].expand(B, T, -1)], 2)
