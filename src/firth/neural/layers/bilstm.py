"""Bidirectional LSTM over sentences of several lengths: outputs only, no states.

What
    Layers of two LSTMs, one of which reads each sentence backward. A sentence that is read backward is turned around
    first, so that padding stays behind it: what follows a word never changes its output, and torch's fast kernels for
    sequences of one length apply to any lengths.
Objective
    y_t = [LSTM_f(x_1 .. x_t); LSTM_b(x_T .. x_t)]
Source
    Graves and Schmidhuber 2005; Gal and Ghahramani 2016, section 4, for one dropout mask per sentence.
Departures
    There is no dropout of the recurrent connections; `layers.recurrent` has it.
Cost
    16 H (D + H) operations per token and layer forward, padding included: batches should hold similar lengths. A third
    to half of the time of layers that skip padding on the CPU (26 tokens, H = 200).
"""

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.bidirectional import reversed_sequences
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import inside_of


class BiLSTM(nn.Module):
    """A stack of bidirectional LSTM layers.

    Args:
        width_in: D, width of the input.
        hidden: H, width of each state.
        dropout: rate before each layer but the first.
        locked: whether each sentence has one dropout mask, the same for all words.
        joins: width of other vectors that the second layer reads beside the output of the first; 0 for none.

    Attributes:
        width: 2 H.
    """

    def __init__(
        self, width_in: int, hidden: int, layers: int = 1, *, dropout: float = 0.0, locked: bool = False, joins: int = 0
    ) -> None:
        super().__init__()
        if layers < 1:
            raise OptionError(f"layers={layers}: expected at least 1")
        if joins and layers < 2:
            raise OptionError(
                f"layers={layers}: vectors join the second layer of the BiLSTM; expected layers=2 or more"
            )
        self.width = 2 * hidden
        widths = [width_in, *[self.width] * (layers - 1)]
        if joins:
            widths[1] += joins
        self.forward_layers = nn.ModuleList(RecurrentLayer("lstm", width, hidden) for width in widths)
        self.backward_layers = nn.ModuleList(RecurrentLayer("lstm", width, hidden) for width in widths)
        self.dropout = Dropout(dropout, locked=locked)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor, second: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, T, 2 H) outputs, zero at padding.

        Args:
            x: (B, T, D).
            lengths: (B,) int64, words of each sentence, at least 1.
            second: (B, T, J) vectors that join the second layer, of a BiLSTM with `joins`.
        """
        for number, (onward, back) in enumerate(zip(self.forward_layers, self.backward_layers, strict=True)):
            if number == 1 and second is not None:
                x = torch.cat([x, second.to(x.dtype)], 2)
            x = self.dropout(x) if number else x
            y, _ = onward(x)
            z, _ = back(reversed_sequences(x, lengths))
            x = torch.cat([y, reversed_sequences(z, lengths)], dim=2)
        inside = inside_of(x, lengths)
        return x * inside.unsqueeze(2)
