"""Sentences to a vector per word, in its context: a BiLSTM, or a window.

What
    A BiLSTM reads the whole sentence. A window reads a word and w neighbours on each side through one hidden layer;
    the places before and behind the sentence have vectors of their own.
Objective
    bilstm   h_t = [LSTM_f(x_1 .. x_t); LSTM_b(x_T .. x_t)]
    window   z_t = V [x_{t-w}; ...; x_{t+w}] + b,   h_t = hardtanh(z_t)
Source
    Lample et al. 2016, section 2.1; Collobert et al. 2011, sections 3.3.1 (window) and 3.2 (HardTanh).
Departures
    Dropout on the vectors of words and, in a BiLSTM, between layers and on its output; one mask per sentence.
Cost
    `firth.neural.layers.bilstm`; a window costs (2 w + 1) D H products a word.
"""

import abc

import torch
from torch import nn
from torch.nn.functional import hardtanh

from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout
from firth.neural.models.tags.heads import inside_of
from firth.neural.models.tokens.contextual_vectors import joined
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import MIDDLE, OUTPUT
from firth.neural.models.tokens.reader import TokenInputs


class TagEncoder(nn.Module, abc.ABC):
    """Sentences to vectors of their words.

    Attributes:
        width: W.
    """

    width: int

    @abc.abstractmethod
    def forward(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, W) vectors, each of its own sentence only, whatever else is in the batch."""


class BiLstmEncoder(TagEncoder):
    """A BiLSTM over the vectors of words.

    Args:
        embedder: vectors of words.
        hidden: H, width of each state.
        layers: number of layers.
        dropout: rate.
    """

    def __init__(self, embedder: TokenEmbedder, *, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embedder, self.dropout = embedder, Dropout(dropout, locked=True)
        self.bilstm = BiLSTM(embedder.width, hidden, layers, dropout=dropout, locked=True, joins=embedder.joins(MIDDLE))
        self.width = self.bilstm.width + embedder.joins(OUTPUT)

    def forward(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, 2 H) vectors, and those that join them; see `TagEncoder.forward`."""
        context = self.embedder.context(inputs)
        x = self.dropout(self.embedder(inputs, context))
        h = self.bilstm(x, inputs.lengths, context.get(MIDDLE))
        y: torch.Tensor = self.dropout(joined(h, context, OUTPUT))
        return y


class WindowEncoder(TagEncoder):
    """A hidden layer over a window of words.

    Args:
        embedder: vectors of words.
        window: w, words on each side.
        hidden: H, width of the hidden layer.
        dropout: rate.
    """

    def __init__(self, embedder: TokenEmbedder, *, window: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedder, self.window, self.dropout = embedder, window, Dropout(dropout, locked=True)
        D = embedder.width
        self.before, self.behind = (nn.Parameter(torch.empty(D).uniform_(-0.1, 0.1)) for _ in range(2))
        self.linear = nn.Linear((2 * window + 1) * D, hidden)
        self.width = hidden

    def forward(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, H) vectors; see `TagEncoder.forward`."""
        return self.activated(self.sums(self.words(inputs), inputs.lengths))

    def words(self, inputs: TokenInputs) -> torch.Tensor:
        """Return (B, T, D) vectors of words."""
        x: torch.Tensor = self.dropout(self.embedder(inputs))
        return x

    def sums(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, H), z of (B, T, D) vectors of words."""
        B, T, D = x.shape
        x = torch.where(inside_of(x, lengths).unsqueeze(2), x, self.behind)
        edges = [edge.expand(B, self.window, D) for edge in (self.before, self.behind)]
        padded = torch.cat([edges[0], x, edges[1]], dim=1)
        windows = torch.cat([padded[:, k : k + T] for k in range(2 * self.window + 1)], dim=2)
        z: torch.Tensor = self.linear(windows)
        return z

    def change(self, difference: torch.Tensor) -> torch.Tensor:
        """Return what z changes by if the word in the middle of each window changes by (..., D)."""
        D = difference.shape[-1]
        return difference @ self.linear.weight[:, self.window * D : (self.window + 1) * D].t()

    @staticmethod
    def activated(z: torch.Tensor) -> torch.Tensor:
        """Return the hidden layer of z."""
        return hardtanh(z)
