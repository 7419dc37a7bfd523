"""A vector for a sentence: the average of its words' vectors, plain or weighted against what is common.

What: "mean" is the mean of the vectors of a sentence's known words. "sif", smooth inverse frequency, weights each word
down the more frequent it is, and takes the direction out that the averages share.

Objective: over the n words w of a sentence that have a vector v(w),

    mean   (1 / n) sum_w v(w)
    sif    u - c (c . u),   u = (1 / n) sum_w  a / (a + p(w))  v(w),   a = 1e-3

where p(w) is the word's share of the corpus and c the first right singular vector of the matrix of all u.

Source: Arora, Liang and Ma 2017, A simple but tough-to-beat baseline for sentence embeddings, algorithm 1.

Departures: where the vectors have no counts, p(w) = 1 / (r H), r the rank of the word's row and H the sum of all 1 / r
(Zipf's law): files of vectors begin with the most frequent word, as a rule. Words whose vector is made up of n-grams
count as p = 0. The averages are not centred before c is sought, as in the paper.

Cost: T D for T words; c takes the D by D product of the averages.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.errors import OptionError
from firth.text.tokenise import tokeniser
from firth.vectors.neighbours import Matrix
from firth.vectors.queries import gather, rows_of
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Weighting = Literal["mean", "sif"]
WEIGHTINGS: tuple[Weighting, ...] = ("mean", "sif")
SMOOTHING = 1e-3  # a, where the paper's results are flat
Text = str | Sequence[str]


def sentence_vectors(
    vectors: WordVectors | SubwordVectors,
    texts: Sequence[Text],
    *,
    weighting: Weighting = "sif",
    like: Sequence[Text] | None = None,
    tokens: Any = "unicode",
    smoothing: float = SMOOTHING,
) -> Matrix:
    """Return a vector for each text: the average of its words' vectors.

    Args:
        vectors: of the words. Words without one are passed over, unless it can be made of their n-grams.
        texts: n texts, each a string or its tokens.
        weighting: "mean", or "sif" (smooth inverse frequency).
        like: for "sif", the texts whose common direction is taken out: those that a classifier was trained on, when
            others are judged by it. None: `texts` themselves, which should then be a hundred or more.
        tokens: what a token of a string is, as in `Corpus.build`; the rule that the vectors were trained with.
        smoothing: the paper's a; words more frequent than this share of the corpus lose more than half their weight.

    Returns:
        (n, D) float32; zeros for a text without a known word.

    Raises:
        OptionError: `weighting` or `tokens` is none, or `smoothing` is not above 0.
    """
    if weighting not in WEIGHTINGS:
        raise OptionError(f"weighting={weighting!r}: expected one of {', '.join(WEIGHTINGS)}")
    if not smoothing > 0:
        raise OptionError(f"smoothing={smoothing}: expected a number above 0")
    split = tokeniser(tokens)
    own, others = ([split(one) if isinstance(one, str) else one for one in some] for some in (texts, like or ()))
    words, bags = word_bags([*own, *others])
    space = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    matrix = gather(space, words, "skip")
    known = np.asarray(~np.isnan(matrix).any(axis=1))
    weights = np.ones(len(words))
    if weighting == "sif":
        weights = smooth_weights(space, rows_of(space, words), smoothing)
    averages = weighted_averages(bags, np.where(known[:, None], matrix, 0), weights, known)
    if weighting == "sif" and len(averages):
        averages -= along(averages, common_direction(averages[len(own) :] if like else averages))
    return averages[: len(own)]


def word_bags(texts: Sequence[Sequence[str]]) -> tuple[list[str], csr_array]:
    """Return the different words of texts, and how often each stands in each.

    Args:
        texts: n lists of tokens.

    Returns:
        U words in the order in which they come, and (n, U) float32 counts.
    """
    places: dict[str, int] = {}
    columns = [places.setdefault(word, len(places)) for text in texts for word in text]
    ends = np.cumsum([0, *map(len, texts)])
    shape = len(texts), len(places)
    bags = csr_array((np.ones(len(columns), np.float32), np.array(columns, dtype=np.int64), ends), shape=shape)
    bags.sum_duplicates()
    return list(places), bags


def smooth_weights(
    vectors: WordVectors | SubwordVectors, rows: npt.NDArray[np.int64], smoothing: float = SMOOTHING
) -> npt.NDArray[np.float64]:
    """Return a / (a + p) of words, p their share of the corpus: by counts, else by Zipf's law of their ranks.

    Args:
        vectors: whose words they are.
        rows: (U,) the row of each, or -1 for a word without one, whose p is 0.
        smoothing: a.
    """
    counts = vectors.counts
    if counts is None or not counts.any():
        shares = 1 / np.arange(1, len(vectors.words) + 1)
    else:
        shares = np.asarray(counts, dtype=np.float64)
    p = np.where(rows >= 0, shares[rows], 0) / shares.sum() if len(shares) else np.zeros(len(rows))
    return np.asarray(smoothing / (smoothing + p))


def weighted_averages(
    bags: csr_array, matrix: Matrix, weights: npt.NDArray[np.float64], known: npt.NDArray[np.bool_]
) -> Matrix:
    """Return (1 / n) sum_w weight(w) v(w) of each text over its n known words; zeros where there are none.

    Args:
        bags: (T, U) how often each word stands in each text.
        matrix: (U, D) vectors, zeros for unknown words.
        weights: (U,).
        known: (U,) which words have a vector.
    """
    lengths = bags @ known.astype(np.float32)
    sums = bags @ np.asarray(matrix * weights[:, None], dtype=np.float32)
    return np.asarray(sums / np.maximum(lengths, 1)[:, None], dtype=np.float32)


def common_direction(averages: Matrix) -> Matrix:
    """Return the first right singular vector of averages, (D,).

    Args:
        averages: (n, D).
    """
    _, axes = np.linalg.eigh((averages.T @ averages).astype(np.float64))
    return np.asarray(axes[:, -1], dtype=np.float32)


def along(averages: Matrix, direction: Matrix) -> Matrix:
    """Return the part of each average that lies along a direction, to be taken from it, (n, D).

    Args:
        averages: (n, D).
        direction: (D,) of length 1.
    """
    return np.asarray(np.einsum("nd,d->n", averages, direction)[:, None] * direction)
