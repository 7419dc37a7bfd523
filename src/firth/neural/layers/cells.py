"""One recurrent layer in one direction: plain, LSTM or GRU, by torch's kernels where they can do it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropouts, Noise
from firth.neural.layers.state import State


@dataclass(frozen=True)
class Kind:
    """What tells one cell from another.

    Attributes:
        gates: blocks of H rows in the weights, in torch's order.
        tensors: of a state: the output alone, or the output and the cell.
        kernel: torch's, which runs all steps.
    """

    gates: int
    tensors: int
    kernel: Callable[..., Any]


KINDS = {
    "plain": Kind(1, 1, torch.rnn_tanh),
    "lstm": Kind(4, 2, torch.lstm),
    "gru": Kind(3, 1, torch.gru),
}


class RecurrentLayer(nn.Module):
    """A layer that reads a sequence step by step.

    Args:
        kind: "plain" h = tanh(W x + U h), "lstm" or "gru".
        width_in: numbers a step of the input.
        hidden: H, numbers of the state and of the output.
        dropout: of which `recurrent`, `weights` and `zoneout` are the layer's own; the rest is the stack's.

    Attributes:
        width: H.
        weight_ih, weight_hh, bias_ih, bias_hh: the parameters of torch's layer of that name, in its order of gates.

    Raises:
        OptionError: no such kind, or a size below 1.
    """

    def __init__(self, kind: str, width_in: int, hidden: int, *, dropout: Dropouts | None = None) -> None:
        super().__init__()
        if kind not in KINDS:
            raise OptionError(f"cell={kind!r}: expected one of {', '.join(KINDS)}")
        if width_in < 1 or hidden < 1:
            raise OptionError(f"a recurrent layer of {width_in} x {hidden}: expected at least 1 x 1")
        self.kind, self.width = kind, hidden
        rows = KINDS[kind].gates * hidden
        self.weight_ih = _uniform(hidden, rows, width_in)
        self.weight_hh = _uniform(hidden, rows, hidden)
        self.bias_ih = _uniform(hidden, rows)
        self.bias_hh = _uniform(hidden, rows)
        rates = dropout or Dropouts()
        self.weight_noise = Noise(rates.weights)

    def forward(
        self, x: torch.Tensor, state: State = None, lengths: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Read a batch of sequences.

        Args:
            x: (B, T, D).
            state: (h,) or (h, c), each (B, H), where the sequences go on from; None for zeros.
            lengths: (B,) int64 on the CPU, steps of each sequence; None where all have T.

        Returns:
            (B, T, H), zero behind a sequence's end, and the state at its end.
        """
        kind = KINDS[self.kind]
        start = state or tuple(x.new_zeros(x.shape[0], self.width) for _ in range(kind.tensors))
        return self._by_torch(x, start, lengths)

    def _by_torch(
        self, x: torch.Tensor, start: tuple[torch.Tensor, ...], lengths: torch.Tensor | None
    ) -> tuple[torch.Tensor, State]:
        kind = KINDS[self.kind]
        mask = self.weight_noise(self.weight_hh, tuple(self.weight_hh.shape))
        recurrent = self.weight_hh if mask is None else self.weight_hh * mask
        weights = [self.weight_ih, recurrent, self.bias_ih, self.bias_hh]
        if lengths is None:
            first = [part.unsqueeze(0) for part in start]
            y, *ends = kind.kernel(
                x, first if kind.tensors > 1 else first[0], weights, True, 1, 0.0, self.training, False, True
            )
            return y, tuple(end[0] for end in ends)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        assert packed.sorted_indices is not None  # since enforce_sorted is False
        assert packed.unsorted_indices is not None
        first = [part.index_select(0, packed.sorted_indices).unsqueeze(0) for part in start]
        y, *ends = kind.kernel(
            packed.data,
            packed.batch_sizes,
            first if kind.tensors > 1 else first[0],
            weights,
            True,
            1,
            0.0,
            self.training,
            False,
        )
        y, _ = pad_packed_sequence(packed._replace(data=y), batch_first=True, total_length=x.shape[1])
        return y, tuple(end[0].index_select(0, packed.unsorted_indices) for end in ends)


def _uniform(hidden: int, *shape: int) -> nn.Parameter:
    bound = 1 / math.sqrt(hidden)  # torch's own choice; `layers.initialise` has others
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
