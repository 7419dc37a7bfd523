"""Recurrent stack: layers of any cell, with any connection, in one direction or both.

The stack reads streams: with the state of the previous call, the result is that of a single call on the whole sequence.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.bidirectional import Bidirectional
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.connections import CONNECTIONS, Connection, Plain
from firth.neural.layers.dropout import Dropout, Dropouts
from firth.neural.layers.normalise import Normalise
from firth.neural.layers.qrnn import Qrnn
from firth.neural.layers.recurrence import CELL_STEPS
from firth.neural.layers.state import State

# Returns a layer in one direction, given its input width, H and its dropout rates.
Cell = Callable[..., Any]

CELLS: dict[str, Cell] = {**{kind: partial(RecurrentLayer, kind) for kind in CELL_STEPS}, "qrnn": Qrnn}


class RecurrentStack(nn.Module):
    """A stack of recurrent layers.

    Args:
        width_in: D, width of the input.
        hidden: H, width of each layer's state in one direction.
        cell: "rnn", "lstm", "gru" or "qrnn", or a function that returns a layer, such as `partial(Qrnn, window=3)`.
        connection: around each layer: "plain", "residual", "highway" or "dense" (`layers.connections`).
        bidirectional: whether each layer also reads backward; states between calls are then of little use.
        dropout: rates in all places, or one rate for everything that is not recurrent.
        normalise: normalisation of each layer's input: "none", "layer" or "batch" (`layers.normalise`).

    Attributes:
        width: H' = H, or 2 H if bidirectional.
    """

    def __init__(
        self,
        width_in: int,
        hidden: int,
        layers: int = 1,
        *,
        cell: str | Cell = "lstm",
        connection: str = "plain",
        bidirectional: bool = False,
        dropout: float | Dropouts = 0.0,
        normalise: str = "none",
    ) -> None:
        super().__init__()
        if layers < 1:
            raise OptionError(f"layers={layers}: expected at least 1")
        rates = dropout if isinstance(dropout, Dropouts) else Dropouts.plain(dropout)
        make = _chosen(CELLS, "cell", cell) if isinstance(cell, str) else cell
        join = _chosen(CONNECTIONS, "connection", connection)
        self.layers, self.connections = nn.ModuleList(), nn.ModuleList()
        self.norms, self.before, width = nn.ModuleList(), nn.ModuleList(), width_in
        for number in range(layers):
            new_layer = partial(make, width, hidden, dropout=rates)
            layer = Bidirectional(new_layer) if bidirectional else new_layer()
            last_dense = connection == "dense" and number == layers - 1
            joint: Connection = (Plain if last_dense else join)(width, layer.width)
            self.norms.append(Normalise(normalise, width))
            self.before.append(Dropout(rates.layers if number else rates.inputs, locked=rates.locked))
            self.layers.append(layer)
            self.connections.append(joint)
            width = joint.width
        self.after = Dropout(rates.outputs, locked=rates.locked)
        self.width = width

    def forward(
        self, x: torch.Tensor, state: State = None, lengths: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return (B, T, H') outputs, meaningless at padding, and the state at the end of each sequence.

        Args:
            x: (B, T, D).
            state: of the previous call, a tuple with a state per layer; None at the start.
            lengths: (B,) int64, steps of each sequence, at least 1; None if all have T.
        """
        ends = []
        for number, (layer, connection) in enumerate(zip(self.layers, self.connections, strict=True)):
            entering = self.before[number](self.norms[number](x, lengths))
            y, end = layer(entering, state[number] if state else None, lengths)
            x = connection(x, y)
            ends.append(end)
        return self.after(x), tuple(ends)


def _chosen(table: dict[str, Callable[..., Any]], name: str, choice: str) -> Callable[..., Any]:
    if choice not in table:
        raise OptionError(f"{name}={choice!r}: expected one of {', '.join(table)}")
    return table[choice]
