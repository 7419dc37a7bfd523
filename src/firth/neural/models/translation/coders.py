"""Encoders of sources: recurrent, in one direction or both, and transformers."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.masks import padding_mask
from firth.neural.layers.recurrent import RecurrentStack
from firth.neural.layers.recurrent_decoder import DecoderState, Memory, RecurrentDecoder
from firth.neural.layers.state import State
from firth.neural.layers.transformer import TransformerConfig, TransformerEncoder
from firth.neural.layers.transformer_stack import TransformerStack

BRIDGES = ("linear", "last", "none")
TENSORS = {"rnn": 1, "lstm": 2, "gru": 1, "qrnn": 1}  # of a layer's state that a bridge fills
# embeddings, memory and state -> as `Decoder.read`
Reader = Callable[[torch.Tensor, Any, State], tuple[torch.Tensor, torch.Tensor | None, State]]


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


class Decoder(Protocol):
    """The interface of a decoder.

    Attributes:
        width: H of its outputs.
        sequential: whether each step needs the one before, so that nothing is gained by reading all at once.
    """

    width: int
    sequential: bool

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        """Return what the decoder looks at, tensors with a row per source, and its first state."""
        ...

    def read(self, x: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, torch.Tensor | None, State]:
        """Return (B, T, H) outputs, (B, T, S) attention if it is known, and the state after T steps."""
        ...

    def prepared(self) -> Reader:
        """Return what does as `read` for one step of a search, without gradients, with the weights as they are now."""
        ...

    def attention(self, x: torch.Tensor, memory: Any, state: State) -> torch.Tensor:
        """Return (B, T, S) attention of the first T steps."""
        ...


class RecurrentTarget(nn.Module):
    """A recurrent decoder that starts from the state of the encoder.

    Args:
        decoder: of `layers.recurrent_decoder`.
        layers: number of its layers.
        cell: of its layers.
        encoder_width: M.
        bridge: "linear" (a layer over the encoder's last states), "last" (these states themselves) or "none" (zeros).

    Attributes:
        width: H.
        sequential: True.
    """

    sequential = True

    def __init__(self, decoder: RecurrentDecoder, *, layers: int, cell: str, encoder_width: int, bridge: str) -> None:
        super().__init__()
        self.decoder, self.width, self.kind = decoder, decoder.width, bridge
        self.layers, self.tensors, self.is_qrnn = layers, TENSORS[cell], cell == "qrnn"
        self.bridge = None
        if bridge == "linear":
            self.bridge = nn.Linear(encoder_width, layers * self.tensors * self.width)

    def start(self, encoded: Encoded) -> tuple[Memory, DecoderState]:
        """Return the encoder's states with their keys, and the first state; see `Decoder`."""
        memory = self.decoder.remember(encoded.states, encoded.lengths)
        return memory, self.decoder.start(memory, self._first(encoded))

    def read(
        self, x: torch.Tensor, memory: Any, state: State
    ) -> tuple[torch.Tensor, torch.Tensor | None, DecoderState]:
        """Return outputs, attention and state; see `Decoder`."""
        outputs, weights, state = self.decoder(x, Memory(*memory), DecoderState(*state))
        return outputs, weights, state

    def prepared(self) -> Reader:
        """Return what reads one step in a search; see `Decoder`."""
        read = self.decoder.prepared()
        return lambda x, memory, state: read(x, Memory(*memory), DecoderState(*state))

    def attention(self, x: torch.Tensor, memory: Any, state: State) -> torch.Tensor:
        """Return attention; see `Decoder`.

        Raises:
            OptionError: the decoder has none.
        """
        if self.decoder.attention is None:
            raise OptionError("attention='none': the model has no attention to return or to copy words by")
        weights = self.read(x, memory, state)[1]
        assert weights is not None
        return weights

    def _first(self, encoded: Encoded) -> State:
        if self.kind == "none":
            return None
        if self.bridge is None:
            return tuple(_joined(end) for end in encoded.ends)
        parts = torch.split(torch.tanh(self.bridge(encoded.summary)), self.width, 1)
        states = [tuple(parts[at : at + self.tensors]) for at in range(0, len(parts), self.tensors)]
        if not self.is_qrnn:
            return tuple(states)
        layers: Any = self.decoder.stack.layers  # whose state also holds the inputs before
        inputs = [layer.weight.shape[1] // layer.window for layer in layers]
        return tuple(
            (c, c.new_zeros(len(c), layer.window - 1, width))
            for (c,), layer, width in zip(states, layers, inputs, strict=True)
        )


def _joined(end: State) -> State:
    """Return a layer's state: of both directions side by side."""
    if isinstance(end[0], tuple):
        return tuple(torch.cat(both, -1) for both in zip(*end, strict=True))
    return end


class SelfAttentiveTarget(nn.Module):
    """A transformer decoder.

    Attributes:
        width: H.
        sequential: False.
    """

    sequential = False

    def __init__(
        self, width_in: int, config: TransformerConfig, layers: int, *, context: int, positions: str, encoder_width: int
    ) -> None:
        super().__init__()
        self.width = config.width
        self.enter = nn.Identity() if width_in == config.width else nn.Linear(width_in, config.width)
        self.remember = nn.Identity() if encoder_width == config.width else nn.Linear(encoder_width, config.width)
        self.stack = TransformerStack(config, layers, context=context, positions=positions, memory=True)

    def start(self, encoded: Encoded) -> tuple[Any, State]:
        """Return keys and values of each block, and which exist; see `Decoder`."""
        inside = padding_mask(encoded.lengths.to(encoded.states.device), encoded.states.shape[1])
        return (self.stack.remember(self.remember(encoded.states)), inside), None

    def read(self, x: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, None, State]:
        """Return outputs and state; see `Decoder`."""
        outputs, state = self.stack(self.enter(x), state, memory=memory[0], memory_mask=memory[1])
        return outputs, None, state

    def prepared(self) -> Reader:
        """Return what reads one step in a search; see `Decoder`."""
        return self.read

    def attention(self, x: torch.Tensor, memory: Any, state: State) -> torch.Tensor:
        """Return the mean attention of the heads of the last block but one; see `Decoder`.

        Source: Garg et al. 2019, section 3.1: it agrees with alignments of words better than the last block's.
        """
        return self.stack.cross_weights(self.enter(x), memory[0], memory[1], max(0, len(self.stack.blocks) - 2)).mean(1)
