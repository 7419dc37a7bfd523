"""Samples of word occurrences in a corpus, and their contexts.

The corpus is read once, mapped from the disk. Reservoir sampling (Vitter 1985, "Random sampling with a reservoir",
algorithm R) gives each occurrence of a word the same probability. Memory: eight bytes per sampled occurrence.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.kernels.compiled import compiled
from firth.kernels.random import below, draw
from firth.randomness import kernel_states
from firth.vectors.sense_readers import Contexts

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Occurrences of W words in a corpus.

    Attributes:
        positions: (P,) token positions, grouped by word, in the order of the text.
        starts: (W + 1,) start of each word's positions; the last is P.
    """

    positions: Positions
    starts: Positions

    def of(self, number: int) -> Positions:
        """Return the positions of one of the words."""
        return self.positions[self.starts[number] : self.starts[number + 1]]


def find_occurrences(corpus: Corpus, ids: npt.ArrayLike, max_per_word: int, *, seed: int = 0) -> Occurrences:
    """Return all occurrences of some words, or a random sample of frequent ones.

    Args:
        corpus: the text.
        ids: (W,) distinct word ids in the corpus.
        max_per_word: maximum number of occurrences per word.
        seed: seed of the sample.

    Raises:
        OptionError: `max_per_word` is below 1.
    """
    if max_per_word < 1:
        raise OptionError(f"max_per_word={max_per_word}: expected at least 1 occurrence per word")
    words = np.asarray(ids, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(np.minimum(corpus.vocabulary.counts[words], max_per_word))]).astype(
        np.int64
    )
    positions = np.zeros(starts[-1], dtype=np.int64)
    numbers = np.full(len(corpus.vocabulary), -1, dtype=np.int64)
    numbers[words] = np.arange(len(words))
    _sample(
        corpus.ids, numbers, starts, positions, np.zeros(len(words), np.int64), kernel_states(seed, "occurrences", 1)
    )
    for start, end in pairwise(starts):
        positions[start:end].sort()
    return Occurrences(positions, starts)


@compiled
def _sample(
    ids: Any,  # (N,) int32
    numbers: Any,  # (V,) int64, index of each id among the W words, or -1
    starts: Any,  # (W + 1,) int64
    positions: Any,  # (P,) int64, filled
    counts: Any,  # (W,) int64, counted
    random: Any,  # (1,) uint64
) -> None:
    for t in range(len(ids)):
        word = numbers[ids[t]]
        if word < 0:
            continue
        room = starts[word + 1] - starts[word]
        slot = counts[word]
        if slot >= room:
            slot = np.int64(below(draw(random), counts[word] + 1))
        counts[word] += 1
        if slot < room:
            positions[starts[word] + slot] = t


def contexts_at(corpus: Corpus, positions: Positions, window: int) -> Contexts:
    """Return the context words around tokens of a corpus, within their sentences.

    Args:
        corpus: the text.
        positions: (B,) token positions.
        window: words on each side.

    Raises:
        OptionError: `window` is below 1.
    """
    if window < 1:
        raise OptionError(f"window={window}: expected at least 1 word on each side")
    sentences = np.searchsorted(corpus.offsets, positions, side="right")
    steps = np.concatenate([np.arange(-window, 0), np.arange(1, window + 1)])
    around = positions[:, None] + steps
    inside = (around >= corpus.offsets[sentences - 1][:, None]) & (around < corpus.offsets[sentences][:, None])
    ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
    distances = np.broadcast_to(np.abs(steps), inside.shape)[inside]
    return Contexts(np.asarray(corpus.ids[around[inside]], dtype=np.int64), ends, distances)
