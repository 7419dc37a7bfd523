"""The network of a translator: embeddings, an encoder, a decoder and an output layer."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.neural.layers.attended_characters import AttendedCharacters
from firth.neural.layers.character_decoder import CharacterDecoder, Characters
from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.copying import (
    LEAST,
    CopyGate,
    copied_log_prob,
    copied_log_prob_of,
    coverage_losses,
    selected_attention,
)
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.recurrent_decoder import RecurrentDecoder
from firth.neural.layers.scheduled_sampling import FeedingOptions, mixed_inputs
from firth.neural.layers.state import State
from firth.neural.models.translation.data import PairBatch, PairReader, SourceBatch
from firth.neural.models.translation.units import BOS, UNKNOWN, Ids, Units
from firth.neural.prediction import in_batches
from firth.progress import Progress
from firth.text.joined_words import JOINER

SCORED = 64  # pairs that are scored together
# (B, t, D) inputs, (B, t, H) hidden states and (B, t, S) attention to (B, t, V) log-probabilities
Score = Callable[[torch.Tensor, torch.Tensor, torch.Tensor | None], torch.Tensor]


def scheduled_sampling(
    decoder: Any, score: Score, x: torch.Tensor, words: torch.Tensor, memory: Any, state: State, feeding: FeedingOptions
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Return the (B, T, D) inputs that were read, (B, T, H) hidden states, and (B, T, S) attention if it is known.

    Args:
        x: (B, T, D) vectors of the true words before each step.
        words: (V, D) the vector of each word.
    """
    if not decoder.sequential:
        hidden, weights, _ = decoder.read(x, memory, state)
        scores = score(x[:, :-1], hidden[:, :-1], weights)
        x = torch.cat([x[:, :1], mixed_inputs(x[:, 1:], scores, words, feeding)], 1)
        hidden, weights, _ = decoder.read(x, memory, state)
        return x, hidden, weights
    inputs, outputs, attention = [x[:, :1]], list[torch.Tensor](), list[torch.Tensor]()
    for step in range(1, x.shape[1] + 1):
        hidden, weights, state = decoder.read(inputs[-1], memory, state)
        outputs.append(hidden)
        attention.append(weights)
        if step < x.shape[1]:
            scores = score(inputs[-1], hidden, weights)
            inputs.append(mixed_inputs(x[:, step : step + 1], scores, words, feeding))
    return torch.cat(inputs, 1), torch.cat(outputs, 1), torch.cat(attention, 1)


def units_of(word: str, units: Units) -> list[str]:
    """Return the units of a word, at least one."""
    if units.subwords is not None:
        return units.split(word) or [units.words[UNKNOWN]]
    return [_written(token, units) for token in units.split(word)] or [units.words[UNKNOWN]]


def _written(token: str, units: Units) -> str:
    """Return the most frequent form of a token: alone, or with a mark where no space was beside it."""
    bare = token.strip(JOINER)
    forms = [form for form in (token, bare, JOINER + bare, bare + JOINER) if form in units.numbers]
    return max(forms, key=lambda form: int(units.counts[units.numbers[form]]), default=token)


def word_states(
    module: "TranslationModule", reader: PairReader, sentences: Sequence[Sequence[str]], *, longest: int
) -> torch.Tensor:
    """Return (B, T, 1, D) states of the words of sentences, zero at padding."""
    pieces: list[list[str]] = []
    owners: list[tuple[int, int, int]] = []  # sentence, word and unit in the text of each state, piece by piece
    for number, words in enumerate(sentences):
        tokens = [(position, unit) for position, word in enumerate(words) for unit in units_of(word, reader.source)]
        for start in range(0, len(tokens), longest):
            piece = tokens[start : start + longest]
            pieces.append([unit for _, unit in piece])
            owners += [(number, position, len(pieces) - 1) for position, _ in piece]
    sources = [reader.source_of(piece) for piece in pieces]
    device = next(module.parameters()).device
    states = module.encoded(reader.collator.sources(sources).to(device)).states  # (pieces, S, D)
    T = max(map(len, sentences))
    rows = torch.tensor([number * T + position for number, position, _ in owners], device=device)
    steps = np.concatenate([_steps(len(piece), reader.reverse) for piece in pieces])
    states = states[[piece for *_, piece in owners], steps.tolist()]  # (N, D)
    B, D = len(sentences), states.shape[1]
    sums = states.new_zeros(B * T, D).index_add(0, rows, states)
    counts = states.new_zeros(B * T).index_add(0, rows, torch.ones_like(states[:, 0])).clamp(min=1)
    means: torch.Tensor = (sums / counts[:, None]).view(B, T, 1, D)
    return means


def _steps(size: int, reverse: bool) -> Ids:
    """Return the steps of the encoder at which units are read, in the order of the text."""
    return np.arange(size)[::-1] if reverse else np.arange(size)


class Losses(NamedTuple):
    """Losses of N steps.

    Attributes:
        tokens: (N,).
        coverage: (N,) weighted coverage losses.
        spelling: -log p in nats of the characters of all spelled words; None of a model that does not spell.
    """

    tokens: torch.Tensor
    coverage: torch.Tensor
    spelling: torch.Tensor | None


class TranslationModule(nn.Module):
    """The network."""

    def __init__(
        self,
        source: nn.Module,
        target: WordEmbedding,
        encoder: nn.Module,
        decoder: Any,
        output: OutputLayer,
        copy_gate: CopyGate | None = None,
        speller: CharacterDecoder | None = None,
        attended: AttendedCharacters | None = None,
        *,
        scale: float = 1.0,
        coverage_loss: float = 0.0,
    ) -> None:
        super().__init__()
        self.source_embedding, self.target_embedding = source, target
        self.encoder, self.decoder, self.output, self.scale = encoder, decoder, output, scale
        self.copy_gate, self.speller, self.attended, self.coverage_loss = copy_gate, speller, attended, coverage_loss

    def encoded(self, sources: SourceBatch) -> Any:
        """Return encoded sources, `firth.neural.models.translation.coders.Encoded`."""
        return self._encoded(sources)[1]

    def _encoded(self, sources: SourceBatch) -> tuple[torch.Tensor, Any]:
        """Return (B, S, D) embeddings of sources, and what the encoder makes of them."""
        if isinstance(self.source_embedding, CharacterCNN):
            x = self.source_embedding(sources.ids, sources.spellings)
        else:
            x = self.source_embedding(sources.ids)
        return x, self.encoder(x * self.scale, sources.lengths)

    def encode(self, sources: SourceBatch) -> tuple[Any, State]:
        """Return what the decoder looks at, and its first state."""
        memory, state = self.decoder.start(self.encoded(sources))
        return memory, state

    def embedded(self, ids: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) embeddings of target ids."""
        if self.copy_gate is not None:  # words that only the source has
            ids = ids.masked_fill(ids >= self.output.words, UNKNOWN)
        x: torch.Tensor = self.target_embedding(ids) * self.scale
        return x

    def decode(self, ids: torch.Tensor, memory: Any, state: State) -> tuple[torch.Tensor, State]:
        """Return (B, T, H) hidden states after the (B, T) ids before each step, and the decoder's state."""
        hidden, _, state = self.decoder.read(self.embedded(ids), memory, state)
        return hidden, state

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

    def losses(self, batch: PairBatch, *, exact: bool = False, feeding: FeedingOptions | None = None) -> Losses:
        """Return the losses of the steps that count."""
        source, encoded = self._encoded(batch.sources)
        memory, state = self.decoder.start(encoded)
        x, counted = self.embedded(_before(batch.targets)), batch.counted
        if feeding is None or feeding.share == 1:
            hidden, weights, _ = self.decoder.read(x, memory, state)
        else:
            x, hidden, weights = self._read_own(batch.sources, x, memory, state, feeding)
        hidden = hidden[counted]
        if self.copy_gate is not None:
            losses = -self._copied(batch, hidden, x[counted], weights[counted])
        elif exact and self.output.normalised:
            losses = -self.output.log_prob_of(hidden, batch.targets[counted])
        else:
            losses = self.output.loss(hidden, batch.targets[counted])
        covered = torch.zeros_like(losses)
        if self.coverage_loss:
            covered = self.coverage_loss * coverage_losses(weights)[counted]
        return Losses(losses, covered, self._spelling_loss(batch, source, hidden, weights))

    def log_prob_of(self, batch: PairBatch) -> torch.Tensor:
        """Return the (N,) log-probabilities of the targets of the steps that count."""
        return self.output.log_prob_of(*self(batch)) if self.copy_gate is None else -self.losses(batch).tokens

    def cover(self, covering: bool) -> None:
        """Let coverage enter the scores of attention or not, if the decoder has it."""
        for part in self.modules():
            if isinstance(part, RecurrentDecoder):
                part.covering = covering

    def _read_own(
        self, sources: SourceBatch, x: torch.Tensor, memory: Any, state: State, feeding: FeedingOptions
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        words = self.target_embedding.weight * self.scale
        words = torch.cat([words, words[UNKNOWN].expand(sources.extra, -1)])  # of words that only a source has

        def score(x: torch.Tensor, hidden: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
            (B, T), rows = hidden.shape[:2], torch.arange(len(hidden), device=hidden.device)
            attention = None if weights is None else weights.flatten(0, 1)
            rows = rows.repeat_interleave(T)
            return self._mixed(x.flatten(0, 1), hidden.flatten(0, 1), attention, sources, rows, LEAST).view(B, T, -1)

        return scheduled_sampling(self.decoder, score, x, words, memory, state, feeding)

    def spelled_from(self, batch: PairBatch, steps: torch.Tensor) -> tuple[torch.Tensor, Characters]:
        """Return what `CharacterDecoder.start` needs to spell M target words.

        Args:
            steps: (M,) int64 numbers of the words among the steps that count.
        """
        source, encoded = self._encoded(batch.sources)
        hidden, weights, _ = self.decoder.read(self.embedded(_before(batch.targets)), *self.decoder.start(encoded))
        return self._spelled_from(batch, source, hidden[batch.counted], weights, steps)

    def _spelled_from(
        self,
        batch: PairBatch,
        source: torch.Tensor,
        hidden: torch.Tensor,
        weights: torch.Tensor | None,
        steps: torch.Tensor,
    ) -> tuple[torch.Tensor, Characters]:
        """As `spelled_from`, of M steps, given (B, S, D) sources, (N, H) states and (B, T, S) attention."""
        if self.attended is None:
            return hidden[steps], ()
        assert weights is not None, "the decoder has attention"
        rows, ids = batch.counted.nonzero()[steps, 0], batch.sources.ids
        weights = weights[batch.counted][steps]
        seen = self.attended(self.source_embedding, ids[rows], batch.sources.spellings, source[rows], weights)
        copied = () if seen.copied is None else (seen.copied,)
        return torch.cat([hidden[steps], seen.vectors], 1), (seen.characters, seen.prior, *copied)

    def _spelling_loss(
        self, batch: PairBatch, source: torch.Tensor, hidden: torch.Tensor, weights: torch.Tensor | None
    ) -> torch.Tensor | None:
        if self.speller is None:
            return None
        if batch.spelled is None:  # parameters have gradients all the same: several processes average them
            spelling = [*self.speller.parameters(), *(self.attended.parameters() if self.attended else ())]
            return 0.0 * torch.stack([parameter.sum() for parameter in spelling]).sum()
        steps = batch.spelled.steps
        vectors, characters = self._spelled_from(batch, source, hidden, weights, steps)
        return self.speller.loss(vectors, batch.spelled.codes, characters).sum()

    def _copied(self, batch: PairBatch, hidden: torch.Tensor, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        assert self.copy_gate is not None
        assert batch.sources.copied is not None
        targets, words = batch.targets[batch.counted], self.output.words
        rows = batch.counted.nonzero()[:, 0]
        generated = self.output.log_prob_of(hidden, targets.masked_fill(targets >= words, UNKNOWN))
        gate = self.copy_gate(hidden, x)
        return copied_log_prob_of(generated, gate, weights, batch.sources.copied[rows], targets, words)

    def next_log_prob(
        self, ids: torch.Tensor, hidden: torch.Tensor, weights: torch.Tensor | None, sources: SourceBatch, rows: Any
    ) -> torch.Tensor:
        """Return the (B, V) log-probabilities of the next words, with copying (B, V + E).

        Args:
            ids: (B,) before the step.
            hidden: (B, H).
            weights: (B, S).
            rows: (B,) the source of each text.
        """
        return self._mixed(self.embedded(ids), hidden, weights, sources, rows)

    def _mixed(
        self,
        x: torch.Tensor,
        hidden: torch.Tensor,
        weights: torch.Tensor | None,
        sources: SourceBatch,
        rows: Any,
        least: float = 0.0,
    ) -> torch.Tensor:
        """As `next_log_prob`, given (B, D) embeddings, with a minimum of probabilities where words are copied."""
        generated = self.output.log_prob(hidden)
        if self.copy_gate is None:
            return generated
        assert weights is not None
        assert sources.copied is not None
        if sources.selected is not None:
            weights = selected_attention(weights, sources.selected[rows])
        gate = self.copy_gate(hidden, x)
        return copied_log_prob(generated, gate, weights, sources.copied[rows], sources.extra, least)


def _before(targets: torch.Tensor) -> torch.Tensor:
    return nn.functional.pad(targets[:, :-1], (1, 0), value=BOS)


def target_scores(
    module: TranslationModule,
    lengths: Sequence[int],
    collate: Callable[[list[int]], PairBatch],
    *,
    steps: int,
    unit: str,
    threads: int | None,
    progress: Progress,
) -> list[npt.NDArray[np.float64]]:
    """Return of each item the (T,) log-probabilities of its target tokens and the end.

    Args:
        collate: returns a batch of items, given their numbers.
        steps: that targets are padded to a multiple of.
    """
    device = next(module.parameters()).device

    def scores(rows: list[int]) -> list[npt.NDArray[np.float64]]:
        batch = collate(rows)
        values = module.log_prob_of(batch.steady(steps).to(device)).double().cpu().numpy()
        ends = np.cumsum(batch.counted.sum(1).numpy())
        return np.split(values[: ends[-1]], ends[:-1])

    return in_batches(
        lengths, scores, size=SCORED, stage="scoring", unit=unit, slow=True, threads=threads, progress=progress
    )
