"""Analogies: A is to B as C is to which word?

Objective:
    3CosAdd   argmax_d  cos(d, b - a + c), each word's vector brought to length 1 first
    3CosMul   argmax_d  cos'(d, b) cos'(d, c) / (cos'(d, a) + epsilon),  cos' = (1 + cos) / 2, epsilon = 1e-6

Source:
    3CosAdd: Mikolov, Yih and Zweig 2013, "Linguistic regularities in continuous space word representations", section 4.
    3CosMul: Levy and Goldberg 2014, "Linguistic regularities in sparse and explicit word representations", equation 4;
    there epsilon is 0.001, gensim has 1e-6, and so have we.

3CosAdd is an ordinary nearest-neighbour query and lives in `neighbours`; this file has the product.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.errors import OptionError
from firth.vectors.cosine import Matrix, Rows, Scorer, inverse, unit, widened
from firth.vectors.neighbours import BATCH, all_scores, best_rows, block_rows
from firth.vectors.queries import Query, as_vector, gather, has_vector, is_key
from firth.vectors.space import VectorSpace

EPSILON = 1e-6


def product_scorer(vectors: Matrix, norms: Matrix, positive: Matrix, negative: Matrix) -> Scorer:
    """Return a function that gives the 3CosMul scores of a block of rows.

    Args:
        vectors: (V, D).
        norms: (V,) lengths of the rows.
        positive: (B, P, D) terms to be like, of length 1.
        negative: (B, N, D) terms to be unlike, of length 1.
    """
    batch, likes, dim = positive.shape
    terms = np.concatenate([positive, negative], axis=1)
    flat = terms.reshape(-1, dim).astype(norms.dtype)
    scale = inverse(norms)

    def score(start: int, end: int) -> Matrix:
        cosines = flat @ widened(vectors[start:end]).T * scale[start:end]
        shifted = ((1 + cosines) / 2).reshape(batch, -1, end - start)  # (B, P + N, R)
        return np.asarray(shifted[:, :likes].prod(axis=1) / (shifted[:, likes:].prod(axis=1) + EPSILON))

    return score


def product_scores(space: VectorSpace, queries: Sequence[Query], end: int, unknown: str) -> Matrix:
    """Return the 3CosMul score of every query with every one of the first words.

    Returns:
        (B, end) float32; NaN for a query whose words were all skipped.
    """
    scores = np.full((len(queries), end), np.nan, dtype=np.float32)
    for positions, scorer in _scorers(space, queries, unknown):
        scores[positions] = all_scores(scorer, len(positions), 0, end, block_rows(len(positions), space.vectors))
    return scores


def product_nearest(
    space: VectorSpace, queries: Sequence[Query], k: int, end: int, unknown: str
) -> tuple[Rows, Matrix]:
    """Return the k rows of highest 3CosMul score among the first words, best first.

    Returns:
        (B, k) rows and (B, k) scores; scores of NaN for a query whose words were all skipped.
    """
    k = max(min(k, end), 0)
    rows = np.zeros((len(queries), k), dtype=np.int64)
    scores = np.full((len(queries), k), np.nan, dtype=np.float32)
    for positions, scorer in _scorers(space, queries, unknown):
        block = block_rows(len(positions) * len(queries[positions[0]].terms), space.vectors)
        rows[positions], scores[positions] = best_rows(scorer, len(positions), k, 0, end, block)
    return rows, scores


def _scorers(space: VectorSpace, queries: Sequence[Query], unknown: str) -> list[tuple[list[int], Scorer]]:
    """Return scorers of queries of equal shape with their places in the batch; queries of skipped words have none."""
    shapes: dict[tuple[int, int], list[tuple[int, Matrix]]] = defaultdict(list)
    for position, query in enumerate(queries):
        terms, likes = _terms(space, query, unknown)
        if len(terms):
            shapes[likes, len(terms)].append((position, terms))
    scorers = []
    for (likes, _), members in shapes.items():
        for low in range(0, len(members), BATCH):
            batch = members[low : low + BATCH]
            matrix = np.stack([terms for _, terms in batch])  # (B, P + N, D)
            scorer = product_scorer(space.vectors, space.norms, matrix[:, :likes], matrix[:, likes:])
            scorers.append(([position for position, _ in batch], scorer))
    return scorers


def _terms(space: VectorSpace, query: Query, unknown: str) -> tuple[Matrix, int]:
    """Return a query's terms, the positive ones first, and how many of them are positive."""
    if any(abs(weight) != 1 for weight in query.weights):
        raise OptionError(f"weights {list(query.weights)} in a product of cosines: expected words without weights")
    positive = [term for term, weight in zip(query.terms, query.weights, strict=True) if weight > 0]
    if not positive:
        raise OptionError("a product of cosines without positive words: expected at least one")
    negative = [term for term, weight in zip(query.terms, query.weights, strict=True) if weight < 0]
    likes, unlikes = (_rows(space, side, unknown) for side in (positive, negative))
    return np.concatenate([likes, unlikes]), len(likes)


def _rows(space: VectorSpace, terms: Sequence[Any], unknown: str) -> Matrix:
    """Return terms as rows: keys by direction, vectors as they are; skipped words are left out."""
    rows = []
    for term in terms:
        if not is_key(term):
            rows.append(as_vector(space, term))
        elif unknown != "skip" or has_vector(space, term):
            rows.append(unit(gather(space, [term], unknown))[0])
    return np.array(rows).reshape(len(rows), space.dim)
