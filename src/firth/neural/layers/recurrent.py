"""Recurrent layers one upon the other, of any cell, connected in any way, read in one direction or in both.

The stack is a stream: give it the state that it returned, and it goes on as if the chunks had come in one piece.
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
from firth.neural.layers.recurrence import STEPS
from firth.neural.layers.state import State

# Makes a layer in one direction of its width of input, H and its rates of dropout.
Cell = Callable[..., Any]

CELLS: dict[str, Cell] = {
    **{kind: partial(RecurrentLayer, kind) for kind in STEPS},
    "qrnn": Qrnn,
}


class RecurrentStack(nn.Module):
    """Layers that read a sequence step by step, each the outputs of the one below.

    Args:
        width_in: D, numbers a step of the input.
        hidden: H, numbers of each layer's state in one direction.
        layers: how many.
        cell: "rnn", "lstm", "gru" or "qrnn", or what makes a layer: `partial(Qrnn, window=3)`.
        connection: what goes from layer to layer: "plain", "residual", "highway" or "dense" (`layers.connections`).
        bidirectional: whether each layer reads from the end as well; its state at a chunk's border then means little.
        dropout: rates in all places, or one for everything that is not recurrent.
        normalise: what enters each layer: "none", "layer" or "batch" (`layers.normalise`).

    Attributes:
        width: H' = H, or 2 H where it reads both ways.

    Raises:
        OptionError: no such cell, connection or norm, no layer, or a rate or size out of its range.
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
            one = partial(make, width, hidden, dropout=rates)
            layer = Bidirectional(one) if bidirectional else one()
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
        """Read a batch of sequences, or go on with them.

        Args:
            x: (B, T, D).
            state: what the chunk before returned, a tuple with a state for each layer; None for a fresh start.
            lengths: (B,) int64, steps of each sequence, at least 1; None where all have T.

        Returns:
            (B, T, H'), of which what lies behind a sequence's end means nothing, and the state at the ends.
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
