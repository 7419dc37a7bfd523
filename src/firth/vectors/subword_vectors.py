"""Words whose vectors are made of character n-grams: known words answer as ever, unseen ones have vectors too."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, ShapeError
from firth.vectors.ngram_rows import NgramRows
from firth.vectors.word_vectors import WordVectors

Matrix = npt.NDArray[Any]
# What changes words or vectors would leave the n-grams that they are made of behind.
CHANGES = (
    "add_vector",
    "add_vectors",
    "fill_norms",
    "set_vecattr",
    "sort_by_descending_frequency",
    "unit_normalize_all",
)


class SubwordVectors:
    """Word vectors and the rows of the n-grams that they are made of.

    Every question that `WordVectors` answers is answered here, by the same names and with the same arguments:
    `most_similar`, `similarity`, `analogy`, `doesnt_match` and the others. A word that is not among the known ones
    takes part with the mean of its n-grams' rows; answers are known words. What changes words or vectors is not here:
    `vectors.known` has it.

    Args:
        known: V words with their vectors, each the mean of its own row and those of its n-grams.
        own: (V, D) the rows of the words themselves.
        ngrams: the rows of their n-grams.

    Attributes:
        known: the words, asked without n-grams where they are changed.
        own: as above.
        ngrams: as above.

    Raises:
        ShapeError: the rows do not fit each other.
    """

    def __init__(self, known: WordVectors, own: Matrix, ngrams: NgramRows) -> None:
        if own.shape != known.vectors.shape or ngrams.matrix.shape[1] != known.dim:
            raise ShapeError(
                f"own rows {own.shape} and rows of n-grams {ngrams.matrix.shape} for vectors {known.vectors.shape}: "
                "expected one own row a word, and all of one width"
            )
        self.own, self.ngrams = own, ngrams
        self.known = known
        known.inference = self.infer

    @classmethod
    def composed(cls, words: Sequence[str], own: Matrix, ngrams: NgramRows, **more: Any) -> "SubwordVectors":
        """Return vectors made of their rows.

        Args:
            words: V words.
            own: (V, D) the rows of the words themselves.
            ngrams: the rows of n-grams.
            more: what `WordVectors` takes besides.
        """
        sums, counts, _ = ngrams.sums(words)
        sums += own
        sums /= (counts + 1)[:, None].astype(np.float32)
        return cls(WordVectors(words, sums, **more), own, ngrams)

    def infer(self, words: Sequence[str]) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the vectors that n-grams alone give to words, (W, D), and which of them have any n-gram, (W,)."""
        sums, counts, known = self.ngrams.sums(words)
        return sums / np.maximum(counts, 1)[:, None].astype(np.float32), known

    def trainable(self) -> WordVectors:
        """Return the words with their own rows in the place of their vectors: what training goes on from."""
        return WordVectors(self.words, self.own, counts=self.known.counts, output_vectors=self.known.output_vectors)

    def __getattr__(self, name: str) -> Any:
        # Only what is not found here comes here: the questions of word vectors, by their names.
        if name.startswith("_") or name == "known":
            raise AttributeError(name)
        if name in CHANGES:
            raise AttributeError(
                f"{name} would part the vectors from their n-grams; use it on vectors.known, or a copy"
            )
        return getattr(self.known, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.known)} - set(CHANGES))

    def __len__(self) -> int:
        return len(self.known)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __contains__(self, key: object) -> bool:
        return key in self.known

    def __getitem__(self, key: Any) -> Matrix:
        return self.known[key]

    def __repr__(self) -> str:
        n, rows = self.ngrams, self.ngrams.matrix.shape[0]
        return f"<SubwordVectors: {len(self):,} words x {self.dim}, {rows:,} n-grams of {n.min_n} to {n.max_n}>"

    def _repr_html_(self) -> str:
        return self.known._repr_html_()

    @property
    def words(self) -> list[str]:
        """The known words, row by row."""
        return self.known.words

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.known.dim

    @property
    def vectors(self) -> Matrix:
        """(V, D) the vectors of the known words."""
        return self.known.vectors

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts that are kept with the vectors, which JSON can hold."""
        return self.known.metadata

    def save(self, path: str | os.PathLike[str], **how: Any) -> None:
        """Write the vectors as a folder that `firth.load` maps, or in another format; see `firth.vectors.io.save`."""
        from firth.vectors import io

        io.save(self, path, **how)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **how: Any) -> "SubwordVectors":
        """Read vectors from a folder of firth's, a fastText model or a floret file; see `firth.vectors.io.load`.

        Raises:
            OptionError: the path holds something else.
        """
        from firth.vectors import io

        found = io.load(path, **how)
        if not isinstance(found, SubwordVectors):
            raise OptionError(f"{path} holds {type(found).__name__}, expected vectors with subwords; use firth.load")
        return found
