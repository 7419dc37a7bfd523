"""Sentences of a text as training data of bidirectional language models."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from firth.language.text import LanguageText
from firth.neural.models.bidirectional.module import BidirectionalModule
from firth.neural.models.sentences.token_rows import Ids, TokenBatch, TokenRows, pieces, sentences
from firth.neural.training.batching import Buckets

LONGEST = 200  # words that are read in one piece; longer sentences are cut


EVAL_WORDS = 4000  # per batch of an evaluation


def rows_of(text: LanguageText) -> TokenRows:
    """Return the sentences of a text as rows of input ids without their ends, in pieces of at most `LONGEST` words."""
    found = sentences(text)
    ends = int(text.rules.eos)
    inputs = TokenRows(text.input_ids, found.starts, found.lengths - ends)
    return pieces(inputs.take(inputs.lengths > 0), LONGEST)


@dataclass(frozen=True, eq=False)
class Targets:
    """What is predicted of B sentences of T words: in each direction T + 1 tokens, of which `real` count.

    Attributes:
        forward: (B, T + 1) int64 in the order of reading.
        real: (B, T + 1) bool.
    """

    forward: torch.Tensor
    backward: torch.Tensor
    real: torch.Tensor


def targets_of(batch: TokenBatch, words: int, unknown: int, eos: int) -> Targets:
    """Return the targets of a batch."""
    ids = torch.where(batch.ids >= words, unknown, batch.ids)
    lengths = batch.lengths.to(ids.device).unsqueeze(1)
    B, T = ids.shape
    steps = torch.arange(T + 1, device=ids.device)
    padded = torch.cat([ids, ids.new_full((B, 1), eos)], 1)
    onward = torch.where(steps < lengths, padded, eos)
    back = onward.gather(1, torch.where(steps < lengths, lengths - 1 - steps, T).clamp(min=0))
    back = torch.where(steps < lengths, back, eos)
    return Targets(onward, back, steps <= lengths)


def sentence_buckets(rows: TokenRows, batch_size: int, *, seed: int = 0, shuffle: bool = True) -> Buckets[Ids]:
    """Return sentences in batches of similar length."""
    make = partial(
        Buckets,
        items=rows,
        lengths=np.asarray(rows.lengths, dtype=np.int64),
        collate=TokenBatch.of,
        batch_size=batch_size,
        tokens=True,
    )
    return make(seed=seed, shuffle=shuffle)


class Reader:
    """Batches of a text to hidden states and targets.

    Attributes:
        rows: the sentences.
    """

    def __init__(self, module: BidirectionalModule, text: LanguageText) -> None:
        assert text.eos_id is not None, "sentence ends are predicted"
        self._module, self.rows = module, rows_of(text)
        self._special = len(text.vocabulary), text.unk_id, text.eos_id
        self._unknown = module.embedding.character_ids(text.unknown_words) if text.unknown_words else None

    def predicted(self, batch: TokenBatch) -> tuple[list[torch.Tensor], list[torch.Tensor], torch.Tensor]:
        """Return (N, D) states forward and backward, their (N,) targets, and the (B, T + 1) places that count."""
        if self._unknown is not None:
            self._unknown = self._unknown.to(batch.ids.device)
        targets = targets_of(batch, *self._special)
        states = self._module.predictions(batch.ids, batch.lengths, self._unknown)
        found = [each[targets.real] for each in states]
        return found, [targets.forward[targets.real], targets.backward[targets.real]], targets.real

    def log_probs(self, batches: Iterator[TokenBatch]) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Yield of each batch the (N,) log-probabilities forward and backward, in the order of reading, and `real`."""
        device = next(self._module.parameters()).device
        for batch in batches:
            hidden, targets, real = self.predicted(batch.to(device))
            pairs = zip(hidden, targets, strict=True)
            first, second = (self._module.output.log_prob_of(h, y) for h, y in pairs)
            yield first, second, real
