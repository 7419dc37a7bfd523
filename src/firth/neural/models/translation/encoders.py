"""Encoders of sources: recurrent, in one direction or both, and transformers."""

from typing import NamedTuple

import torch
from torch import nn

from firth.neural.layers.masks import padding_mask
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.state import State
from firth.neural.layers.transformer import TransformerConfig, TransformerEncoder


class Encoded(NamedTuple):
    """B sources of S tokens, encoded.

    Attributes:
        states: (B, S, M), zero at padding.
        lengths: (B,) int64 on the CPU.
        summary: (B, M): the last states of both directions, or the mean.
        ends: the state of each layer at the end; None of a transformer.
    """

    states: torch.Tensor
    lengths: torch.Tensor
    summary: torch.Tensor
    ends: State


class RecurrentEncoder(nn.Module):
    """A recurrent stack over sources.

    Args:
        width_in: D, width of the embeddings.
        hidden: width of the state of a direction.
        layers: number of layers.
        cell: "lstm", "gru" or "qrnn".
        bidirectional: whether each layer also reads backward.
        dropout: rate.

    Attributes:
        width: M.
    """

    def __init__(
        self, width_in: int, hidden: int, layers: int, *, cell: str, bidirectional: bool, dropout: float
    ) -> None:
        super().__init__()
        self.bidirectional = bidirectional
        self.stack = RecurrentStack(width_in, hidden, layers, cell=cell, bidirectional=bidirectional, dropout=dropout)
        self.width = self.stack.width

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Encoded:
        """Return encoded sources, given their (B, S, D) embeddings."""
        longest = int(lengths.max())
        states, ends = self.stack(x[:, :longest], None, lengths)  # of a batch that is padded further
        states = nn.functional.pad(states, (0, 0, 0, x.shape[1] - longest))
        states = states * padding_mask(lengths.to(x.device), x.shape[1]).transpose(1, 2)
        last = states[torch.arange(len(x), device=x.device), lengths.to(x.device) - 1]
        if self.bidirectional:
            half = self.width // 2
            last = torch.cat([last[:, :half], states[:, 0, half:]], 1)
        return Encoded(states, lengths, last, ends)


class SelfAttentiveEncoder(nn.Module):
    """A transformer over sources.

    Args:
        width_in: D, width of the embeddings.
        config: of the blocks.
        layers: number of blocks.
        context: maximum number of tokens.
        positions: kind of position encoding.

    Attributes:
        width: M.
    """

    def __init__(self, width_in: int, config: TransformerConfig, layers: int, *, context: int, positions: str) -> None:
        super().__init__()
        self.width = config.width
        self.enter = nn.Identity() if width_in == config.width else nn.Linear(width_in, config.width)
        self.stack = TransformerEncoder(config, layers, context=context, positions=positions)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Encoded:
        """Return encoded sources, given their (B, S, D) embeddings."""
        on_device = lengths.to(x.device)
        states = self.stack(self.enter(x), on_device)
        states = states * padding_mask(on_device, x.shape[1]).transpose(1, 2)
        return Encoded(states, lengths, states.sum(1) / on_device[:, None], None)
