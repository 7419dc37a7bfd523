"""Cosines: lengths of vectors, vectors scaled to length 1, products with the rows of a matrix.

Letters: V words, D width, B queries, R rows of a block.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError

Matrix = npt.NDArray[np.floating[Any]]
Rows = npt.NDArray[np.int64]

Scorer = Callable[[int, int], Matrix]  # (start, end) -> (B, end - start) scores, which the next call may overwrite

NORMED = 2**13  # rows whose squares are in memory at once


def widened(block: Matrix) -> Matrix:
    """Return a block of rows in a precision that matrix products are fast in: half becomes single, others stay."""
    return block.astype(np.float32) if block.dtype == np.float16 else block


def row_norms(vectors: Matrix) -> Matrix:
    """Return the Euclidean length of every row.

    Args:
        vectors: (V, D).

    Returns:
        (V,) float32, or float64 for float64 vectors.

    Raises:
        FormatError: a row holds NaN or infinity.
    """
    norms: Matrix = np.empty(len(vectors), dtype=np.float64 if vectors.dtype == np.float64 else np.float32)
    for start in range(0, len(vectors), NORMED):
        norms[start : start + NORMED] = np.linalg.norm(widened(vectors[start : start + NORMED]), axis=1)
    if not np.isfinite(norms).all():
        row = int(np.flatnonzero(~np.isfinite(norms))[0])
        raise FormatError(
            f"vector {row} has the length {norms[row]}, expected a finite one: train or load the vectors anew"
        )
    return norms


def inverse(norms: Matrix) -> Matrix:
    """Return 1 / norm, and 0 for a zero vector, which is then like nothing (cosine 0) instead of NaN."""
    inverses: Matrix = np.zeros(norms.shape, dtype=norms.dtype)
    np.divide(1.0, norms, out=inverses, where=norms > 0)
    return inverses


def unit(rows: Matrix) -> Matrix:
    """Return rows scaled to length 1; zero rows stay zero.

    Args:
        rows: (..., D).
    """
    rows = widened(rows)
    return np.asarray(rows * inverse(np.linalg.norm(rows, axis=-1, keepdims=True)))


def cosine_scorer(vectors: Matrix, norms: Matrix, queries: Matrix) -> Scorer:
    """Return a function that gives the cosines of all queries with a block of rows.

    Args:
        vectors: (V, D).
        norms: (V,) lengths of the rows.
        queries: (B, D), of length 1.
    """
    scale = inverse(norms)
    scratch = np.empty(0, dtype=norms.dtype)

    def score(start: int, end: int) -> Matrix:
        nonlocal scratch
        size = len(queries) * (end - start)
        if len(scratch) < size:
            scratch = np.empty(size, dtype=norms.dtype)
        scores = scratch[:size].reshape(len(queries), end - start)
        rows = widened(vectors[start:end])
        if len(queries) > rows.shape[1]:  # fewer numbers in the rows than in the scores
            return np.matmul(queries, (rows * scale[start:end, None]).T, out=scores)  # (B, R)
        np.matmul(queries, rows.T, out=scores)
        scores *= scale[start:end]
        return scores

    return score
