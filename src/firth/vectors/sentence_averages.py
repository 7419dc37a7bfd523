"""A vector for a sentence: the average of its words' vectors, plain or weighted against what is common.

What: "mean" is the mean of the vectors of a sentence's known words. "sif", smooth inverse frequency, weights each word
down the more frequent it is, and takes out the direction that averages share, which is learned once, from many texts.

Objective: over the n words w of a sentence that have a vector v(w),

    mean   (1 / n) sum_w v(w)
    sif    u - c (c . u),   u = (1 / n) sum_w  a / (a + p(w))  v(w),   a = 1e-3

where p(w) is the word's share of the corpus and c the first right singular vector of the matrix of the u of all texts
that it is learned from.

Source: Arora, Liang and Ma 2017, A simple but tough-to-beat baseline for sentence embeddings, algorithm 1.

Departures:
- Where the vectors have no counts, p(w) = 1 / (r H), r the rank of the word's row and H the sum of all 1 / r (Zipf's
  law): files of vectors begin with the most frequent word, as a rule. Words whose vector is made up of n-grams count as
  p = 0.
- The paper takes c of the texts that are judged, and its program needs all of them at once. Here c can be learned from
  other texts and kept, so that the vector of a text does not depend on its neighbours.
- c of fewer than `FEWEST_TEXTS` different texts is not taken out. It would hold what those texts say, and not what all
  texts share: of one text it is the text itself, of two the vectors left are opposite to each other. Of 100 random
  texts of STS-B and SICK (vectors of Wikipedia, D = 100, 20 draws) c has a cosine of .94 at least with that of all
  texts, of 50 texts down to .69, of 10 down to .08.

The averages are not centred before c is sought, as in the paper.

Cost: T D for T words; c takes the D by D product of the averages.
"""

import copy
import itertools
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from firth.errors import FormatError, OptionError, ShapeError, brief
from firth.options import check_kind
from firth.text.inputs import Text, check_items, token_lists
from firth.text.tokenise import is_named, tokeniser
from firth.vectors.averages import SMOOTHING, along, smooth_weights, weighted_averages, word_bags
from firth.vectors.cosine import Matrix
from firth.vectors.io.load import load as load_vectors
from firth.vectors.queries import gather, rows_of
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Weighting = Literal["mean", "sif"]
WEIGHTINGS: tuple[Weighting, ...] = ("mean", "sif")
MANY = 0.1  # share of texts without a known word above which something is wrong with all of them
FEWEST_TEXTS = 100  # different texts that a common direction is learned from
KEY = "sentences"  # of the vectors' metadata, where what was learned is kept
BATCH = 10_000  # texts that are averaged at once, while a direction is learned


@dataclass(frozen=True, eq=False)
class SentenceAverages:
    """Vectors of sentences from vectors of words: `SentenceAverages.learn` makes one, `encode` uses it.

    Attributes:
        vectors: of the words. Words without one are passed over, unless it can be made of their n-grams.
        weighting: "mean", or "sif" (smooth inverse frequency).
        smoothing: the paper's a; words more frequent than this share of the corpus lose more than half their weight.
        tokens: what a token of a string is, as in `Corpus.build`; the rule that the vectors were trained with.
        direction: (D,) of length 1: what is taken out of each average; None takes nothing out.

    Raises:
        OptionError: `weighting` or `tokens` is none, or `smoothing` is not above 0.
        ShapeError: the direction has another width than the vectors.

    Source:
        Arora, Liang and Ma 2017, algorithm 1; the module's docstring gives the formulas and every departure.
    """

    vectors: WordVectors | SubwordVectors
    weighting: Weighting = "sif"
    smoothing: float = SMOOTHING
    tokens: Any = "unicode"
    direction: Matrix | None = None

    def __post_init__(self) -> None:
        check_kind("vectors", self.vectors, WordVectors, SubwordVectors)
        if self.weighting not in WEIGHTINGS:
            raise OptionError(f"weighting={self.weighting!r}: expected one of {', '.join(WEIGHTINGS)}")
        if not self.smoothing > 0:
            raise OptionError(f"smoothing={self.smoothing}: expected a number above 0")
        tokeniser(self.tokens)
        if self.direction is not None and self.direction.shape != (self.vectors.dim,):
            raise ShapeError(f"direction of shape {self.direction.shape}, expected ({self.vectors.dim},)")

    @classmethod
    def learn(
        cls,
        vectors: WordVectors | SubwordVectors,
        texts: Iterable[Text],
        *,
        smoothing: float = SMOOTHING,
        tokens: Any = "unicode",
    ) -> "SentenceAverages":
        """Learn the direction that averages share.

        Args:
            vectors: of the words; their counts, or their order, say how frequent each is.
            texts: strings or lists of tokens like those that will be encoded, for the direction depends on the kind of
                text; a corpus, too. Gone through once. A warning says where they are too few; nothing is taken out
                then.
            smoothing: the paper's a.
            tokens: what a token of a string is.

        Raises:
            OptionError: `tokens` is none, or `smoothing` is not above 0.
        """
        plain = cls(vectors, smoothing=smoothing, tokens=tokens)
        direction = shared_direction(plain.encode(batch) for batch in _batches(texts))
        return cls(vectors, smoothing=smoothing, tokens=tokens, direction=direction)

    @classmethod
    def kept_in(cls, vectors: WordVectors | SubwordVectors) -> "SentenceAverages | None":
        """Return what `save` kept beside vectors that were loaded, or None.

        Raises:
            FormatError: it is damaged.
        """
        settings = vectors.metadata.get(KEY)
        if settings is None:
            return None
        try:
            direction = None if settings["direction"] is None else np.array(settings["direction"], dtype=np.float32)
            if direction is not None and not abs(float(np.linalg.norm(direction)) - 1) < 1e-3:
                raise ValueError("a direction that is not of length 1")
            return cls(vectors, settings["weighting"], float(settings["smoothing"]), settings["tokens"], direction)
        except (KeyError, TypeError, ValueError) as error:  # wrong options and shapes are ValueErrors, too
            raise FormatError(f"metadata {KEY!r} is damaged ({error}); learn the sentences' direction again") from error

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "SentenceAverages":
        """Open what `save` wrote.

        Args:
            path: the folder.

        Raises:
            FormatError: it is damaged, or holds vectors of words alone.
            OSError: it cannot be read.
        """
        vectors = load_vectors(path)
        averages = cls.kept_in(vectors) if isinstance(vectors, WordVectors | SubwordVectors) else None
        if averages is None:
            raise FormatError(
                f"{path}: expected what SentenceAverages.save wrote, found {type(vectors).__name__} alone"
            )
        return averages

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the words' vectors with what was learned to a folder, which `firth.load` opens as vectors of words.

        Args:
            path: the folder.

        Raises:
            OptionError: `tokens` is a function, which no file holds; or the folder is of something else.
            OSError: the folder cannot be written.
        """
        if not is_named(self.tokens):
            raise OptionError(
                f"tokens={brief(self.tokens)}: only rules with a name can be saved; split the texts yourself"
            )
        direction = None if self.direction is None else self.direction.tolist()
        settings = {
            "weighting": self.weighting,
            "smoothing": self.smoothing,
            "tokens": self.tokens,
            "direction": direction,
        }
        with_metadata(self.vectors, settings).save(path)

    def encode(self, texts: Sequence[Text]) -> Matrix:
        """Return a vector for each text.

        Args:
            texts: n texts, each a string or its tokens.

        Returns:
            (n, D) float32; zeros for a text without a known word, and a warning where those are many.

        Raises:
            OptionError: `texts` is one string.
        """
        words, bags = word_bags(token_lists(texts, tokeniser(self.tokens)))
        space = self.vectors.known if isinstance(self.vectors, SubwordVectors) else self.vectors
        matrix = gather(space, words, "skip")
        known = np.asarray(~np.isnan(matrix).any(axis=1))
        weights = np.ones(len(words))
        if self.weighting == "sif":
            weights = smooth_weights(space, rows_of(space, words), self.smoothing)
        lost = (bags @ known.astype(np.float32) == 0) & (np.diff(bags.indptr) > 0)  # of an empty text nothing is missed
        unknown = int(np.count_nonzero(lost))
        if unknown > MANY * bags.shape[0]:
            warnings.warn(
                f"{unknown:,} of {bags.shape[0]:,} texts hold no word that has a vector: their vectors are zero",
                stacklevel=3,
            )
        averages = weighted_averages(bags, np.where(known[:, None], matrix, 0), weights, known)
        return averages if self.direction is None else averages - along(averages, self.direction)


def sentence_vectors(
    vectors: WordVectors | SubwordVectors,
    texts: Sequence[Text],
    *,
    weighting: Weighting = "sif",
    like: Iterable[Text] | None = None,
    tokens: Any = "unicode",
    smoothing: float | None = None,
) -> Matrix:
    """Return a vector for each text: the average of its words' vectors; see `SentenceAverages`.

    Args:
        vectors: of the words.
        texts: n texts, each a string or its tokens.
        weighting: "mean", or "sif" (smooth inverse frequency).
        like: for "sif", the texts whose common direction is taken out: those that a classifier was trained on, when
            others are judged by it. None: the direction that is kept with the vectors (`SentenceAverages.save`), else
            that of `texts` themselves. A warning says where they are too few for one.
        tokens: what a token of a string is, as in `Corpus.build`; the rule that the vectors were trained with.
        smoothing: the paper's a; by default that which is kept with the vectors, else 1e-3.

    Returns:
        (n, D) float32; zeros for a text without a known word.

    Raises:
        OptionError: `weighting` or `tokens` is none, `smoothing` is not above 0, or `texts` is one string.
    """
    check_kind("vectors", vectors, WordVectors, SubwordVectors)
    settings = None if weighting != "sif" or like is not None else SentenceAverages.kept_in(vectors)
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
    """Return the direction that averages of many texts share, (D,); None and a warning where they are too few.

    Args:
        averages: (n, D) each.
    """
    products: Any = 0.0
    different: set[bytes] = set()
    for some in averages:
        products = products + (some.T @ some).astype(np.float64)
        rows = iter(some[some.any(axis=1)])
        while len(different) < FEWEST_TEXTS and (row := next(rows, None)) is not None:
            different.add(row.tobytes())
    if len(different) < FEWEST_TEXTS:
        warnings.warn(
            f"too few different texts with known words ({len(different)}) to separate what all texts share from what "
            f"these say, so no common direction is removed; learn it from {FEWEST_TEXTS} or more, with "
            "SentenceAverages.learn or like=, or use weighting='mean'",
            stacklevel=3,
        )
        return None
    return np.asarray(np.linalg.eigh(products)[1][:, -1], dtype=np.float32)


def with_metadata(vectors: Any, settings: dict[str, Any]) -> Any:
    """Return vectors with something more in their metadata; the given ones stay as they are."""
    if isinstance(vectors, SubwordVectors):
        known = with_metadata(vectors.known, settings)
        return SubwordVectors(known, vectors.own, vectors.ngrams, vectors.codes)
    other = copy.copy(vectors)
    other.metadata = {**vectors.metadata, KEY: settings}
    return other


def _batches(texts: Iterable[Text]) -> Iterator[list[Text]]:
    left = iter(check_items(texts))
    while some := list(itertools.islice(left, BATCH)):
        yield some
