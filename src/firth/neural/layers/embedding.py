"""Ids to vectors by a table that is learnt: the plainest input of a neural model.

What
    One row a word, drawn at random or taken from trained word vectors, which then stay as they are or are tuned.
Objective
    x = E[id], with embedding dropout x = m[id] E[id] / (1 - p), m ~ Bernoulli(1 - p) one number a word type and batch.
Source
    Bengio et al. 2003, section 2; Gal and Ghahramani 2016, section 4.2, for dropout of word types.
Departures
    Words without a trained vector get random rows of the same mean and spread as the trained ones', number by number,
    so that no layer above can tell them by their length.
Cost
    A row a token; V random numbers a batch where word types are dropped.
"""

from collections.abc import Iterable

import numpy as np
import torch
from torch import nn
from torch.nn.functional import embedding

from firth.errors import OptionError
from firth.neural.layers.dropout import DropoutMask
from firth.randomness import generator
from firth.vectors.word_vectors import WordVectors

SAMPLE = 10_000  # trained rows, the first ones, that the mean and spread are taken from


class WordEmbedding(nn.Module):
    """A table of vectors.

    Args:
        words: V, how many rows.
        width: D, numbers a row.
        dropout: the share of word types to drop in training, all their occurrences in a batch together.
        frozen: whether the table stays as it is.

    Attributes:
        width: D.
        found: how many rows were taken from trained vectors.
        weight: (V, D).

    Raises:
        OptionError: a size below 1, or a rate that is not from 0 to below 1.
    """

    def __init__(self, words: int, width: int, *, dropout: float = 0.0, frozen: bool = False) -> None:
        super().__init__()
        if words < 1 or width < 1:
            raise OptionError(f"an embedding of {words} words x {width}: expected at least 1 x 1")
        self.width = width
        self.found = 0
        self.weight = nn.Parameter(torch.empty(words, width).uniform_(-0.1, 0.1), requires_grad=not frozen)
        self.mask = DropoutMask(dropout)

    @classmethod
    def from_vectors(
        cls, vectors: WordVectors, words: Iterable[str], *, frozen: bool = False, dropout: float = 0.0, seed: int = 0
    ) -> "WordEmbedding":
        """Return a table of trained vectors.

        Args:
            vectors: trained, in any format that firth reads.
            words: V words in the order of their ids; a `Vocabulary` is one such.
            frozen: whether the rows stay as they are, also those of words without a vector.
            dropout: as for the class.
            seed: of the rows of words that `vectors` lacks.

        Returns:
            an embedding whose `found` tells how many words had a vector.

        Raises:
            OptionError: no word has a vector.
        """
        rows = [vectors.key_to_index.get(word, -1) for word in words]
        known = [row for row in rows if row >= 0]
        if not known:
            raise OptionError(
                f"none of {len(rows):,} words has a vector: expected vectors of the same language and case"
            )
        like = np.asarray(vectors.vectors[:SAMPLE], dtype=np.float32)
        table = generator(seed, "rows without a vector").normal(like.mean(0), like.std(0), (len(rows), vectors.dim))
        table[[row >= 0 for row in rows]] = vectors.vectors[known]
        layer = cls(len(rows), vectors.dim, dropout=dropout, frozen=frozen)
        layer.found = len(known)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(table))
        return layer

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the vectors of some words.

        Args:
            ids: (...) int64.

        Returns:
            (..., D).
        """
        x = embedding(ids, self.weight)
        kept = self.mask(self.weight, (len(self.weight),))
        return x if kept is None else x * kept[ids].unsqueeze(-1)
