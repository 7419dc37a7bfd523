"""One recurrent layer in one direction: simple RNN, LSTM or GRU, with dropout and zoneout.

What
    Without masks, torch's kernels run the steps. With masks on the state, zoneout or sequences of several lengths, the
    loop of `layers.recurrence` does.
Objective
    h_t = cell(W x_t + b, m * U h_{t-1} + b', s_{t-1}); the cells are in `layers.cell_steps`.
Source
    Gal and Ghahramani 2016, section 4 (m); Merity, Keskar and Socher 2018, section 3 (masks on U); Krueger et al. 2017.
Departures
    A mask on the weights is the same for all steps and sequences of a call, as in AWD-LSTM.
Cost
    benchmarks/results/language/layers.md has words per second.
"""

import math

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import DropoutMask, Dropouts, Zoneout
from firth.neural.layers.products import linear
from firth.neural.layers.recurrence import CELL_STEPS, run
from firth.neural.layers.state import State
from firth.neural.layers.torch_kernels import run_torch


class RecurrentLayer(nn.Module):
    """A recurrent layer.

    Args:
        kind: "rnn" h = tanh(W x + U h), "lstm" or "gru".
        width_in: D, width of the input.
        hidden: H, width of the state and the output.
        dropout: rates; the layer uses `recurrent`, `weights` and both of zoneout, and the stack the others.

    Attributes:
        width: H.
        weight_ih, weight_hh, bias_ih, bias_hh: parameters as in torch's layer, with its order of gates.
    """

    def __init__(self, kind: str, width_in: int, hidden: int, *, dropout: Dropouts | None = None) -> None:
        super().__init__()
        if kind not in CELL_STEPS:
            raise OptionError(f"cell={kind!r}: expected one of {', '.join(CELL_STEPS)}")
        if width_in < 1 or hidden < 1:
            raise OptionError(f"a recurrent layer of {width_in} x {hidden}: expected at least 1 x 1")
        self.kind, self.width = kind, hidden
        rows = CELL_STEPS[kind].gates * hidden
        self.weight_ih = _uniform(hidden, rows, width_in)
        self.weight_hh = _uniform(hidden, rows, hidden)
        self.bias_ih = _uniform(hidden, rows)
        self.bias_hh = _uniform(hidden, rows)
        rates = dropout or Dropouts()
        self.state_mask, self.weight_mask = DropoutMask(rates.recurrent), DropoutMask(rates.weights)
        zoneout_rates = [rates.zoneout_output, rates.zoneout] if kind == "lstm" else [rates.zoneout]
        self.zoneouts = nn.ModuleList(Zoneout(rate) for rate in zoneout_rates)

    def forward(
        self, x: torch.Tensor, state: State = None, lengths: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return (B, T, H) outputs, zero at padding, and the state at the end of each sequence.

        Args:
            x: (B, T, D).
            state: (h,) or (h, c), each (B, H); None for zeros.
            lengths: (B,) int64 on the CPU, steps of each sequence, at least 1; None if all have T.
        """
        (B, T), H = x.shape[:2], self.width
        start = state or tuple(x.new_zeros(B, H) for _ in self.zoneouts)
        mask = self.weight_mask(self.weight_hh, tuple(self.weight_hh.shape))
        recurrent = self.weight_hh if mask is None else self.weight_hh * mask
        keep = [zoneout(x, (T, B, H)) for zoneout in self.zoneouts]
        needs_loop = self.state_mask.active or any(zoned is not None for zoned in keep)
        # Sequences of several lengths cost torch's kernels more than our own loop on the CPU, and less on CUDA.
        if not needs_loop and (lengths is None or x.is_cuda):
            return run_torch(self.kind, x, [self.weight_ih, recurrent, self.bias_ih, self.bias_hh], start, lengths)
        return self._run_steps(x, recurrent, start, keep, lengths)

    def _run_steps(
        self,
        x: torch.Tensor,
        recurrent: torch.Tensor,
        start: tuple[torch.Tensor, ...],
        keep: list[torch.Tensor | None],
        lengths: torch.Tensor | None,
    ) -> tuple[torch.Tensor, State]:
        separate = CELL_STEPS[self.kind].separate_input
        projected = linear(x.transpose(0, 1), self.weight_ih, self.bias_ih if separate else self.bias_ih + self.bias_hh)
        padding = None if lengths is None else _padding(projected, lengths)
        shares = None
        if padding is not None or any(zoneout is not None for zoneout in keep):
            shares = tuple(_kept_share(projected, zoneout, padding) for zoneout in keep)
        mask = self.state_mask(x, (x.shape[0], self.width))
        y, ends = run(
            self.kind, projected, recurrent, self.bias_hh if separate else None, start, mask=mask, keep=shares
        )
        return (y if padding is None else y * (1 - padding)).transpose(0, 1), ends

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        return f"{self.kind}, {self.weight_ih.shape[1]} -> {self.width}"


def _uniform(hidden: int, *shape: int) -> nn.Parameter:
    bound = 1 / math.sqrt(hidden)  # torch's own choice; `layers.initialise` has others
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))


def _padding(projected: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """(T, B, 1), 1 past a sequence's end and 0 within it."""
    steps = torch.arange(projected.shape[0], device=projected.device).unsqueeze(1)
    return (steps >= lengths.to(projected.device)).to(projected.dtype).unsqueeze(-1)


def _kept_share(projected: torch.Tensor, zoneout: torch.Tensor | None, padding: torch.Tensor | None) -> torch.Tensor:
    """The share of the old state that is kept: by zoneout, all of it at padding."""
    if zoneout is None:
        return projected.new_zeros(()).expand(len(projected), 1, 1) if padding is None else padding
    return zoneout if padding is None else torch.maximum(zoneout, padding)
