"""What queries and writers of files need of vectors; `WordVectors` and `SubwordVectors` have it."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.vectors.character_ngrams import NgramRows
from firth.vectors.codes import Codes
from firth.vectors.cosine import Matrix
from firth.vectors.lexicon import Lexicon

Key = str | int | np.integer[Any]  # a word or a row
Inference = Callable[[Sequence[str]], tuple[Matrix, npt.NDArray[np.bool_]]]  # words -> vectors, and which have one
Path = str | os.PathLike[str]


class VectorSpace(Protocol):
    """Words and a matrix with one row per word.

    Attributes:
        lexicon: the words and their rows.
        inference: computes vectors of words that have no row, or None.
        metadata: facts that JSON can hold.
        codes: the codes that the vectors were computed from, where they are quantised.
    """

    lexicon: Lexicon
    inference: Inference | None
    metadata: dict[str, Any]
    codes: Codes | None

    @property
    def words(self) -> list[str]:
        """The words in row order."""
        ...

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        ...

    @property
    def vectors(self) -> Matrix:
        """(V, D) the vectors."""
        ...

    @property
    def norms(self) -> Matrix:
        """(V,) the length of each vector."""
        ...

    @property
    def output_vectors(self) -> Matrix | None:
        """(V, D), or wider: the context side of the model, or None."""
        ...

    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """(V,) the count of each word, or None."""
        ...

    @property
    def attributes(self) -> Mapping[str, npt.NDArray[Any]]:
        """(V,) the values of each attribute of the words, by name."""
        ...

    def average(self) -> Matrix:
        """Return the mean of all vectors, (D,) float32."""
        ...

    def get_index(self, key: Any, default: int | None = None) -> Any:
        """Return the row of a word or row number."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...

    def __contains__(self, key: object) -> bool: ...


class SubwordSpace(Protocol):
    """Words whose vectors are composed of rows of their own and of character n-grams."""

    @property
    def known(self) -> VectorSpace:
        """The words that have a row."""
        ...

    @property
    def own(self) -> Matrix | None:
        """(V, D) the words' own rows, or None."""
        ...

    @property
    def ngrams(self) -> NgramRows:
        """The rows of the n-grams."""
        ...

    @property
    def codes(self) -> Codes | None:
        """The codes of all rows, where they are quantised."""
        ...
