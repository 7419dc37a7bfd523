"""Sentences of a text as training data of bidirectional language models."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from firth.language.text import LanguageText
from firth.neural.models.sentences.token_rows import Ids, TokenBatch, TokenRows, pieces, sentences
from firth.neural.training.batching import Buckets

LONGEST = 200  # words that are read in one piece; longer sentences are cut


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
        backward: likewise.
        real: (B, T + 1) bool.
    """

    forward: torch.Tensor
    backward: torch.Tensor
    real: torch.Tensor


def targets_of(batch: TokenBatch, words: int, unknown: int, eos: int) -> Targets:
    """Return the targets of a batch.

    Args:
        batch: input ids; those of unknown words are V and above.
        words: V.
        unknown: id of the unknown word.
        eos: id of the end of a sentence.
    """
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
    """Return sentences in batches of similar length.

    Args:
        rows: the sentences.
        batch_size: words per batch, with padding.
        seed: of the order.
        shuffle: whether each epoch has a new order.
    """
    make = partial(
        Buckets,
        items=rows,
        lengths=np.asarray(rows.lengths, dtype=np.int64),
        collate=TokenBatch.of,
        batch_size=batch_size,
        tokens=True,
    )
    return make(seed=seed, shuffle=shuffle)
