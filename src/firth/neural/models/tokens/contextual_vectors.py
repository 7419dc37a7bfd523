"""Vectors of words from pretrained encoders, for the places of a network where embedders join it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.neural.layers.scalar_mix import ScalarMix
from firth.neural.models.tokens.embedders import PLACES, ContextualEmbedder
from firth.neural.saved import SavedApart

Words = tuple[str, ...]
Vectors = dict[str, torch.Tensor]  # of each place that has some, (B, T, W)


@dataclass(frozen=True, eq=False)
class Features:
    """The vectors of the words of N different sentences.

    Attributes:
        vectors: (W, L, D) float32 of all words, mapped.
        starts: the first row of each sentence.
    """

    vectors: npt.NDArray[np.float32]
    starts: dict[Words, int]

    def batch(self, sentences: Sequence[Words]) -> torch.Tensor | None:
        """Return (B, T, L, D) vectors of sentences, zero at padding; None if one of them is not here."""
        starts = [self.starts.get(words) for words in sentences]
        if None in starts:
            return None
        result = np.zeros((len(sentences), max(map(len, sentences)), *self.vectors.shape[1:]), dtype=np.float32)
        for row, words, start in zip(result, sentences, starts, strict=True):
            assert start is not None
            row[: len(words)] = self.vectors[start : start + len(words)]
        return torch.from_numpy(result)


class ContextualVectors(nn.Module):
    """Vectors of words from several encoders.

    Frozen encoders are no part of the module: it has their mixes only. Encoders that are tuned are a part, which the
    folder of a model keeps beside its own parameters.

    Args:
        embedders: one or more.

    Attributes:
        embedders: as given.
        mixes: of each embedder that mixes layers, and each of its places.
        widths: W of each place; 0 where no vectors join.
        features: of each embedder, vectors that are known; none outside of training.
    """

    def __init__(self, embedders: Sequence[ContextualEmbedder]) -> None:
        super().__init__()
        self.embedders = tuple(embedders)
        self.features: tuple[Features | None, ...] = ()
        self.tuned = SavedApart(each.encoder.module for each in self.embedders if each.tuned)
        self.mixes = nn.ModuleDict(
            {
                f"{number}_{place}": ScalarMix(each.encoder.token_layers)
                for number, each in enumerate(self.embedders)
                if each.mixed
                for place in each.places
            }
        )
        self.widths = {
            place: sum(each.encoder.token_width for each in self.embedders if place in each.places) for place in PLACES
        }

    def forward(self, sentences: Sequence[tuple[str, ...]]) -> Vectors:
        """Return the (B, T, W) vectors of each place, zero at padding.

        Args:
            sentences: B, the words of each.
        """
        found: dict[str, list[torch.Tensor]] = {place: [] for place in PLACES}
        for number, embedder in enumerate(self.embedders):
            states = self._states(number, sentences)  # (B, T, L, D)
            for place in embedder.places:
                key = f"{number}_{place}"
                found[place].append(self.mixes[key](states) if key in self.mixes else states[:, :, -1])
        return {place: torch.cat(parts, 2) for place, parts in found.items() if parts}

    def _states(self, number: int, sentences: Sequence[tuple[str, ...]]) -> torch.Tensor:
        embedder = self.embedders[number]
        if embedder.tuned:
            return embedder.encoder.token_states(sentences)
        features = self.features[number] if self.features else None
        known = None if features is None else features.batch(sentences)
        if known is not None:
            return known.to(next(embedder.encoder.module.parameters()).device)
        with torch.no_grad():
            return embedder.encoder.token_states(sentences)

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Move the frozen encoders with the module."""
        for embedder in self.embedders:
            if not embedder.tuned:
                embedder.encoder.module._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch gives it no types
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch gives it no types
        return self


def joined(x: torch.Tensor, vectors: Vectors, place: str) -> torch.Tensor:
    """Return (B, T, D + W) vectors with those of a place behind them; x itself if there are none."""
    return torch.cat([x, vectors[place].to(x.dtype)], 2) if place in vectors else x
