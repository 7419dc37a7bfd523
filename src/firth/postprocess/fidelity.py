"""How much of vectors is left in what was made of them: quantised ones, narrower ones.

What: of some words drawn at random, the share of the K nearest neighbours that are the same in both (recall at K), and
where both have one width, the mean cosine of a word's two vectors.

Cost: two searches over all words for the words drawn.
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
    """How alike two sets of vectors of the same words are.

    Attributes:
        recall: share of the nearest neighbours that are the same, 0 to 1.
        cosine: mean cosine of a word's two vectors; None where they have different widths.
        neighbours: K.
        asked: how many words were looked at.
    """

    recall: float
    cosine: float | None
    neighbours: int
    asked: int


def fidelity(before: WordVectors, after: WordVectors, *, k: int = 10, sample: int = 1000, seed: int = 0) -> Fidelity:
    """Return how alike two sets of vectors of the same words are.

    Args:
        before: V words.
        after: the same words in the same order.
        k: neighbours of a word; where there are fewer other words, these.
        sample: words drawn; where there are fewer, all.
        seed: of the draw.

    Raises:
        ShapeError: the words are not the same.
        OptionError: there are fewer than two words, or `k` or `sample` is below 1.
    """
    if before.words != after.words:
        raise ShapeError(f"{len(before):,} and {len(after):,} words: expected the same words in the same order")
    if k < 1 or sample < 1 or len(before) < 2:
        raise OptionError(f"k={k}, sample={sample} of {len(before)} words: expected at least 1, 1 and 2")
    rows = np.sort(generator(seed, "fidelity").permutation(len(before))[:sample])
    k = min(k, len(before) - 1)
    old, new = (_nearest(vectors, rows, k) for vectors in (before, after))
    shared = sum(len(np.intersect1d(one, other)) for one, other in zip(old, new, strict=True))
    cosine = None
    if before.dim == after.dim:
        one, other = (unit(vectors.vectors[rows].astype(np.float64)) for vectors in (before, after))
        cosine = float(np.einsum("nd,nd->n", one, other).mean())
    return Fidelity(shared / (k * len(rows)), cosine, k, len(rows))


def _nearest(vectors: WordVectors, rows: Rows, k: int) -> list[Rows]:
    """Return the k nearest other rows of each row."""
    found, _ = neighbours.nearest(vectors.vectors, vectors.norms, vectors.vectors[rows], k + 1)
    return [near[near != row][:k] for row, near in zip(rows, found, strict=True)]
