"""A recurrent layer over packed sequences, each with a vector of its own at every step: conditional decoders.

What
    A GRU, LSTM or simple network whose gates also see a vector that is the same at all steps of a sequence, such as the
    encoding of another sentence. Without such vectors it is a plain recurrent layer.
Objective
    With x_t the input, h the previous state and c the sequence's vector, the GRU is

        r, z = sigma(W x_t + U h + C c),   n = tanh(W_n x_t + C_n c + r * U_n h),   h_t = (1 - z) * n + z * h
Source
    Kiros et al. 2015, "Skip-thought vectors", equations 1 to 4 (without c) and 5 to 8; Cho et al. 2014, section 2.3.
Departures
    z and 1 - z are exchanged, and the reset gate acts after the product with U, as in `layers.cell_steps`. There are
    biases. The recurrent matrices begin orthogonal, one gate at a time, as in the paper.
Cost
    2 G H (D + H) operations per token and 2 G H C per sequence forward, with G = 3 gates in a GRU; no padding.
"""

import math

import torch
from torch import nn
from torch.nn.functional import linear

from firth.errors import OptionError
from firth.neural.layers.packed import Packing, run_packed
from firth.neural.layers.recurrence import CELL_STEPS


class ConditionalLayer(nn.Module):
    """A recurrent layer over packed sequences.

    Args:
        kind: "rnn", "lstm" or "gru".
        width_in: D, width of the input.
        hidden: H, width of the state and the output.
        condition: C, width of the vector of each sequence; 0 for none.

    Attributes:
        width: H.
        weight_ih, weight_hh, bias_ih, bias_hh: parameters as in torch's layer, with its order of gates.
        weight_ch: (G H, C), or None.
    """

    weight_ch: nn.Parameter | None

    def __init__(self, kind: str, width_in: int, hidden: int, *, condition: int = 0) -> None:
        super().__init__()
        if kind not in CELL_STEPS:
            raise OptionError(f"cell={kind!r}: expected one of {', '.join(CELL_STEPS)}")
        if min(width_in, hidden) < 1 or condition < 0:
            raise OptionError(f"a recurrent layer of {width_in} x {hidden}, {condition}: expected at least 1 x 1, 0")
        self.kind, self.width = kind, hidden
        gates, bound = CELL_STEPS[kind].gates, 1 / math.sqrt(hidden)
        self.weight_ih = nn.Parameter(torch.empty(gates * hidden, width_in).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(gates * hidden, hidden))
        self.weight_ch = None
        if condition:
            self.weight_ch = nn.Parameter(torch.empty(gates * hidden, condition).uniform_(-bound, bound))
        self.bias_ih = nn.Parameter(torch.zeros(gates * hidden))
        self.bias_hh = nn.Parameter(torch.zeros(gates * hidden))
        with torch.no_grad():
            for block in self.weight_hh.chunk(gates):
                nn.init.orthogonal_(block)

    def forward(self, x: torch.Tensor, packing: Packing, condition: torch.Tensor | None = None) -> torch.Tensor:
        """Return (N, H) outputs of (N, D) packed inputs.

        Args:
            x: inputs of all sequences in packed order.
            condition: (B, C) vector of each sequence, if the layer takes any.
        """
        bias = self.bias_ih if CELL_STEPS[self.kind].separate_input else self.bias_ih + self.bias_hh
        projected = linear(x, self.weight_ih, bias)  # (N, G H)
        if self.weight_ch is not None:
            assert condition is not None
            by_row = linear(condition, self.weight_ch)  # (B, G H)
            projected = projected + by_row.index_select(0, packing.rows.to(x.device))
        separate = self.bias_hh if CELL_STEPS[self.kind].separate_input else None
        return run_packed(self.kind, projected, self.weight_hh, separate, packing.sizes)

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        condition = "" if self.weight_ch is None else f" with {self.weight_ch.shape[1]}"
        return f"{self.kind}, {self.weight_ih.shape[1]}{condition} -> {self.width}"
