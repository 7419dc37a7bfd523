"""Retrofitting: moves words linked in a lexicon towards each other, but not far from their old vectors.

What: each word in the lexicon repeatedly becomes the mean of its old vector and the vectors of the linked words; all
other words keep their vectors.

Objective: with q_i the new vector of word i, x_i its old one and E the links of the lexicon,

    sum_i [ alpha |q_i - x_i|^2 + sum_{(i,j) in E} beta_ij |q_i - q_j|^2 ],    beta_ij = 1 / degree(i)

minimised by

    q_i = (sum_j beta_ij q_j + alpha x_i) / (sum_j beta_ij + alpha)

Source: Faruqui et al. 2015, "Retrofitting word vectors to semantic lexicons", section 2, equation 1; ten iterations and
alpha = 1 are theirs.

Departures: links go both ways, as in the paper's graph; the authors' program links only the first word of a line to the
others. All words move at once, from the vectors of the previous iteration; the program moves them one by one. The limit
is the same, the order of the words does not matter, and with alpha = 1 each iteration at least halves the remaining
distance.

Cost: 2 E D operations per iteration. Memory: the linked words in double precision.
"""

from collections.abc import Iterable

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError
from firth.postprocess.transforms import Floats, checked_matrix, with_matrix
from firth.postprocess.word_pairs import Pair, WordPairs
from firth.vectors.word_vectors import WordVectors


@explained
def retrofit(vectors: WordVectors, pairs: Iterable[Pair], *, alpha: float = 1.0, iterations: int = 10) -> WordVectors:
    """Move the vectors of similar words towards each other.

    Args:
        vectors: vectors of V words.
        pairs: pairs of similar words, as returned by `read_word_pairs`; pairs with unknown words are only counted.
        alpha: weight of a word's old vector, relative to all its neighbours together.
        iterations: number of iterations.

    Raises:
        OptionError: no pair has two words with vectors, an option is out of its range, or the vectors are built from
            n-grams.
        FormatError: a vector is not finite.
    """
    matrix = checked_matrix(vectors)
    if not 0 < alpha < np.inf:
        raise OptionError(f"alpha={alpha}: expected a number above 0")
    if iterations < 1:
        raise OptionError(f"iterations={iterations}: expected a whole number of at least 1")
    links = WordPairs.of(vectors, pairs, "pairs of similar words")
    if not len(links.rows):
        raise OptionError("no pairs to retrofit to: expected at least one pair of similar words")
    rows, indices = np.unique(links.rows, return_inverse=True)
    result = np.array(matrix)
    result[rows], change = _fit(matrix[rows].astype(np.float64), indices.reshape(-1, 2), alpha, iterations)
    facts = {"alpha": float(alpha), "iterations": iterations, "pairs": links.facts}
    return with_matrix(vectors, result, "retrofit", {**facts, "words_moved": len(rows), "last_change": change})


def _fit(
    old: Floats, links: np.ndarray[tuple[int, ...], np.dtype[np.int64]], alpha: float, iterations: int
) -> tuple[Floats, float]:
    """Return the new vectors, and the largest Euclidean change of one in the last iteration."""
    from scipy.sparse import csr_array

    from_rows, to_rows = np.concatenate([links, links[:, ::-1]]).T
    degree = np.bincount(from_rows, minlength=len(old))
    mean = csr_array((1.0 / degree[from_rows], (from_rows, to_rows)), shape=(len(old), len(old)))
    new, change = old, 0.0
    for _ in range(iterations):
        before = new
        new = (mean @ before + alpha * old) / (1 + alpha)
        change = float(np.sqrt(np.max(np.sum((new - before) ** 2, axis=1))))
    return new, change
