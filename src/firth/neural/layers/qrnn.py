"""The quasi-recurrent layer (QRNN): a convolution over the last steps and an element-wise recurrence.

What
    The products with weights are computed for all steps at once. Only a gated sum runs step by step.
Objective
    With X_t = [x_{t-k+1}; ...; x_t] the last k inputs, z = tanh(W_z X), f, o, i = sigma(W_f X, W_o X, W_i X):

        "f"    h_t = f * h_{t-1} + (1 - f) * z
        "fo"   c_t = f * c_{t-1} + (1 - f) * z,   h_t = o * c_t
        "ifo"  c_t = f * c_{t-1} + i * z,         h_t = o * c_t

    Zoneout sets f to 1 and the added term to 0 at random; at inference f + p (1 - f) is the expectation.
Source
    Bradbury, Merity, Xiong and Socher 2017, section 2, equations 1 to 5; section 2.1 for zoneout.
Departures
    Every gate has a bias, as in the authors' program.
    Where zoneout sets f to 1, "ifo" also leaves out i * z, so that the unit keeps its value (Krueger et al. 2017).
    The formula of section 2.1 changes f alone; with a separate input gate the state would still add i * z.
Cost
    k D G H multiplications per step, G = 2, 3 or 4, in one product; a few passes over (T, B, H).
"""

import math

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import DropoutMask, Dropouts, Zoneout
from firth.neural.layers.pooling import pool
from firth.neural.layers.products import linear
from firth.neural.layers.state import State

POOLINGS = {"f": 2, "fo": 3, "ifo": 4}  # number of gates, z included


class Qrnn(nn.Module):
    """A quasi-recurrent layer.

    Args:
        width_in: D, input numbers per step.
        hidden: H, size of the state and of the output.
        window: k, inputs per step, the current one included.
        pooling: "f", "fo" or "ifo".
        dropout: rates; the layer uses `weights` and `zoneout`, the stack of layers the others.

    Attributes:
        width: H.
        weight: (G H, k D), blocks z, f, o, i; each row starts with the oldest input.
        bias: (G H,).
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
            raise OptionError(f"recurrent={rates.recurrent}: a QRNN has no recurrent weights to drop; expected zoneout")
        self.width, self.window, self.pooling = hidden, window, pooling
        bound = 1 / math.sqrt(window * width_in)
        rows = POOLINGS[pooling] * hidden
        self.weight = nn.Parameter(torch.empty(rows, window * width_in).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(rows))
        self.weight_mask, self.zoneout = DropoutMask(rates.weights), Zoneout(rates.zoneout)

    def forward(
        self, x: torch.Tensor, state: State = None, lengths: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Run the layer over a batch of sequences.

        Args:
            x: (B, T, D).
            state: (c, inputs), (B, H) and (B, k - 1, D), that the sequences continue from; None for zeros.
            lengths: (B,) int64, steps of each sequence; None where all have T.

        Returns:
            (B, T, H) outputs, undefined past a sequence's end, and the state at its end.
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
        """The (T, B, H) forget gate, the added term, and the output gate or None."""
        mask = self.weight_mask(self.weight, tuple(self.weight.shape))
        weight = self.weight if mask is None else self.weight * mask
        steps, over_time = inputs.shape[1] - self.window + 1, inputs.transpose(0, 1)
        inputs_per_step = torch.cat([over_time[k : k + steps] for k in range(self.window)], dim=-1)  # (T, B, k D)
        p = linear(inputs_per_step, weight, self.bias)
        p = p.to(torch.promote_types(p.dtype, torch.float32))  # half precision is too little for sums over many steps
        z, f, *gates = p.chunk(POOLINGS[self.pooling], dim=-1)
        z, f = torch.tanh(z), torch.sigmoid(f)
        update = z * (torch.sigmoid(gates[1]) if self.pooling == "ifo" else 1 - f)
        zoned_out = self.zoneout(f, tuple(f.shape))
        if zoned_out is not None:
            f, update = torch.lerp(f, torch.ones_like(f), zoned_out), update * (1 - zoned_out)
        return f, update, torch.sigmoid(gates[0]) if gates else None

    def extra_repr(self) -> str:
        """Return the layer's summary in `print(module)`."""
        return f"{self.weight.shape[1] // self.window} -> {self.width}, window={self.window}, pooling={self.pooling}"
