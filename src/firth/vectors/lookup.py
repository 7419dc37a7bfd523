"""Words and their rows: which there are, their vectors, and means of these, under gensim's names."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from firth.errors import OptionError
from firth.vectors import cosine
from firth.vectors.cosine import Matrix
from firth.vectors.lexicon import Lexicon
from firth.vectors.queries import (
    Inference,
    Key,
    Unknown,
    as_vector,
    gather,
    has_vector,
    is_batch,
    is_key,
    keys_of,
    mean_of,
)


class Lookup(ABC):
    """What a word is looked up in; the words and the matrix a subclass holds.

    Attributes:
        lexicon: the words and their rows.
        inference: what gives words without a row a vector, or None.
    """

    lexicon: Lexicon
    inference: Inference | None

    @property
    @abstractmethod
    def vectors(self) -> Matrix:
        """(V, D) the vectors."""

    @property
    @abstractmethod
    def norms(self) -> Matrix:
        """(V,) float32, the length of each vector."""

    @abstractmethod
    def average(self) -> Matrix:
        """Return the mean of all vectors, (D,) float32."""

    def __len__(self) -> int:
        return len(self.lexicon)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lexicon.words)

    def __contains__(self, key: object) -> bool:
        return is_key(key) and has_vector(self, key)

    def __getitem__(self, key: Any) -> Matrix:
        return self.get_vector(key)

    @property
    def words(self) -> list[str]:
        """The words, row by row."""
        return self.lexicon.words

    @property
    def index_to_key(self) -> list[str]:
        """The words, row by row: gensim's name."""
        return self.lexicon.words

    @property
    def key_to_index(self) -> dict[str, int]:
        """The row of each word."""
        return self.lexicon.rows

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return int(self.vectors.shape[1])

    @property
    def vector_size(self) -> int:
        """D, the width of the vectors: gensim's name."""
        return self.dim

    # One vector or several.

    def has_index_for(self, key: Key) -> bool:
        """Return whether a key has a row."""
        return key in self

    def get_index(self, key: Any, default: int | None = None) -> Any:
        """Return the row of a word, or of a row number that there is.

        Args:
            key: a word or a row, or a list of them.
            default: what to return for an unknown key; None raises.

        Raises:
            UnknownWordError: the key has no row and there is no default.
        """
        if not is_key(key):
            return [self.get_index(one, default) for one in keys_of(key)]
        row = self.lexicon.row_of(key) if isinstance(key, str) else _row_number(key, len(self))
        row = default if row is None else row
        if row is None:
            raise self.lexicon.unknown(key)
        return row

    def get_vector(self, key: Any, norm: bool = False, *, unknown: Unknown = "raise") -> Matrix:
        """Return the vector of a key, or the vectors of a list of keys.

        Args:
            key: a word or a row, or a list of them.
            norm: whether to bring the vectors to length 1.
            unknown: what to do with unknown words; "skip" leaves them out of a list, and a single one gives NaN.

        Returns:
            (D,), read-only, or (B, D).

        Raises:
            UnknownWordError: a word has no vector and the policy is "raise".
        """
        if is_key(key) and (row := self.get_index(key, -1)) >= 0:
            vector = cosine.unit(self.vectors[row]) if norm else self.vectors[row]
        else:
            keys = [key] if is_key(key) else keys_of(key)
            if unknown == "skip" and not is_key(key):
                keys = [one for one in keys if one in self]
            vectors = gather(self, keys, unknown)
            vectors = cosine.unit(vectors) if norm else vectors
            if not is_key(key):
                return vectors
            vector = vectors[0]
        vector.setflags(write=False)  # writing into one row would leave the lengths stale
        return vector

    def get_normed_vectors(self) -> Matrix:
        """Return a copy of all vectors, brought to length 1: (V, D)."""
        return cosine.unit(self.vectors)

    def get_mean_vector(
        self,
        keys: Any,
        weights: Any = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> Matrix:
        """Return the weighted mean of vectors.

        Args:
            keys: words, rows and vectors; a list of such lists is a batch.
            weights: one number a key; for a batch, one list a query. None weighs all the same.
            pre_normalize: whether to bring the vectors of keys to length 1 first; vectors given as such stay as they
                are.
            post_normalize: whether to bring the mean to length 1.
            ignore_missing: whether to leave unknown words out; else they raise.

        Returns:
            (D,) or (B, D); zeros where nothing is left.

        Raises:
            OptionError: there are no keys, or not as many weights.
            UnknownWordError: a word has no vector and `ignore_missing` is false.
        """
        if is_batch(keys):
            each = [None] * len(keys) if weights is None else weights
            return np.stack(
                [
                    self.get_mean_vector(some, some_weights, pre_normalize, post_normalize, ignore_missing)
                    for some, some_weights in zip(keys, each, strict=True)
                ]
            )
        keys = keys_of(keys, "keys")
        if len(keys) == 0:
            raise OptionError("the mean of no vectors: expected at least one key")
        weights = np.ones(len(keys)) if weights is None else np.asarray(weights, dtype=np.float64)
        if len(weights) != len(keys):
            raise OptionError(f"{len(weights)} weights for {len(keys)} keys: expected one a key")
        used = [place for place, key in enumerate(keys) if not (ignore_missing and is_key(key) and key not in self)]
        matrix = np.zeros((len(used), self.dim))
        for place, term in enumerate(keys[place] for place in used):
            matrix[place] = self.get_vector(term, norm=pre_normalize) if is_key(term) else as_vector(self, term)
        mean = mean_of(matrix, weights[used])
        return (cosine.unit(mean) if post_normalize else mean).astype(self.norms.dtype)


def _row_number(key: Any, size: int) -> int | None:
    return int(key) if 0 <= key < size else None
