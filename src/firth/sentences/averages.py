"""Sentence vectors as averages of word vectors: plain means, or smooth inverse frequency (SIF).

What: "mean" is the mean of the vectors of a sentence's known words. "sif" gives frequent words less weight and removes
the direction that the averages of many texts share.

Objective: over the n words w of a sentence that have a vector v(w),

    mean   (1 / n) sum_w v(w)
    sif    u - c (c . u),   u = (1 / n) sum_w  a / (a + p(w))  v(w),   a = 1e-3

where p(w) is the word's share of the corpus. c, the common direction, is the first right singular vector of the matrix
of the u of many texts.

Source: Arora, Liang and Ma 2017, A simple but tough-to-beat baseline for sentence embeddings, algorithm 1.

Departures:
- Without counts, p(w) = 1 / (r H), with r the rank of the word's row and H the sum of all 1 / r (Zipf's law): vector
  files usually begin with the most frequent word. For words with a vector from n-grams alone, p = 0.
- The paper computes c from the test texts, all at once. Here c can be learned from other texts and saved, so that the
  vector of a text does not depend on the other texts.
- With fewer than `FEWEST_TEXTS` different texts, c is not removed: it would hold the content of those texts. With one
  text, c is that text; with two, the results are opposite to each other.

As in the paper, the averages are not centred first.

Cost: T D for T words; c needs the D x D product of the averages.
"""

import copy
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from firth.arguments import explained, names_files
from firth.errors import FormatError, OptionError, ShapeError, brief, brief_repr, warn_caller
from firth.loading import load as load_vectors
from firth.options import check_kind, check_path
from firth.progress import Progress
from firth.sentences.word_rows import LineAverages, WordRows
from firth.storage.files import as_path
from firth.storage.snapshots import snapshot
from firth.text.batches import TextsWarning, encoded_in_batches
from firth.text.inputs import Text, check_items, token_lists
from firth.text.tokenise import encode, is_compiled, is_named, tokeniser
from firth.text.word_rules import NAME
from firth.vectors.averages import SMOOTHING, along, smooth_weights
from firth.vectors.cosine import Matrix
from firth.vectors.io import sentence_transformers
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Weighting = Literal["mean", "sif"]
WEIGHTINGS: tuple[Weighting, ...] = ("mean", "sif")
MANY = 0.1  # a larger share of texts without a known word raises a warning
FEWEST_TEXTS = 100  # different texts needed for a common direction
KEY = "sentences"  # key of the settings in the vectors' metadata
BATCH = 10_000  # texts averaged at once
COMPILED = 1 << 20  # characters of a batch that are worth the start of the compiler


@dataclass(frozen=True, eq=False)
class SentenceAverages:
    """Sentence encoder that averages word vectors: `learn` creates one, `encode` applies it.

    Attributes:
        vectors: word vectors. Unknown words are skipped, unless subwords give them a vector.
        weighting: "mean", or "sif" (smooth inverse frequency).
        smoothing: the paper's a; words more frequent than this share of the corpus lose more than half their weight.
        tokens: tokenisation of strings, as in `Corpus.build`; by default the one that the vectors were trained with,
            where they know it.
        direction: (D,) common direction of length 1, removed from each average; None removes nothing.

    Raises:
        OptionError: `weighting` or `tokens` is invalid, or `smoothing` is not above 0.
        ShapeError: the direction and the vectors differ in width.

    Source:
        Arora, Liang and Ma 2017, algorithm 1; the module's docstring has the formulas and departures.
    """

    vectors: WordVectors | SubwordVectors
    weighting: Weighting = "sif"
    smoothing: float = SMOOTHING
    tokens: Any = None
    direction: Matrix | None = None

    __repr__ = brief_repr

    def __post_init__(self) -> None:
        check_kind("vectors", self.vectors, WordVectors, SubwordVectors)
        if self.weighting not in WEIGHTINGS:
            raise OptionError(f"weighting={self.weighting!r}: expected one of {', '.join(WEIGHTINGS)}")
        if not self.smoothing > 0:
            raise OptionError(f"smoothing={self.smoothing}: expected a number above 0")
        if self.tokens is None:
            object.__setattr__(self, "tokens", self.vectors.lexicon.tokens or NAME)
        tokeniser(self.tokens)
        if self.direction is not None and self.direction.shape != (self.vectors.dim,):
            raise ShapeError(f"direction of shape {self.direction.shape}, expected ({self.vectors.dim},)")

    @classmethod
    @explained
    def learn(
        cls,
        vectors: WordVectors | SubwordVectors,
        texts: Iterable[Text],
        *,
        smoothing: float = SMOOTHING,
        tokens: Any = None,
    ) -> "SentenceAverages":
        """Learn the common direction of the SIF averages of many texts.

        Args:
            vectors: word vectors; word frequencies come from their counts, else from their order.
            texts: strings or lists of tokens, or a corpus, read once. The direction depends on the kind of text: use
                texts like those to be encoded. If there are too few, a warning is given and nothing is removed.
            smoothing: the paper's a.
            tokens: tokenisation of strings.

        Raises:
            OptionError: `tokens` is invalid, or `smoothing` is not above 0.
        """
        plain = cls(vectors, smoothing=smoothing, tokens=tokens)
        direction = shared_direction(plain.encode(batch) for batch in _batches(texts))
        return cls(vectors, smoothing=smoothing, tokens=tokens, direction=direction)

    @classmethod
    def from_metadata(cls, vectors: WordVectors | SubwordVectors) -> "SentenceAverages | None":
        """Return the encoder that `save` wrote into the metadata of these vectors, or None.

        Raises:
            FormatError: the metadata is damaged.
        """
        settings = vectors.metadata.get(KEY)
        if settings is None:
            return None
        try:
            direction = None if settings["direction"] is None else np.array(settings["direction"], dtype=np.float32)
            if direction is not None and not abs(float(np.linalg.norm(direction)) - 1) < 1e-3:
                raise ValueError("a direction that is not of length 1")
            return cls(vectors, settings["weighting"], float(settings["smoothing"]), settings["tokens"], direction)
        except (KeyError, TypeError, ValueError) as error:  # OptionError and ShapeError are ValueErrors, too
            raise FormatError(f"metadata {KEY!r} is damaged ({error}); learn the direction again") from error

    @classmethod
    @names_files
    def load(cls, path: str | os.PathLike[str]) -> "SentenceAverages":
        """Load the encoder from a folder that `save` wrote, or from any static embedding of sentence-transformers.

        The latter splits texts by its own tokenizer, and the vector of a text is the mean of its tokens' vectors.

        Raises:
            FormatError: the folder is damaged, or holds word vectors alone.
            MissingExtraError: texts are split by a tokenizer of others, and the tokenizers library is not installed.
            OSError: the folder cannot be read.
        """
        check_path(path)
        return snapshot(as_path(path), lambda _: cls._read(path))

    @classmethod
    def _read(cls, path: str | os.PathLike[str]) -> "SentenceAverages":
        vectors = load_vectors(path)
        if isinstance(vectors, WordVectors) and sentence_transformers.is_folder(as_path(path)):
            return cls(vectors, "mean", tokens=sentence_transformers.tokens_of(as_path(path), vectors.words))
        averages = cls.from_metadata(vectors) if isinstance(vectors, WordVectors | SubwordVectors) else None
        if averages is None:
            raise FormatError(
                f"{path}: found {type(vectors).__name__} alone, expected a folder that SentenceAverages.save wrote"
            )
        return averages

    def save(self, path: str | os.PathLike[str], format: Literal["firth", "sentence-transformers"] = "firth") -> None:
        """Save word vectors and encoder to a folder.

        Args:
            path: the folder.
            format: "firth", which `firth.load` opens as word vectors, or "sentence-transformers", which
                `SentenceTransformer(path)` opens; it gives the same vectors of texts, except that words with a vector
                from n-grams alone count for nothing.

        Raises:
            OptionError: `tokens` is a function, which cannot be saved; or the folder has other content; or there is no
                such format.
            OSError: the folder cannot be written.
        """
        if format not in ("firth", "sentence-transformers"):
            raise OptionError(f"format={brief(format)}: expected firth or sentence-transformers")
        if not is_named(self.tokens):
            raise OptionError(
                f"tokens={brief(self.tokens)}: only tokenisers with a name can be saved; split the texts yourself"
            )
        if format == "sentence-transformers":
            self._save_rows(as_path(path))
            return
        direction = None if self.direction is None else self.direction.tolist()
        settings = {
            "weighting": self.weighting,
            "smoothing": self.smoothing,
            "tokens": self.tokens,
            "direction": direction,
        }
        with_metadata(self.vectors, settings).save(path)

    def _save_rows(self, path: Path) -> None:
        """Write a row per word so that the plain mean of rows is the vector of a text."""
        space = self.vectors
        if isinstance(space, SubwordVectors):
            warn_caller(
                f"{path}: sentence-transformers has no place for n-grams; words outside the vocabulary are ignored"
            )
            space = space.known
        rows = np.asarray(space.vectors, dtype=np.float64)
        description = "the mean of the vectors of its words"
        if self.weighting == "sif":
            rows = rows * smooth_weights(space, np.arange(len(rows)), self.smoothing)[:, None]
            description += ", weighted by smooth inverse frequency"
        if self.direction is not None:
            direction = self.direction.astype(np.float64)
            rows = rows - (rows @ direction)[:, None] * direction
            description += ", without the direction that texts share"
        sentence_transformers.check(path)
        sentence_transformers.write_rows(space.words, rows, self.tokens, path, description)

    @property
    def dim(self) -> int:
        """D, the width of the vectors."""
        return self.vectors.dim

    @explained
    def encode(self, texts: Sequence[Text], *, batch_size: int | None = None, progress: Progress = None) -> Matrix:
        """Return one vector per text.

        Args:
            texts: n texts, each a string or its tokens.
            batch_size: texts that are averaged at once; None for 10,000.

        Returns:
            (n, D) float32; zeros for a text without a known word, with a warning if there are many.

        Raises:
            OptionError: `texts` is one string, or `batch_size` is below 1.
        """
        unknown, split = 0, tokeniser(self.tokens)
        rows = cache(self._rows)
        lines: LineAverages | None = None

        def average(batch: list[Text]) -> Matrix:
            nonlocal unknown, lines
            strings = all(isinstance(text, str) for text in batch)
            if strings and is_compiled(self.tokens) and sum(map(len, batch)) > COMPILED:
                lines = lines or self.line_averages()
                assert lines is not None
                averages, without = lines.averages(*as_lines(batch))
            else:
                averages, without = rows(split=strings).averages(token_lists(batch, split))
            unknown += without
            return averages

        size = BATCH if batch_size is None else batch_size
        averages = encoded_in_batches(texts, average, self.dim, model=self, batch_size=size, progress=progress)
        self.warn_unknown(unknown, len(averages))
        return averages

    def warn_unknown(self, unknown: int, total: int) -> None:
        """Warn the caller if many of the encoded texts have no known word."""
        if unknown > MANY * total:
            warn_caller(TextsWarning(unknown, total, "have no known word: their vectors are zero"))

    def line_averages(self) -> LineAverages | None:
        """Return what encodes lines of bytes with compiled code; None if the tokeniser is not a built-in one."""
        return LineAverages(partial(self._rows, split=True), self.tokens) if is_compiled(self.tokens) else None

    def _rows(self, *, split: bool) -> WordRows:
        """Return the rows of words that `tokens` split from strings, or of any others."""
        smoothing = self.smoothing if self.weighting == "sif" else None
        exact = split and self.vectors.lexicon.is_made_by(self.tokens)
        return WordRows(self.vectors, smoothing, self.direction, exact=exact)


@explained
def sentence_vectors(
    vectors: WordVectors | SubwordVectors,
    texts: Sequence[Text],
    *,
    weighting: Weighting = "sif",
    like: Iterable[Text] | None = None,
    tokens: Any = None,
    smoothing: float | None = None,
) -> Matrix:
    """Return one vector per text: the average of its word vectors; see `SentenceAverages`.

    Args:
        vectors: word vectors.
        texts: n texts, each a string or its tokens.
        weighting: "mean", or "sif" (smooth inverse frequency).
        like: for "sif", the texts from which the common direction is learned, for example the training texts of a
            classifier. None: the direction saved with the vectors (`SentenceAverages.save`), else that of `texts`
            themselves. If there are too few texts, a warning is given and nothing is removed.
        tokens: tokenisation of strings, as in `Corpus.build`; by default the one that the vectors were trained with.
        smoothing: the paper's a; default: the value saved with the vectors, else 1e-3.

    Returns:
        (n, D) float32; zeros for a text without a known word.

    Raises:
        OptionError: `weighting` or `tokens` is invalid, `smoothing` is not above 0, or `texts` is one string.
    """
    check_kind("vectors", vectors, WordVectors, SubwordVectors)
    settings = None if weighting != "sif" or like is not None else SentenceAverages.from_metadata(vectors)
    a = smoothing if smoothing is not None else SMOOTHING if settings is None else settings.smoothing
    plain = SentenceAverages(vectors, weighting, a, tokens)
    if settings is not None and settings.weighting == "sif" and a == settings.smoothing:
        return SentenceAverages(vectors, weighting, a, tokens, settings.direction).encode(texts)
    averages = plain.encode(texts)
    if weighting == "mean" or not len(averages):
        return averages
    direction = shared_direction([averages] if like is None else map(plain.encode, _batches(like)))
    return averages if direction is None else averages - along(averages, direction)


def shared_direction(averages: Iterable[Matrix]) -> Matrix | None:
    """Return the common direction (D,) of batches of averages, (n, D) each; None and a warning if they are too few."""
    products: Any = 0.0
    different: set[bytes] = set()
    for batch in averages:
        products = products + (batch.T @ batch).astype(np.float64)
        rows = iter(batch[batch.any(axis=1)])
        while len(different) < FEWEST_TEXTS and (row := next(rows, None)) is not None:
            different.add(row.tobytes())
    if len(different) < FEWEST_TEXTS:
        warn_caller(
            f"no common direction is removed: {len(different)} different texts with known words are too few to learn "
            f"it; learn it from {FEWEST_TEXTS} or more, with SentenceAverages.learn or like=, or use weighting='mean'"
        )
        return None
    return np.asarray(np.linalg.eigh(products)[1][:, -1], dtype=np.float32)


def with_metadata(vectors: Any, settings: dict[str, Any]) -> Any:
    """Return a shallow copy of the vectors with these settings in its metadata."""
    if isinstance(vectors, SubwordVectors):
        words = with_metadata(vectors.known, settings)
        return SubwordVectors(words, vectors.own, vectors.ngrams, vectors.codes)
    other = copy.copy(vectors)
    other.metadata = {**vectors.metadata, KEY: settings}
    return other


def _batches(texts: Iterable[Text]) -> Iterator[list[Text]]:
    remaining = iter(check_items(texts))
    while batch := list(itertools.islice(remaining, BATCH)):
        yield batch


def as_lines(batch: Sequence[Any]) -> tuple[bytes, int]:
    """Return strings as lines of bytes, and their number; a line feed inside a text separates words like a space."""
    return encode("".join(text.replace("\n", " ") + "\n" for text in batch)), len(batch)
