"""Averages of words' vectors: bags of words, weights by smooth inverse frequency, the direction that averages share.

Source: Arora, Liang and Ma 2017, A simple but tough-to-beat baseline for sentence embeddings, algorithm 1;
`firth.vectors.sentence_averages` has the formulas and makes vectors of sentences with these.
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


def along(averages: Matrix, direction: Matrix) -> Matrix:
    """Return the part of each average that lies along a direction, to be taken from it, (n, D).

    Args:
        averages: (n, D).
        direction: (D,) of length 1.
    """
    return np.asarray(np.einsum("nd,d->n", averages, direction)[:, None] * direction)
