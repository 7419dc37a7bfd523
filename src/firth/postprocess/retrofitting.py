"""Retrofitting: words that a lexicon ties together move towards each other, and not far from where they were.

What: every word that stands in the lexicon becomes the mean of its old vector and of the words it is tied to, again and
again; all others stay as they are.

Objective: with q_i the new vector of word i, x_i its old one and E the ties,

    sum_i [ alpha |q_i - x_i|^2 + sum_{(i,j) in E} beta_ij |q_i - q_j|^2 ],    beta_ij = 1 / degree(i)

made small by

    q_i = (sum_j beta_ij q_j + alpha x_i) / (sum_j beta_ij + alpha)

Source: Faruqui et al. 2015, "Retrofitting word vectors to semantic lexicons", section 2, equation 1; ten iterations and
alpha = 1 are theirs.

Departures: ties go both ways, as in the paper's graph; the authors' program ties only the first word of a line to the
others. All words move at once, from the vectors of the round before, where the program moves one after the other: the
limit is the same, the order of the words does not count, and with alpha = 1 each round halves what is left at least.

Cost: 2 E D operations a round; the tied words in double precision.
"""

from collections.abc import Iterable

import numpy as np

from firth.errors import OptionError
from firth.postprocess.recorded import Floats, matrix_of, remade
from firth.postprocess.word_pairs import Pair, WordPairs
from firth.vectors.word_vectors import WordVectors


def retrofit(vectors: WordVectors, pairs: Iterable[Pair], *, alpha: float = 1.0, iterations: int = 10) -> WordVectors:
    """Return vectors that a lexicon of like words has drawn together.

    Args:
        vectors: V words.
        pairs: of words that are alike, such as `read_word_pairs` reads; those with unknown words are counted.
        alpha: weight of a word's old vector beside all its neighbours together.
        iterations: rounds.

    Raises:
        OptionError: no pair has two words with vectors, an option is out of its range, or the vectors are made of
            n-grams.
        FormatError: a vector is not finite.
    """
    matrix = matrix_of(vectors)
    if not 0 < alpha < np.inf:
        raise OptionError(f"alpha={alpha}: expected a number above 0")
    if iterations < 1:
        raise OptionError(f"iterations={iterations}: expected a whole number of at least 1")
    ties = WordPairs.of(vectors, pairs, "pairs of like words")
    if not len(ties.rows):
        raise OptionError("no pairs to retrofit to: expected at least one pair of like words")
    rows, places = np.unique(ties.rows, return_inverse=True)
    made = np.array(matrix)
    moved, change = _rounds(matrix[rows].astype(np.float64), places.reshape(-1, 2), alpha, iterations)
    made[rows] = moved
    facts = {"alpha": float(alpha), "iterations": iterations, "pairs": ties.facts}
    return remade(vectors, made, "retrofit", {**facts, "words_moved": len(rows), "last_change": change})


def _rounds(
    old: Floats, ties: np.ndarray[tuple[int, ...], np.dtype[np.int64]], alpha: float, iterations: int
) -> tuple[Floats, float]:
    """Return the new vectors, and how far the furthest moved in the last round."""
    from scipy.sparse import csr_array

    one, other = np.concatenate([ties, ties[:, ::-1]]).T
    degree = np.bincount(one, minlength=len(old))
    mean = csr_array((1.0 / degree[one], (one, other)), shape=(len(old), len(old)))
    new, change = old, 0.0
    for _ in range(iterations):
        before = new
        new = (mean @ before + alpha * old) / (1 + alpha)
        change = float(np.sqrt(np.max(np.sum((new - before) ** 2, axis=1))))
    return new, change
