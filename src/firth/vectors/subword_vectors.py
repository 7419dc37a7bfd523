"""Words whose vectors are made of character n-grams: known words answer as ever, unseen ones have vectors too."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, ShapeError
from firth.vectors.codes import Codes, encoded
from firth.vectors.io.save import save_subwords
from firth.vectors.lexicon import Lexicon
from firth.vectors.ngram_rows import NgramRows
from firth.vectors.space import Path
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
        own: (V, D) the rows of the words themselves; None where words have none, as in floret's tables.
        ngrams: the rows of their n-grams.
        codes: where these are quantised, the codes of the words' own rows and behind them of the n-grams'.

    Attributes:
        known: the words, asked without n-grams where they are changed.
        own: as above.
        ngrams: as above.
        codes: as above, or None.

    Raises:
        ShapeError: the rows do not fit each other.
    """

    def __init__(self, known: WordVectors, own: Matrix | None, ngrams: NgramRows, codes: Codes | None = None) -> None:
        shapes = known.vectors.shape, None if own is None else own.shape, ngrams.matrix.shape
        if shapes[1] not in (None, shapes[0]) or ngrams.matrix.shape[1] != known.dim:
            raise ShapeError(
                f"vectors, own rows and rows of n-grams of shapes {shapes}: expected one own row a word, and one width"
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
        **more: Any,
    ) -> "SubwordVectors":
        """Return vectors made of their rows.

        Args:
            words: V words.
            own: (V, D) the rows of the words themselves, or None.
            ngrams: the rows of n-grams.
            codes: of the rows, where they are quantised.
            more: what `WordVectors` takes besides.
        """
        sums, counts, _ = ngrams.sums(words.words if isinstance(words, Lexicon) else words)
        if own is not None:
            sums += own
            counts += 1
        sums /= np.maximum(counts, 1)[:, None].astype(np.float32)
        return cls(WordVectors(words, sums, **more), own, ngrams, codes)

    def infer(self, words: Sequence[str]) -> tuple[Matrix, npt.NDArray[np.bool_]]:
        """Return the vectors that n-grams alone give to words, (W, D), and which of them have any n-gram, (W,).

        Raises:
            FormatError: a row of an n-gram is not finite; a mapped file of fastText's is not read before it is asked.
        """
        sums, counts, known = self.ngrams.sums(words)
        if not np.isfinite(sums).all():
            word = words[int(np.argmin(np.isfinite(sums).all(axis=1)))]
            raise FormatError(f"an n-gram of {word!r} has a row of NaN or infinity: train or fetch the vectors again")
        return sums / np.maximum(counts, 1)[:, None].astype(np.float32), known

    def trainable(self) -> WordVectors:
        """Return the words with their own rows in the place of their vectors: what training goes on from."""
        rows = np.zeros_like(self.vectors) if self.own is None else self.own
        return WordVectors(self.words, rows, counts=self.known.counts, output_vectors=self.known.output_vectors)

    def with_words(self, words: Sequence[str]) -> "SubwordVectors":
        """Return vectors of the same n-grams whose known words are others: those that answers are sought among.

        A table of floret's knows none by itself.

        Args:
            words: V words, each once. Those that are known here keep their vectors.
        """
        own = None
        if self.own is not None:
            # A row that is the mean of the n-grams leaves the mean of all as it is.
            rows = np.array([self.known.get_index(word, -1) for word in words], dtype=np.int64)
            own, _ = self.infer(words)
            own[rows >= 0] = self.own[rows[rows >= 0]]
        return SubwordVectors.composed(words, own, self.ngrams, metadata=self.metadata)

    def first(self, count: int) -> "SubwordVectors":
        """Return the same vectors of which only the first words are known; the others are made of their n-grams.

        Raises:
            OptionError: `count` is below 1.
        """
        known = self.known.first(count)
        own = None if self.own is None else self.own[:count]
        codes = self.codes
        if codes is not None and self.own is not None:
            codes = codes.part(np.r_[: len(known), len(self.own) : codes.shape[0]])
        return SubwordVectors(known, own, self.ngrams, codes)

    def quantise(
        self, kind: str = "product", *, width: int = 2, lengths: bool = True, seed: int = 0
    ) -> "SubwordVectors":
        """Return the same vectors in a fraction of the memory, nearly: their rows as codes of a few bytes.

        With product codes n-grams without a row count for nothing in the mean of a word, where they counted as zeros:
        its direction is the same. Training cannot go on from codes.

        Args:
            kind: "product", which fastText's .ftz files hold too, or "int8", a byte a number.
            width: numbers that a byte of product codes stands for.
            lengths: whether product codes keep the rows' lengths apart, in one byte more a row.
            seed: of the learning of product codes.

        Raises:
            OptionError: there is no such kind, `width` is not between 1 and D, or there are no rows.
        """
        count = 0 if self.own is None else len(self.own)
        rows_used = self.ngrams.without_zeros() if kind == "int8" else self.ngrams
        rows = [rows_used.rows()] if self.own is None else [np.asarray(self.own), rows_used.rows()]
        codes = encoded(np.concatenate(rows), kind, width=width, lengths=lengths, seed=seed)
        pruned = rows_used.pruned if kind == "int8" else rows_used.used is not None
        ngrams = dataclasses.replace(rows_used, matrix=codes.part(slice(count, None)), pruned=pruned)
        more = {"counts": self.known.counts, "metadata": self.metadata}
        own = None if self.own is None else codes.rows(slice(count))
        return SubwordVectors.composed(self.known.lexicon, own, ngrams, codes, **more)

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
        how, rows = self.ngrams.hashing, self.ngrams.matrix.shape[0]
        return f"<SubwordVectors: {len(self):,} words x {self.dim}, {rows:,} n-grams of {how.min_n} to {how.max_n}>"

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

    save = save_subwords

    @classmethod
    def load(cls, path: Path, **options: Any) -> "SubwordVectors":
        """Load vectors with subwords: a folder, a fastText model or a floret file; see `firth.load`.

        Raises:
            OptionError: the path holds something else.
        """
        import firth  # whose public names include this class

        vectors = firth.load(path, **options)
        if not isinstance(vectors, SubwordVectors):
            raise OptionError(f"{path} holds {type(vectors).__name__}, expected vectors with subwords; use firth.load")
        return vectors
