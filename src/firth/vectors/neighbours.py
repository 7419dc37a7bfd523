"""Exact nearest neighbours by blocked matrix products: the one place where a whole vocabulary is compared.

Letters: V words, D width, B queries, R rows of a block, k neighbours. A block's (B, R) scores are all that is held
beside the vectors: the matrix is never copied whole, whether it lies in memory or is mapped from a file, in half,
single or double precision.
"""

import numpy as np

from firth.errors import FormatError
from firth.vectors.cosine import Matrix, Rows, Scorer, cosine_scorer, unit

BATCH = 1024  # queries compared at once
SCORES = 2**21  # scores of a block: 8 MB, which stay in the cache between the product and the search
CONVERTED = 2**14  # rows of half precision that are widened at once
# Rounding first (`firth.vectors.rounded`) pays from so many comparisons, in multiplications; queries; rows; numbers a
# row; and up to so many neighbours:
WORTH, FEW, SCREENED, NARROWEST, MOST = 4 * 10**9, 64, 2**14, 16, 256


def all_scores(score: Scorer, batch: int, start: int, end: int, block: int) -> Matrix:
    """Return every score of every query.

    Returns:
        (B, end - start) float32.
    """
    scores = np.empty((batch, max(end - start, 0)), dtype=np.float32)
    for low in range(start, end, block):
        high = min(low + block, end)
        scores[:, low - start : high - start] = score(low, high)
    return scores


def best_rows(score: Scorer, batch: int, k: int, start: int, end: int, block: int) -> tuple[Rows, Matrix]:
    """Return the k rows of highest score for each query, best first, the lower row first among equals.

    A query's k-th best score so far is its floor. Only the rows of later blocks that beat the floor are kept, unsorted,
    until there are enough of them to be worth merging, so that nearly all of the time goes into the scores themselves.

    Returns:
        (B, k) rows and (B, k) scores, where k is at most end - start.
    """
    k = max(min(k, end - start), 0)
    best = _Best(batch, k)
    for low in range(start, end, block) if k else ():
        best.offer(score(low, min(low + block, end)), low)
    return best.result()


class _Best:
    """The k best rows of each query among the blocks offered so far."""

    def __init__(self, batch: int, k: int) -> None:
        self._batch, self._k = batch, k
        self._floor: Matrix = np.empty(0)
        self._kept: list[tuple[Rows, Rows, Matrix]] = []  # (queries, rows, scores) of equal lengths
        self._fresh = 0

    def offer(self, scores: Matrix, first_row: int) -> None:
        if not self._kept:
            self._floor = self._first_floor(scores)
        beating = np.flatnonzero(scores > self._floor[:, None])  # faster than nonzero, which divides for every score
        queries, columns = np.divmod(beating, scores.shape[1])
        self._kept.append((queries, columns + first_row, scores.ravel()[beating]))
        self._fresh += len(beating)
        if self._fresh >= self._batch * self._k:
            self._merge()

    def _first_floor(self, scores: Matrix) -> Matrix:
        """Return what the k-th best scores of the first block beat; equals stay in, for the merge to order by row."""
        if scores.shape[1] <= self._k:
            return np.full(self._batch, -np.inf, dtype=scores.dtype)
        kth = np.partition(scores, -self._k, axis=1)[:, -self._k]
        return np.asarray(np.nextafter(kth, np.asarray(-np.inf, dtype=kth.dtype)))

    def _merge(self) -> None:
        queries, rows, scores = (np.concatenate(parts) for parts in zip(*self._kept, strict=True))
        order = np.lexsort((rows, -scores, queries))
        queries, rows, scores = queries[order], rows[order], scores[order]
        rank = np.arange(len(queries)) - np.searchsorted(queries, queries)  # among the rows of the same query
        self._kept = [(queries[rank < self._k], rows[rank < self._k], scores[rank < self._k])]
        self._floor[queries[rank == self._k - 1]] = scores[rank == self._k - 1]
        self._fresh = 0

    def result(self) -> tuple[Rows, Matrix]:
        if not self._kept:
            return np.empty((self._batch, 0), dtype=np.int64), np.empty((self._batch, 0), dtype=np.float32)
        self._merge()
        _, rows, scores = self._kept[0]
        return rows.reshape(self._batch, -1), scores.reshape(self._batch, -1)


def block_rows(batch: int, vectors: Matrix) -> int:
    """Return how many rows to score at once for `batch` queries."""
    rows = max(SCORES // max(batch, 1), BATCH)
    return min(rows, CONVERTED) if vectors.dtype == np.float16 else rows


def nearest(
    vectors: Matrix, norms: Matrix, queries: Matrix, k: int, *, start: int = 0, end: int | None = None
) -> tuple[Rows, Matrix]:
    """Return the k rows of highest cosine with each query, best first, the lower row first among equals.

    Args:
        vectors: (V, D), in memory or mapped from a file.
        norms: (V,) lengths of the rows, as `row_norms` gives them.
        queries: (B, D), of any length; they are brought to length 1.
        end: the row after the last to search; None means V.

    Returns:
        (B, k) int64 rows and (B, k) cosines, where k is at most the number of rows searched.

    Raises:
        FormatError: a query holds NaN or infinity.
    """
    end = len(vectors) if end is None else min(end, len(vectors))
    queries = unit(np.asarray(queries)).astype(norms.dtype, copy=False)
    if not np.isfinite(queries).all():
        row = int(np.argmin(np.isfinite(queries).all(axis=1)))
        raise FormatError(f"query vector {row} holds NaN or infinity: expected finite numbers")
    result = _screened(vectors, norms, queries, k, start, end)
    if result is not None:
        return result
    parts = []
    for low in range(0, len(queries), BATCH):
        batch = queries[low : low + BATCH]
        score = cosine_scorer(vectors, norms, batch)
        parts.append(best_rows(score, len(batch), k, start, end, block_rows(len(batch), vectors)))
    if not parts:
        return np.empty((0, 0), dtype=np.int64), np.empty((0, 0), dtype=norms.dtype)
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([scores for _, scores in parts])


def _screened(
    vectors: Matrix, norms: Matrix, queries: Matrix, k: int, start: int, end: int
) -> tuple[Rows, Matrix] | None:
    """The same answers sooner, where there are enough comparisons for rounding and compiled code to pay."""
    work = len(queries) * (end - start) * vectors.shape[1]
    suited = norms.dtype == np.float32 and vectors.shape[1] >= NARROWEST and 0 < k <= MOST and end - start >= SCREENED
    if not suited or len(queries) < FEW or work < WORTH:
        return None
    nonzero = queries.any(axis=1)  # a query of zeros is equally like all rows
    if not nonzero.any():
        return None
    from firth.vectors.rounded import nearest_rounded  # brings a compiler along

    result = nearest_rounded(vectors, norms, queries[nonzero], k, start, end)
    if result is None or nonzero.all():
        return result
    rows, scores = np.tile(np.arange(start, start + k), (len(queries), 1)), np.zeros((len(queries), k), norms.dtype)
    rows[nonzero], scores[nonzero] = result
    return rows, scores


def cosines(vectors: Matrix, norms: Matrix, queries: Matrix, *, start: int = 0, end: int | None = None) -> Matrix:
    """Return the cosine of each query with each row.

    Args:
        vectors: (V, D), in memory or mapped from a file.
        norms: (V,) lengths of the rows, as `row_norms` gives them.
        queries: (B, D), of any length; they are brought to length 1.
        end: the row after the last; None means V.

    Returns:
        (B, end - start) float32.
    """
    end = len(vectors) if end is None else min(end, len(vectors))
    queries = unit(np.asarray(queries)).astype(norms.dtype, copy=False)
    score = cosine_scorer(vectors, norms, queries)
    return all_scores(score, len(queries), start, end, block_rows(len(queries), vectors))
