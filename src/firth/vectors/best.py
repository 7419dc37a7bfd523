"""The k best rows of each query among all that were offered."""

from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.floating[Any]]
Rows = npt.NDArray[np.int64]


class Best:
    """Keeps the best rows, the lower row first among equals.

    A query's k-th best score so far is its floor. Only what beats the floor is kept, unsorted, until there is enough of
    it to be worth merging, so that nearly all of the time goes into the scores themselves. Rows must be offered in
    their order: of a later row with an equal score nothing is kept.

    Args:
        batch: B queries.
        k: rows wanted.
        floor: (B,) scores that the best are known to beat; none means that the first block offered says.
    """

    def __init__(self, batch: int, k: int, floor: Matrix | None = None) -> None:
        self._batch, self._k = batch, k
        self._floor = floor
        self._kept: list[tuple[Rows, Rows, Matrix]] = []  # (queries, rows, scores) of equal lengths
        self._fresh = 0

    @property
    def floor(self) -> Matrix:
        """(B,) the scores that are to be beaten."""
        return np.full(self._batch, -np.inf) if self._floor is None else self._floor

    def offer(self, scores: Matrix, first_row: int) -> None:
        """Take the scores (B, R) of R rows, of which the first is given."""
        if self._floor is None:
            self._floor = self._first_floor(scores)
        found = np.flatnonzero(scores > self._floor[:, None])  # far faster than nonzero, which divides for every score
        queries, columns = np.divmod(found, scores.shape[1])
        self.add(queries, columns + first_row, scores.ravel()[found])

    def add(self, queries: Rows, rows: Rows, scores: Matrix) -> None:
        """Take some pairs of query and row with their scores."""
        self._kept.append((queries, rows, scores))
        self._fresh += len(queries)
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
        place = np.arange(len(queries)) - np.searchsorted(queries, queries)  # among the rows of the same query
        self._kept = [(queries[place < self._k], rows[place < self._k], scores[place < self._k])]
        if self._floor is not None:
            self._floor[queries[place == self._k - 1]] = scores[place == self._k - 1]
        self._fresh = 0

    def kept(self) -> tuple[Rows, Rows, Matrix]:
        """Return (queries, rows, scores) of what is kept: at most k of each query, sorted by query and place."""
        if not self._kept:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        self._merge()
        return self._kept[0]

    def result(self) -> tuple[Rows, Matrix]:
        """Return the rows and scores, (B, k) each, best first; every query must have as many."""
        _, rows, scores = self.kept()
        return rows.reshape(self._batch, -1), scores.reshape(self._batch, -1)
