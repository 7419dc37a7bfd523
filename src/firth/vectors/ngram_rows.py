"""The rows of character n-grams, and what they add up to in a word."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors.character_ngrams import Hashing, Ids
from firth.vectors.codes import Codes

TOGETHER = 4096  # words whose rows are gathered at once

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class NgramRows:
    """Rows of n-grams, one a bucket.

    Attributes:
        hashing: how n-grams become buckets.
        matrix: (U, D) rows.
        used: (U,) the bucket of each, ascending; None where all buckets have a row, in their order.
        pruned: whether an n-gram without a row counts for nothing; else it counts as a row of zeros.
    """

    hashing: Hashing
    matrix: npt.NDArray[Any] | Codes
    used: Ids | None = None
    pruned: bool = False

    def rows(self, places: Any = slice(None)) -> Floats:
        """Return rows: all, or those at some places, (M, D) float32."""
        if isinstance(self.matrix, Codes):
            return self.matrix.rows(places)
        return np.asarray(self.matrix[places], dtype=np.float32)

    def places(self, buckets: Ids) -> Ids:
        """Return the place of each bucket's row, or -1 where it has none."""
        if self.used is None:
            return buckets
        if not len(self.used):
            return np.full(len(buckets), -1, dtype=np.int64)
        near = np.minimum(np.searchsorted(self.used, buckets), len(self.used) - 1)
        return np.where(self.used[near] == buckets, near, -1)

    def without_zeros(self) -> "NgramRows":
        """Return the same rows but those of zeros, which a bucket without a row counts as; codes stay as they are."""
        if self.used is not None or self.pruned or isinstance(self.matrix, Codes):
            return self
        parts = range(0, len(self.matrix), TOGETHER)
        nonzero = np.concatenate([np.zeros(0, bool), *(self.matrix[i : i + TOGETHER].any(axis=1) for i in parts)])
        if nonzero.all():
            return self
        return dataclasses.replace(self, matrix=self.matrix[nonzero], used=np.flatnonzero(nonzero))

    def sums(self, words: Sequence[str]) -> tuple[Floats, Ids, npt.NDArray[np.bool_]]:
        """Return what the n-grams of words add up to.

        Returns:
            (W, D) sums of rows; (W,) by how many rows a mean divides them; (W,) whether a word has any row.
        """
        dim = self.matrix.shape[1]
        sums, counts = np.zeros((len(words), dim), dtype=np.float32), np.zeros(len(words), dtype=np.int64)
        has_ngrams = np.zeros(len(words), dtype=np.bool_)
        for first in range(0, len(words), TOGETHER):
            some = slice(first, first + TOGETHER)
            starts, buckets = self.hashing.buckets_of(words[some])
            places = self.places(buckets)
            places_with_row = np.flatnonzero(places >= 0)
            sizes = np.diff(np.searchsorted(places_with_row, starts))
            has_ngrams[some], counts[some] = sizes > 0, sizes if self.pruned else np.diff(starts)
            if len(places_with_row):
                begins = (np.cumsum(sizes) - sizes)[sizes > 0]
                sums[some][sizes > 0] = np.add.reduceat(self.rows(places[places_with_row]), begins, axis=0)
        return sums, counts, has_ngrams
