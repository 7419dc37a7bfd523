"""Fidelity: how well processed vectors (quantised, reduced) preserve the original ones.

What: for a random sample of words, the share of the K nearest neighbours that both sets of vectors have in common
(recall at K) and, if both have the same dimension, the mean cosine of a word's two vectors.

Cost: two searches over all words per sampled word.
"""

from dataclasses import dataclass

import numpy as np

from firth.errors import OptionError, ShapeError
from firth.randomness import generator
from firth.vectors import neighbours
from firth.vectors.cosine import Rows, unit
from firth.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Fidelity:
    """Similarity of two sets of vectors of the same words.

    Attributes:
        recall: share of common nearest neighbours, 0 to 1.
        cosine: mean cosine of a word's two vectors; None if the dimensions differ.
        neighbours: K.
        asked: number of sampled words.
    """

    recall: float
    cosine: float | None
    neighbours: int
    asked: int


def fidelity(before: WordVectors, after: WordVectors, *, k: int = 10, sample: int = 1000, seed: int = 0) -> Fidelity:
    """Measure how well `after` preserves the neighbours and directions of `before`.

    Args:
        before: vectors of V words.
        after: vectors of the same words in the same order.
        k: number of neighbours per word, at most V - 1.
        sample: number of sampled words, at most V.
        seed: seed of the sample.

    Raises:
        ShapeError: the words differ.
        OptionError: there are fewer than two words, or `k` or `sample` is below 1.
    """
    if before.words != after.words:
        raise ShapeError(f"{len(before):,} and {len(after):,} words: expected the same words in the same order")
    if k < 1 or sample < 1 or len(before) < 2:
        raise OptionError(f"k={k}, sample={sample} of {len(before)} words: expected at least 1, 1 and 2")
    rows = np.sort(generator(seed, "fidelity").permutation(len(before))[:sample])
    k = min(k, len(before) - 1)
    old, new = (_nearest(vectors, rows, k) for vectors in (before, after))
    shared = sum(len(np.intersect1d(near_before, near_after)) for near_before, near_after in zip(old, new, strict=True))
    cosine = None
    if before.dim == after.dim:
        left, right = (unit(vectors.vectors[rows].astype(np.float64)) for vectors in (before, after))
        cosine = float(np.einsum("nd,nd->n", left, right).mean())
    return Fidelity(shared / (k * len(rows)), cosine, k, len(rows))


def _nearest(vectors: WordVectors, rows: Rows, k: int) -> list[Rows]:
    """Return the k nearest other rows of each row."""
    near_rows, _ = neighbours.nearest(vectors.vectors, vectors.norms, vectors.vectors[rows], k + 1)
    return [near[near != row][:k] for row, near in zip(rows, near_rows, strict=True)]
