"""Word vectors composed of character n-grams, so that unknown words have vectors, too."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.errors import FormatError, ShapeError
from firth.vectors.character_ngrams import NgramRows
from firth.vectors.codes import Codes, encoded
from firth.vectors.html import table
from firth.vectors.io.formats import save_subwords
from firth.vectors.io.table import LoadArguments
from firth.vectors.lexicon import Lexicon
from firth.vectors.space import Path
from firth.vectors.word_vectors import WordVectors

Matrix = npt.NDArray[Any]
# Methods that change words or vectors but not their n-grams.
CHANGES = (
    "add_vector",
    "add_vectors",
    "fill_norms",
    "set_vecattr",
    "sort_by_descending_frequency",
    "unit_normalize_all",
)


class SubwordVectors:
    """Word vectors with the n-gram rows that they are composed of.

    All queries of `WordVectors` work here, with the same names and arguments: `most_similar`, `similarity`, `analogy`,
    `doesnt_match` and the others. The vector of an unknown word is the mean of its n-gram rows; answers are known
    words. Methods that change words or vectors are in `vectors.known`.

    Args:
        known: V words with their vectors, each the mean of its own row and its n-gram rows.
        own: (V, D) rows of the words themselves; None if words have none, as in floret's tables.
        ngrams: rows of the n-grams.
        codes: for quantised rows, the codes of the words' own rows followed by those of the n-grams.

    Attributes:
        known: the known words as `WordVectors`.
        codes: as above, or None.

    Raises:
        ShapeError: the rows do not fit each other.
    """

    def __init__(self, known: WordVectors, own: Matrix | None, ngrams: NgramRows, codes: Codes | None = None) -> None:
        shapes = known.vectors.shape, None if own is None else own.shape, ngrams.matrix.shape
        if shapes[1] not in (None, shapes[0]) or ngrams.matrix.shape[1] != known.dim:
            raise ShapeError(
                f"vectors, own rows and n-gram rows of shapes {shapes}: expected one own row per word, and equal widths"
            )
        self.own, self.ngrams, self.codes = own, ngrams, codes
        self.known = known
        known.inference = self.infer

    @classmethod
    def composed(
        cls,
        words: Sequence[str] | Lexicon,
        own: Matrix | None,
        ngrams: NgramRows,
        codes: Codes | None = None,
        *,
        counts: npt.ArrayLike | None = None,
        output_vectors: npt.ArrayLike | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> "SubwordVectors":
        """Return vectors composed of their rows.

        Args:
            words: V words.
            own: (V, D) rows of the words themselves, or None.
            ngrams: rows of the n-grams.
            codes: codes of the rows if they are quantised.
            counts, output_vectors, metadata: as for `WordVectors`.
        """
        sums, parts, _ = ngrams.sums(words.words if isinstance(words, Lexicon) else words)
        if own is not None:
            sums += own
            parts += 1
        sums /= np.maximum(parts, 1)[:, None].astype(np.float32)
        composed_words = WordVectors(words, sums, counts=counts, output_vectors=output_vectors, metadata=metadata)
        return cls(composed_words, own, ngrams, codes)

    def infer(self, words: Sequence[str]) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the vectors of words from n-grams alone, (W, D), and a mask of the words with any n-gram, (W,).

        Raises:
            FormatError: an n-gram row is not finite. Rows of a mapped fastText file are first checked here.
        """
        sums, counts, mask = self.ngrams.sums(words)
        if not np.isfinite(sums).all():
            word = words[int(np.argmin(np.isfinite(sums).all(axis=1)))]
            raise FormatError(f"an n-gram row of {word!r} holds NaN or infinity: train or fetch the vectors again")
        return sums / np.maximum(counts, 1)[:, None].astype(np.float32), mask

    def trainable(self) -> WordVectors:
        """Return word vectors of the words' own rows, from which training continues."""
        rows = np.zeros_like(self.vectors) if self.own is None else self.own
        return WordVectors(self.words, rows, counts=self.known.counts, output_vectors=self.known.output_vectors)

    def with_words(self, words: Sequence[str]) -> "SubwordVectors":
        """Return vectors with the same n-grams and other known words, which are the candidates of queries.

        A floret table has no known words at first.

        Args:
            words: V distinct words. Words that are known here keep their vectors.
        """
        own = None
        if self.own is not None:
            # An own row that is the mean of the n-gram rows does not change the mean of all.
            rows = np.array([self.known.get_index(word, -1) for word in words], dtype=np.int64)
            own, _ = self.infer(words)
            own[rows >= 0] = self.own[rows[rows >= 0]]
        return SubwordVectors.composed(words, own, self.ngrams, metadata=self.metadata)

    def first(self, count: int) -> "SubwordVectors":
        """Return the vectors with only the first words known; vectors of the others come from their n-grams.

        Raises:
            OptionError: `count` is below 1.
        """
        kept = self.known.first(count)
        own = None if self.own is None else self.own[:count]
        codes = self.codes
        if codes is not None and self.own is not None:
            codes = codes.part(np.r_[: len(kept), len(self.own) : codes.shape[0]])
        return SubwordVectors(kept, own, self.ngrams, codes)

    def quantise(
        self, kind: str = "product", *, width: int = 2, lengths: bool = True, seed: int = 0
    ) -> "SubwordVectors":
        """Return approximate vectors in a fraction of the memory: rows are stored as codes of a few bytes.

        With product codes, n-grams without a row are left out of a word's mean instead of counting as zeros; its
        direction stays the same. Training cannot continue from codes.

        Args:
            kind: "product", as in fastText's .ftz files, or "int8", one byte per number.
            width: numbers per byte of product codes.
            lengths: store row lengths separately with product codes, in one more byte per row.
            seed: seed of the learning of product codes.

        Raises:
            OptionError: `kind` is invalid, `width` is not between 1 and D, or there are no rows.
        """
        count = 0 if self.own is None else len(self.own)
        rows_used = self.ngrams.without_zeros() if kind == "int8" else self.ngrams
        rows = [rows_used.rows()] if self.own is None else [np.asarray(self.own), rows_used.rows()]
        codes = encoded(np.concatenate(rows), kind, width=width, lengths=lengths, seed=seed)
        pruned = rows_used.pruned if kind == "int8" else rows_used.used is not None
        ngrams = dataclasses.replace(rows_used, matrix=codes.part(slice(count, None)), pruned=pruned)
        own = None if self.own is None else codes.rows(slice(count))
        return SubwordVectors.composed(
            self.known.lexicon, own, ngrams, codes, counts=self.known.counts, metadata=self.metadata
        )

    def __getattr__(self, name: str) -> Any:
        # Called for names that this class lacks: the queries of word vectors.
        if name.startswith("_") or name == "known":
            raise AttributeError(name)
        if name in CHANGES:
            raise AttributeError(
                f"{name} would change vectors but not their n-grams; use it on vectors.known, or a copy"
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
        h, rows = self.ngrams.hashing, self.ngrams.matrix.shape[0]
        return f"<SubwordVectors: {len(self):,} words x {self.dim}, {rows:,} n-grams of {h.min_n} to {h.max_n}>"

    def _repr_html_(self) -> str:
        hashing = self.ngrams.hashing
        return table(self.known, more=f"; unknown words from n-grams of {hashing.min_n} to {hashing.max_n} characters")

    @property
    def words(self) -> list[str]:
        """The known words, one per row."""
        return self.known.words

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.known.dim

    @property
    def vectors(self) -> Matrix:
        """(V, D) vectors of the known words."""
        return self.known.vectors

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts that are saved with the vectors, serialisable as JSON."""
        return self.known.metadata

    save = save_subwords

    @classmethod
    def load(cls, path: Path, **options: Unpack[LoadArguments]) -> "SubwordVectors":
        """Load vectors with subwords: a folder, a fastText model or a floret file; see `firth.load`.

        Raises:
            OptionError: the file has other content.
        """
        vectors: SubwordVectors = registry.resolve(registry.LOAD)(path, SubwordVectors, **options)
        return vectors
