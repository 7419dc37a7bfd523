"""The quasi-recurrent layer: a convolution over the last steps, and a recurrence without products.

What
    All products with weights are made for every step at once; what runs step by step is a fading sum.
Objective
    With X_t = [x_{t-k+1}; ...; x_t] the last k inputs, z = tanh(W_z X), f, o, i = sigma(W_f X, W_o X, W_i X):

        "f"    h_t = f * h_{t-1} + (1 - f) * z
        "fo"   c_t = f * c_{t-1} + (1 - f) * z,   h_t = o * c_t
        "ifo"  c_t = f * c_{t-1} + i * z,         h_t = o * c_t

    Zoneout sets f to 1, and what is added to 0, at random; in use f + p (1 - f) is the expectation.
Source
    Bradbury, Merity, Xiong and Socher 2017, section 2, equations 1 to 5; section 2.1 for zoneout.
Departures
    Bias in every gate, as in the authors' program.
    Zoneout in "ifo" leaves i * z out where it sets f to 1, so that the number stays as it was (Krueger et al. 2017).
    The formula of section 2.1 changes f alone; with an input gate of its own, the state would go on adding i * z.
Cost
    k D G H multiplications a step, G = 2, 3 or 4, in one product; a few passes over (T, B, H).
"""

import math

import torch
from torch import nn
from torch.nn.functional import linear

from firth.errors import OptionError
from firth.neural.layers.dropout import DropoutMask, Dropouts, Zoneout
from firth.neural.layers.pooling import pool
from firth.neural.layers.state import State

POOLINGS = {"f": 2, "fo": 3, "ifo": 4}  # gates of each, z included


class Qrnn(nn.Module):
    """A quasi-recurrent layer.

    Args:
        width_in: D, numbers a step of the input.
        hidden: H, numbers of the state and of the output.
        window: k, inputs that a step sees, itself included.
        pooling: "f", "fo" or "ifo".
        dropout: of which `weights` and `zoneout` are the layer's own; the rest is the stack's.

    Attributes:
        width: H.
        weight: (G H, k D), blocks z, f, o, i; within a row the oldest input first.
        bias: (G H,).

    Raises:
        OptionError: no such pooling, a size below 1, or a mask on recurrent products, of which there are none.
    """

    def __init__(
        self, width_in: int, hidden: int, *, window: int = 2, pooling: str = "fo", dropout: Dropouts | None = None
    ) -> None:
        super().__init__()
        if pooling not in POOLINGS:
            raise OptionError(f"pooling={pooling!r}: expected one of {', '.join(POOLINGS)}")
        if min(width_in, hidden, window) < 1:
            raise OptionError(f"a QRNN of {width_in} x {hidden} with window={window}: expected at least 1 each")
        rates = dropout or Dropouts()
        if rates.recurrent:
            raise OptionError(
                f"recurrent={rates.recurrent} in a QRNN, which multiplies its state by no weights: expected zoneout"
            )
        self.width, self.window, self.pooling = hidden, window, pooling
        bound = 1 / math.sqrt(window * width_in)
        rows = POOLINGS[pooling] * hidden
        self.weight = nn.Parameter(torch.empty(rows, window * width_in).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(rows))
        self.weight_mask, self.zoneout = DropoutMask(rates.weights), Zoneout(rates.zoneout)

    def forward(
        self, x: torch.Tensor, state: State = None, lengths: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Read a batch of sequences.

        Args:
            x: (B, T, D).
            state: (c, inputs), (B, H) and (B, k - 1, D), where the sequences go on from; None for zeros.
            lengths: (B,) int64, steps of each sequence; None where all have T.

        Returns:
            (B, T, H), of which what lies behind a sequence's end means nothing, and the state at its end.
        """
        B, T, D = x.shape
        c0, earlier = state or (x.new_zeros(B, self.width), x.new_zeros(B, self.window - 1, D))
        inputs = torch.cat([earlier.to(x.dtype), x], dim=1)  # (B, k - 1 + T, D)
        forget, update, gate = self._gates(inputs)
        c = pool(forget, update, c0.to(update.dtype))
        h = (c if gate is None else gate * c).transpose(0, 1)
        if lengths is None:
            return h, (c[-1], inputs[:, T:])
        rows, ends = torch.arange(B, device=x.device), lengths.to(x.device)
        last = torch.cat([c0.to(c.dtype).unsqueeze(0), c])[ends, rows]
        window = ends.unsqueeze(1) + torch.arange(self.window - 1, device=x.device)
        return h, (last, inputs[rows.unsqueeze(1), window])

    def _gates(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        """(T, B, H) of what fades, what is added, and the gate of the output where there is one."""
        mask = self.weight_mask(self.weight, tuple(self.weight.shape))
        weight = self.weight if mask is None else self.weight * mask
        steps, over_time = inputs.shape[1] - self.window + 1, inputs.transpose(0, 1)
        seen = torch.cat([over_time[k : k + steps] for k in range(self.window)], dim=-1)  # (T, B, k D)
        p = linear(seen, weight, self.bias)
        p = p.to(torch.promote_types(p.dtype, torch.float32))  # sums over many steps ask for more than half precision
        z, f, *others = p.chunk(POOLINGS[self.pooling], dim=-1)
        z, f = torch.tanh(z), torch.sigmoid(f)
        update = z * (torch.sigmoid(others[1]) if self.pooling == "ifo" else 1 - f)
        kept = self.zoneout(f, tuple(f.shape))
        if kept is not None:
            f, update = torch.lerp(f, torch.ones_like(f), kept), update * (1 - kept)
        return f, update, torch.sigmoid(others[0]) if others else None

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"{self.weight.shape[1] // self.window} -> {self.width}, window={self.window}, pooling={self.pooling}"
