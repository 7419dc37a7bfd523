"""The network of a translator: embeddings, an encoder, a decoder and an output layer."""

from typing import Any

import torch
from torch import nn

from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.state import State
from firth.neural.models.translation.data import PairBatch, SourceBatch
from firth.neural.models.translation.units import BOS


class TranslationModule(nn.Module):
    """The network.

    Args:
        source: embedding of source tokens; a `WordEmbedding` or a `CharacterCNN`.
        target: embedding of target tokens.
        encoder: embeddings to `Encoded`.
        decoder: implements `firth.neural.models.translation.decoders.Decoder`.
        output: scores of target tokens.
        scale: factor on embeddings.

    Attributes:
        source_embedding, target_embedding, encoder, decoder, output, scale: as given.
    """

    def __init__(
        self,
        source: nn.Module,
        target: WordEmbedding,
        encoder: nn.Module,
        decoder: Any,
        output: OutputLayer,
        *,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.source_embedding, self.target_embedding = source, target
        self.encoder, self.decoder, self.output, self.scale = encoder, decoder, output, scale

    def encode(self, sources: SourceBatch) -> tuple[Any, State]:
        """Return what the decoder looks at, and its first state."""
        if isinstance(self.source_embedding, CharacterCNN):
            x = self.source_embedding(sources.ids, sources.spellings)
        else:
            x = self.source_embedding(sources.ids)
        memory, state = self.decoder.start(self.encoder(x * self.scale, sources.lengths))
        return memory, state

    def embedded(self, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) embeddings of target ids."""
        x: torch.Tensor = self.target_embedding(ids) * self.scale
        return x

    def decode(self, ids: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, State]:
        """Return (B, T, H) hidden states after the (B, T) ids before each step, and the decoder's state."""
        hidden, _, state = self.decoder.read(self.embedded(ids), memory, state)
        return hidden, state

    def step(self, ids: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, torch.Tensor | None, State]:
        """Return (B, H) hidden states after the (B, T) ids, their (B, S) attention if it is known, and the state."""
        hidden, weights, state = self.decoder.read(self.embedded(ids), memory, state)
        return hidden[:, -1], None if weights is None else weights[:, -1], state

    def attention(self, batch: PairBatch) -> torch.Tensor:
        """Return the (B, T, S) attention of each target step."""
        memory, state = self.encode(batch.sources)
        weights: torch.Tensor = self.decoder.attention(self.embedded(_before(batch.targets)), memory, state)
        return weights

    def forward(self, batch: PairBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (N, H) hidden states and (N,) targets of the steps of a batch that count."""
        memory, state = self.encode(batch.sources)
        hidden, _ = self.decode(_before(batch.targets), memory, state)
        return hidden[batch.counted], batch.targets[batch.counted]


def _before(targets: torch.Tensor) -> torch.Tensor:
    return nn.functional.pad(targets[:, :-1], (1, 0), value=BOS)
