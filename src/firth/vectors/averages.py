"""Averages of word vectors: bags of words, smooth inverse frequency weights, the part along a common direction.

Source: Arora, Liang and Ma 2017, A simple but tough-to-beat baseline for sentence embeddings, algorithm 1;
`firth.sentences.averages` has the formulas and computes sentence vectors.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.vectors.cosine import Matrix
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

SMOOTHING = 1e-3  # a, where the paper's results are flat


def word_bags(texts: Sequence[Sequence[str]]) -> tuple[list[str], csr_array]:
    """Return the U distinct words of n texts in order of first use, and (n, U) float32 counts."""
    column_of: dict[str, int] = {}
    columns = [column_of.setdefault(word, len(column_of)) for text in texts for word in text]
    ends = np.cumsum([0, *map(len, texts)])
    shape = len(texts), len(column_of)
    bags = csr_array((np.ones(len(columns), np.float32), np.array(columns, dtype=np.int64), ends), shape=shape)
    bags.sum_duplicates()
    return list(column_of), bags


def smooth_weights(
    vectors: WordVectors | SubwordVectors, rows: npt.NDArray[np.int64], smoothing: float = SMOOTHING
) -> npt.NDArray[np.float64]:
    """Return a / (a + p) per word, where p is its share of the corpus: from counts, else from its rank by Zipf's law.

    Args:
        vectors: vectors with the words' counts or order.
        rows: (U,) row of each word; -1 for a word without a row: p = 0.
    """
    counts = vectors.counts
    if counts is None or not counts.any():
        shares = 1 / np.arange(1, len(vectors.words) + 1)
    else:
        shares = np.asarray(counts, dtype=np.float64)
    p = np.where(rows >= 0, shares[rows], 0) / shares.sum() if len(shares) else np.zeros(len(rows))
    return np.asarray(smoothing / (smoothing + p))


def weighted_averages(
    bags: csr_array, matrix: Matrix, weights: npt.NDArray[np.float64], has_vector: npt.NDArray[np.bool_]
) -> Matrix:
    """Return (1 / n) sum_w weight(w) v(w) of each text over its n known words; zeros for a text without any.

    Args:
        bags: (T, U) word counts of each text.
        matrix: (U, D) vectors, zeros for unknown words.
        weights: (U,).
        has_vector: (U,) mask of the words with a vector.
    """
    lengths = bags @ has_vector.astype(np.float32)
    sums = bags @ np.asarray(matrix * weights[:, None], dtype=np.float32)
    return np.asarray(sums / np.maximum(lengths, 1)[:, None], dtype=np.float32)


def along(averages: Matrix, direction: Matrix) -> Matrix:
    """Return the projection of each average (n, D) on a direction (D,) of length 1, (n, D)."""
    return np.asarray(np.einsum("nd,d->n", averages, direction)[:, None] * direction)
