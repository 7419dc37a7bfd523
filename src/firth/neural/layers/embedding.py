"""Word embedding: a table of vectors.

What
    One row per word, random or from trained word vectors, which are frozen or fine-tuned.
Objective
    x = E[id], with embedding dropout x = m[id] E[id] / (1 - p), m ~ Bernoulli(1 - p), one number per word type and
    batch.
Source
    Bengio et al. 2003, section 2; Gal and Ghahramani 2016, section 4.2, for dropout of word types.
Departures
    Words without a trained vector have random rows with the mean and spread of the trained ones in each dimension, so
    that later layers cannot recognise them by their length.
Cost
    One row per token; V random numbers per batch with embedding dropout. A dense gradient is a (V, D) array per batch,
    a sparse one holds the rows that occur (`firth.neural.training.row_updates`).
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

SAMPLE = 10_000  # trained rows, the first ones, that determine the mean and spread


class WordEmbedding(nn.Module):
    """A table of vectors.

    Args:
        words: V.
        width: D.
        dropout: embedding dropout: rate of word types, all occurrences in a batch together.
        frozen: whether training leaves the table unchanged.

    Attributes:
        width: D.
        sparse: whether the gradient holds only the rows that occur in the batch; False unless set.
        pretrained: number of rows from trained vectors.
        weight: (V, D).

    Raises:
        OptionError: a size below 1, or a rate that is not from 0 to below 1.
    """

    def __init__(self, words: int, width: int, *, dropout: float = 0.0, frozen: bool = False) -> None:
        super().__init__()
        if words < 1 or width < 1:
            raise OptionError(f"an embedding of {words} words x {width}: expected at least 1 x 1")
        self.width = width
        self.sparse = False
        self.pretrained = 0
        self.weight = nn.Parameter(torch.empty(words, width).uniform_(-0.1, 0.1), requires_grad=not frozen)
        self.mask = DropoutMask(dropout)

    @classmethod
    def from_vectors(
        cls, vectors: WordVectors, words: Iterable[str], *, frozen: bool = False, dropout: float = 0.0, seed: int = 0
    ) -> "WordEmbedding":
        """Return a table of trained vectors.

        Args:
            words: V words in the order of their ids, such as a `Vocabulary`.
            frozen: whether training leaves all rows unchanged, also those of words without a vector.
            seed: of the rows of words without a vector.

        Raises:
            OptionError: no word has a vector.
        """
        rows = [vectors.key_to_index.get(word, -1) for word in words]
        rows_with_vector = [row for row in rows if row >= 0]
        if not rows_with_vector:
            raise OptionError(
                f"none of {len(rows):,} words has a vector: expected vectors of the same language and case"
            )
        like = np.asarray(vectors.vectors[:SAMPLE], dtype=np.float32)
        table = generator(seed, "rows without a vector").normal(like.mean(0), like.std(0), (len(rows), vectors.dim))
        table[[row >= 0 for row in rows]] = vectors.vectors[rows_with_vector]
        layer = cls(len(rows), vectors.dim, dropout=dropout, frozen=frozen)
        layer.pretrained = len(rows_with_vector)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(table))
        return layer

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return (..., D) vectors of (...) int64 ids."""
        x = embedding(ids, self.weight, sparse=self.sparse)
        mask = self.mask(self.weight, (len(self.weight),))  # (V,)
        return x if mask is None else x * mask[ids].unsqueeze(-1)
