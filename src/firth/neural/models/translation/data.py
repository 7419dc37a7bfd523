"""Pairs of texts as numbers, and batches of them.

What
    A source is its ids and an end, reversed where the options say so; a target is its ids and an end. Where a character
    decoder learns to spell target words, a batch holds their characters.
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
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import pad as pad_columns

from firth.errors import ShapeError
from firth.neural.layers.products import STEADY_ROWS
from firth.neural.layers.spelling import Spelling
from firth.neural.models.translation.units import EOS, UNKNOWN, Ids, Units, bare
from firth.neural.training.batching import Buckets, TensorBatch, pad

LONGEST_WORD = 30  # characters that are read or written of a word
SPELLED = ("none", "unknown", "all")
LANES = 16  # numbers that a processor adds up at once: further padding does not change the bits of a sum


class Source(NamedTuple):
    """A source text.

    Attributes:
        tokens: S tokens, the end included, as the encoder reads them.
        ids: (S,) int64.
        copied: (S,) int64 ids of the tokens on the target's side, for copying; V + i is `unknown[i]`.
        unknown: tokens that the target does not have, each once.
        selected: (S,) which tokens may be copied; None for all.
    """

    tokens: Sequence[str]
    ids: Ids
    copied: Ids | None = None
    unknown: tuple[str, ...] = ()
    selected: npt.NDArray[np.bool_] | None = None


class Pair(NamedTuple):
    """A source with its target.

    Attributes:
        source: as the encoder reads it.
        target: (T,) int64 ids, the end included.
        words: T - 1 tokens of the target, where they are spelled or compared with; else none.
    """

    source: Source
    target: Ids
    words: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class SourceBatch(TensorBatch):
    """B sources.

    Attributes:
        ids: (B, S) int64; V + i stands for unknown word i, where words are spelled.
        lengths: (B,) int64 on the CPU.
        spellings: (U, C) int32 character ids of the unknown words, or None.
        copied: (B, S) ids on the target's side, for copying, or None; see `Source`.
        extra: E, number of ids after the target's vocabulary.
        selected: (B, S) booleans: the tokens that may be copied; None for all.
    """

    on_cpu: ClassVar = ("lengths",)

    ids: torch.Tensor
    lengths: torch.Tensor
    spellings: torch.Tensor | None = None
    copied: torch.Tensor | None = None
    extra: int = 0
    selected: torch.Tensor | None = None

    def steady(self) -> "SourceBatch":
        """Return the batch in a shape in which the bits of a source's results do not depend on the other sources.

        Of fewer than `STEADY_ROWS` sources the last is repeated; S is a multiple of `LANES`.
        """
        B, S = self.ids.shape
        rows = torch.arange(max(B, STEADY_ROWS)).clamp(max=B - 1)
        ids, copied, selected = (
            None if table is None else pad_columns(table[rows.to(table.device)], (0, -S % LANES), value=value)
            for table, value in ((self.ids, EOS), (self.copied, EOS), (self.selected, True))
        )
        assert ids is not None, "sources have ids"
        return SourceBatch(ids, self.lengths[rows], self.spellings, copied, self.extra, selected)


@dataclass(frozen=True, eq=False)
class SpelledWords(TensorBatch):
    """M target words of a batch that are spelled.

    Attributes:
        steps: (M,) int64 their numbers among the N steps of the batch that count.
        codes: (M, C) int32 character ids.
    """

    steps: torch.Tensor
    codes: torch.Tensor


@dataclass(frozen=True, eq=False)
class PairBatch(TensorBatch):
    """B pairs.

    Attributes:
        sources: of the pairs.
        targets: (B, T) ids, EOS from the end on; of words that can be copied only, those of `Source.copied`.
        counted: (B, T) which targets count.
        pairs: that the batch was made of.
        spelled: target words that are spelled; None if there is none.
    """

    sources: SourceBatch
    targets: torch.Tensor
    counted: torch.Tensor
    pairs: Sequence[Pair] = ()
    spelled: SpelledWords | None = None

    def steady(self, steps: int) -> "PairBatch":
        """Return the batch as `SourceBatch.steady`, without spelled words; T is a multiple of `steps`."""
        rows = torch.arange(max(len(self.targets), STEADY_ROWS)).clamp(max=len(self.targets) - 1)
        more = (0, -self.targets.shape[1] % steps)
        targets, counted = pad_columns(self.targets[rows], more, value=EOS), pad_columns(self.counted[rows], more)
        return PairBatch(self.sources.steady(), targets, counted, self.pairs)


@dataclass(frozen=True, eq=False)
class PairReader:
    """Texts to numbers.

    Attributes:
        source: units of the source.
        target: units of the target.
        reverse: whether the encoder reads the words of a source from the last to the first.
        copying: whether sources have `Source.copied`.
        spelling: of `SPELLED`, target words that a character decoder learns to spell.
    """

    source: Units
    target: Units
    reverse: bool = False
    copying: bool = False
    spelling: str = SPELLED[0]

    def read_source(self, text: str, longest: int | None = None) -> Source:
        """Return a source; of more than `longest` tokens the first ones."""
        return self.source_of(self.source.split(text)[:longest])

    def source_of(self, tokens: Sequence[str]) -> Source:
        """Return the source of tokens."""
        tokens = [*(reversed(tokens) if self.reverse else tokens), self.source.words[EOS]]
        ids = self.source.ids(tokens)
        if not self.copying:
            return Source(tokens, ids)
        as_target = [token.lower() for token in tokens] if self.target.lowercase else tokens
        copied, unknown = self.target.ids(as_target), dict[str, int]()
        for step in np.flatnonzero(copied == UNKNOWN).tolist():
            copied[step] = len(self.target) + unknown.setdefault(as_target[step], len(unknown))
        return Source(tokens, ids, copied, tuple(unknown))

    def selecting(self, source: Source, chosen: Any) -> Source:
        """Return a source of which only chosen words are copied, (S - 1,) booleans in the order of its text.

        Raises:
            ShapeError: there are not as many as words.
        """
        chosen = np.asarray(chosen, dtype=bool)
        if chosen.shape != (len(source.tokens) - 1,):
            raise ShapeError(f"copyable: {chosen.shape} booleans for {len(source.tokens) - 1} tokens; expected as many")
        return source._replace(selected=np.append(chosen[::-1] if self.reverse else chosen, True))

    def read(self, source: str, target: str, longest: int | None = None, *, keep_words: bool = False) -> Pair:
        """Return a pair; of more than `longest` tokens a side the first ones."""
        return self.pair_of(self.read_source(source, longest), target, longest, keep_words=keep_words)

    def pair_of(self, source: Source, target: str, longest: int | None = None, *, keep_words: bool = False) -> Pair:
        """Return a source that is read already, with its target."""
        tokens = self.target.split(target)[:longest]
        kept = keep_words or self.spelling != "none"
        return Pair(source, self._target_ids(tokens, source.unknown), tokens if kept else ())

    def target_tokens(self, ids: Sequence[int], source: Source) -> list[str]:
        """Return the tokens of a target, with those that only its source has."""
        words = len(self.target)
        return [source.unknown[number - words] if number >= words else self.target.words[number] for number in ids]

    def _target_ids(self, tokens: Sequence[str], unknown: Sequence[str]) -> Ids:
        ids = self.target.ids(tokens)
        for step in np.flatnonzero(ids == UNKNOWN).tolist() if unknown else ():
            if tokens[step] in unknown:
                ids[step] = len(self.target) + unknown.index(tokens[step])
        return np.append(ids, EOS)

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
        return Collator(
            self.source.words if self.source.spelled else None,
            None if self.spelling == "none" else self.target.characters,
            unknown_only=self.spelling == "unknown",
        )

    def batches(
        self, pairs: Sequence[Pair], batch_size: int, *, tokens: bool = False, seed: int = 0, shuffle: bool = True
    ) -> Buckets[Pair]:
        """Return pairs in batches of similar length."""
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
    """Batches of sources and pairs."""

    def __init__(
        self, words: Sequence[str] | None = None, characters: Sequence[str] | None = None, *, unknown_only: bool = False
    ) -> None:
        self._spelling = None if words is None else Spelling(words, longest=LONGEST_WORD)
        self._words = 0 if words is None else len(words)
        self._target = None if characters is None else Spelling(characters, longest=LONGEST_WORD)
        self._unknown_only = unknown_only

    def sources(self, sources: Sequence[Source]) -> SourceBatch:
        """Return a batch of sources."""
        ids, lengths = pad([source.ids for source in sources], EOS)
        batch = SourceBatch(ids, lengths) if self._spelling is None else self._spelled(ids, lengths, sources)
        copied = [source.copied for source in sources if source.copied is not None]
        if not copied:
            return batch
        batch = replace(batch, copied=pad(copied, EOS)[0], extra=max(len(source.unknown) for source in sources))
        selected = [source.selected.astype(np.int64) for source in sources if source.selected is not None]
        return replace(batch, selected=pad(selected, 1)[0] > 0) if selected else batch

    def pairs(self, pairs: Sequence[Pair]) -> PairBatch:
        """Return a batch of pairs."""
        targets, counts = pad([pair.target for pair in pairs], EOS)
        counted = torch.arange(targets.shape[1]) < counts[:, None]
        sources = self.sources([pair.source for pair in pairs])
        return PairBatch(sources, targets, counted, tuple(pairs), self._spelled_words(pairs))

    def _spelled_words(self, pairs: Sequence[Pair]) -> SpelledWords | None:
        steps, words, first = list[int](), list[str](), 0
        once = set[int]()  # known words: frequent ones need no more practice than others
        for pair in pairs:
            for step, (number, word) in enumerate(zip(pair.target.tolist(), pair.words, strict=False), first):
                if number == UNKNOWN or not (self._unknown_only or number in once):
                    once.add(number)
                    steps.append(step)
                    words.append(bare(word))
            first += len(pair.target)
        if self._target is None or not words:
            return None
        return SpelledWords(torch.tensor(steps), self._target.character_ids(words))

    def _spelled(self, ids: torch.Tensor, lengths: torch.Tensor, sources: Sequence[Source]) -> SourceBatch:
        assert self._spelling is not None
        unknown: dict[str, int] = {}
        for row, source in zip(ids, sources, strict=True):
            for step in np.flatnonzero(source.ids == UNKNOWN).tolist():
                row[step] = self._words + unknown.setdefault(source.tokens[step], len(unknown))
        spellings = self._spelling.character_ids(list(unknown)) if unknown else None
        return replace(SourceBatch(ids, lengths), spellings=spellings)
