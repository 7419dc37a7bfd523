"""Exact search as an index: every point is compared with every query (`firth.vectors.neighbours`).

With `csls`, answers are ranked by CSLS (`firth.vectors.csls`) in place of the cosine; the surroundings of all points
are found once, when the index is built, by as many comparisons as there are pairs of points.
"""

import numpy as np

from firth.vectors.cosine import Matrix
from firth.vectors.csls import ranked, surroundings
from firth.vectors.index.options import ExactOptions
from firth.vectors.index.results import Points, SearchResults, Tensors
from firth.vectors.neighbours import nearest


class ExactSearch:
    """Compares everything.

    Args:
        points: what is searched.
        around: (V,) the surroundings of every point where CSLS ranks, else None.
        options: the choices.

    Attributes:
        options: the same.
    """

    def __init__(self, points: Points, around: Matrix | None, options: ExactOptions) -> None:
        self._points, self._around, self.options = points, around, options

    @classmethod
    def build(cls, points: Points, options: ExactOptions) -> "ExactSearch":
        """Return the index of some points."""
        vectors = points.vectors
        around = None if options.csls is None else surroundings(vectors, vectors, options.csls, own=True)
        return cls(points, around, options)

    @classmethod
    def damage_of(cls, points: Points, options: ExactOptions, tensors: Tensors) -> str:
        """Return what is wrong with the arrays of a file, or "" where they may be searched."""
        around, size = tensors.get("around"), len(points.vectors)
        if (options.csls is None) != (around is None):
            return f"csls={options.csls} and arrays {list(tensors)}"
        if around is not None and (around.shape != (size,) or not (np.abs(around) <= 1 + SAME).all()):
            return f"surroundings of shape {around.shape}; expected {size:,} cosines"
        return ""

    @classmethod
    def restore(cls, points: Points, options: ExactOptions, tensors: Tensors) -> "ExactSearch":
        """Return the index that the arrays of a file describe."""
        return cls(points, tensors.get("around"), options)

    def tensors(self) -> Tensors:
        """Return what was computed when the index was built."""
        return {} if self._around is None else {"around": self._around}

    def search(self, queries: Matrix, k: int) -> SearchResults:
        """Return the neighbours of queries (B, D)."""
        vectors, norms = self._points.vectors, self._points.norms
        if self._around is None or self.options.csls is None:
            rows, scores = nearest(vectors, norms, queries, k)
        else:
            around = self._around_queries(queries, self.options.csls)
            rows, scores = ranked(vectors, norms, self._around, queries, around, k)
        return SearchResults(rows, scores, np.full(len(queries), len(vectors), dtype=np.int64))

    def _around_queries(self, queries: Matrix, count: int) -> Matrix:
        # The same for all answers of a query: it moves their scores and not their order. A query that is one of the
        # points has itself among its neighbours, at cosine 1, which is left out as it is for the points.
        _, cosines = nearest(self._points.vectors, self._points.norms, queries, count + 1)
        itself = cosines[:, :1] > 1 - SAME
        return np.asarray(np.where(itself[:, 0], cosines[:, 1:].mean(axis=1), cosines[:, :count].mean(axis=1)))


SAME = 1e-6  # a cosine so near to 1 is that of a vector with itself
