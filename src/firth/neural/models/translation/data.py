"""Pairs of texts as numbers, and batches of them.

What
    A source is its ids and an end, reversed where the options say so; a target is its ids and an end.
Objective
    Every pair once per epoch, in batches of similar length.
Source
    Sutskever, Vinyals and Le 2014, sections 3.3 (reversed sources) and 3.4 (batches of similar length).
Departures
    The end of a source stays at its end when the words are reversed.
Cost
    Padding of the shorter side.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch

from firth.neural.layers.spelling import Spelling
from firth.neural.models.translation.units import EOS, UNKNOWN, Ids, Units
from firth.neural.training.batching import Buckets, pad

LONGEST_WORD = 30  # characters that are read of a word


class Source(NamedTuple):
    """A source text.

    Attributes:
        tokens: S tokens, the end included, as the encoder reads them.
        ids: (S,) int64.
    """

    tokens: Sequence[str]
    ids: Ids


class Pair(NamedTuple):
    """A source with its target.

    Attributes:
        source: as the encoder reads it.
        target: (T,) int64 ids, the end included.
    """

    source: Source
    target: Ids


@dataclass(frozen=True, eq=False)
class SourceBatch:
    """B sources.

    Attributes:
        ids: (B, S) int64; V + i stands for unknown word i, where words are spelled.
        lengths: (B,) int64 on the CPU.
        spellings: (U, C) int32 character ids of the unknown words, or None.
    """

    ids: torch.Tensor
    lengths: torch.Tensor
    spellings: torch.Tensor | None = None

    def to(self, device: torch.device) -> "SourceBatch":
        """Return the batch with its tensors on a device."""
        spellings = None if self.spellings is None else self.spellings.to(device)
        return SourceBatch(self.ids.to(device), self.lengths, spellings)


@dataclass(frozen=True, eq=False)
class PairBatch:
    """B pairs.

    Attributes:
        sources: of the pairs.
        targets: (B, T) ids, EOS from the end on.
        counted: (B, T) which targets count.
    """

    sources: SourceBatch
    targets: torch.Tensor
    counted: torch.Tensor

    fresh, scale = True, 1.0

    def to(self, device: torch.device) -> "PairBatch":
        """Return the batch with its tensors on a device."""
        return PairBatch(self.sources.to(device), self.targets.to(device), self.counted.to(device))


@dataclass(frozen=True, eq=False)
class PairReader:
    """Texts to numbers.

    Attributes:
        source: units of the source.
        target: units of the target.
        reverse: whether the encoder reads the words of a source from the last to the first.
    """

    source: Units
    target: Units
    reverse: bool = False

    def read_source(self, text: str, longest: int | None = None) -> Source:
        """Return a source; of more than `longest` tokens the first ones."""
        return self.source_of(self.source.split(text)[:longest])

    def source_of(self, tokens: Sequence[str]) -> Source:
        """Return the source of tokens."""
        tokens = [*(reversed(tokens) if self.reverse else tokens), self.source.words[EOS]]
        return Source(tokens, self.source.ids(tokens))

    def read(self, source: str, target: str) -> Pair:
        """Return a pair."""
        return Pair(self.read_source(source), self.read_target(target))

    def read_target(self, text: str) -> Ids:
        """Return the (T,) ids of a target and its end."""
        return np.append(self.target.ids(self.target.split(text)), EOS)

    def words_of(self, source: Source) -> list[str]:
        """Return the tokens of a source in the order of its text, without its end."""
        tokens = list(source.tokens[:-1])
        return tokens[::-1] if self.reverse else tokens

    def in_order(self, values: Any) -> Any:
        """Return (..., S) values of a source's tokens in the order of its text, the end last."""
        return np.concatenate([values[..., -2::-1], values[..., -1:]], -1) if self.reverse else values

    @cached_property
    def collator(self) -> "Collator":
        """What makes batches."""
        return Collator(self.source.words if self.source.spelled else None)

    def batches(
        self, pairs: Sequence[Pair], batch_size: int, *, tokens: bool = False, seed: int = 0, shuffle: bool = True
    ) -> Buckets[Pair]:
        """Return pairs in batches of similar length.

        Args:
            pairs: to batch.
            batch_size: pairs per batch, or tokens of the longer side with padding.
            tokens: whether `batch_size` counts tokens.
            seed: of the order.
            shuffle: whether each epoch has a new order.
        """
        lengths = np.array([max(len(pair.source.ids), len(pair.target)) for pair in pairs], dtype=np.int64)
        return Buckets(
            items=pairs,
            lengths=lengths,
            collate=self.collator.pairs,
            batch_size=batch_size,
            tokens=tokens,
            seed=seed,
            shuffle=shuffle,
        )


class Collator:
    """Batches of sources and pairs.

    Args:
        words: the V words of spelled sources; None if words are not spelled.
    """

    def __init__(self, words: Sequence[str] | None = None) -> None:
        self._spelling = None if words is None else Spelling(words, longest=LONGEST_WORD)
        self._words = 0 if words is None else len(words)

    def sources(self, sources: Sequence[Source]) -> SourceBatch:
        """Return a batch of sources."""
        ids, lengths = pad([source.ids for source in sources], EOS)
        return SourceBatch(ids, lengths) if self._spelling is None else self._spelled(ids, lengths, sources)

    def pairs(self, pairs: Sequence[Pair]) -> PairBatch:
        """Return a batch of pairs."""
        targets, counts = pad([pair.target for pair in pairs], EOS)
        counted = torch.arange(targets.shape[1]) < counts[:, None]
        return PairBatch(self.sources([pair.source for pair in pairs]), targets, counted)

    def _spelled(self, ids: torch.Tensor, lengths: torch.Tensor, sources: Sequence[Source]) -> SourceBatch:
        assert self._spelling is not None
        unknown: dict[str, int] = {}
        for row, source in zip(ids, sources, strict=True):
            for place in np.flatnonzero(source.ids == UNKNOWN).tolist():
                row[place] = self._words + unknown.setdefault(source.tokens[place], len(unknown))
        spellings = self._spelling.character_ids(list(unknown)) if unknown else None
        return replace(SourceBatch(ids, lengths), spellings=spellings)
