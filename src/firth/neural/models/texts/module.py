"""The module of a model of texts or trees: an encoder in a slot, and a head for them or for pairs."""

import abc
from typing import Any

import torch

from firth.neural.layers.label_heads import LabelHead, PairHead
from firth.neural.training.schedules import TrainingProgress


class Encoder(torch.nn.Module, abc.ABC):
    """Texts to vectors.

    Attributes:
        width: D.
    """

    width: int

    @property
    def embeddings(self) -> tuple[torch.nn.Module, ...]:
        """The modules that give tokens their vectors; of several, a token's vector is all of theirs."""
        return (self.get_submodule("embedding"),)

    @abc.abstractmethod
    def forward(self, inputs: Any) -> torch.Tensor:
        """Return (B, D) vectors of B texts, each of its own text only, whatever else is in the batch.

        Args:
            inputs: what the model's reader collates, such as `firth.neural.models.texts.reader.Sequences`.
        """

    def advance(self, progress: TrainingProgress) -> None:
        """Note the position in the training run, before each step; most encoders need not know."""


class LabelModule(torch.nn.Module):
    """An encoder and a head.

    Args:
        encoder: texts to vectors.
        head: a vector, or the two vectors of a pair, to scores.

    Attributes:
        encoder: as given.
        head: as given.
    """

    def __init__(self, encoder: Encoder, head: LabelHead | PairHead) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def forward(self, inputs: Any) -> torch.Tensor:
        """Return (B, L) scores of B texts or nodes, or of B pairs: the first of all pairs, then the second ones."""
        vectors: torch.Tensor = self.encoder(inputs)
        scores: torch.Tensor = self.head(*vectors.chunk(2)) if isinstance(self.head, PairHead) else self.head(vectors)
        return scores
