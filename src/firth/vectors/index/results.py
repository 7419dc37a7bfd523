"""Points to search, results of a search, and the interface of every kind of index."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.vectors.cosine import Matrix, Rows
from firth.vectors.index.options import IndexOptions

Tensors = Mapping[str, npt.NDArray[Any]]
NO_ROW = -1  # the row where there is no neighbour


@dataclass(frozen=True)
class Points:
    """The vectors to search.

    Attributes:
        vectors: (V, D) float32, float16 or float64, in memory or mapped from a file.
        norms: (V,) lengths of the rows.
    """

    vectors: Matrix
    norms: Matrix


@dataclass(frozen=True)
class SearchResults:
    """Neighbours as rows.

    Attributes:
        rows: (B, k) int64, best first, the lower row first among equals; -1 where there are fewer.
        scores: (B, k) cosines, or CSLS; NaN where there are fewer.
        scanned: (B,) number of points compared with each query.
    """

    rows: Rows
    scores: Matrix
    scanned: Rows


class Searcher(Protocol):
    """The interface of a kind of index.

    Attributes:
        options: its options, with defaults that depend on the points filled in.
    """

    @property
    def options(self) -> IndexOptions:
        """The options."""
        ...

    def search(self, queries: Matrix, k: int) -> SearchResults:
        """Return the neighbours of queries (B, D) of length 1 or 0; k is from 1 to V."""
        ...

    @classmethod
    def damage_of(cls, points: Points, options: Any, tensors: Tensors) -> str:
        """Return the error in the arrays of a file, or "" where they are sound."""
        ...

    def tensors(self) -> Tensors:
        """Return the arrays to save, from which `restore` rebuilds the index."""
        ...


def without(results: SearchResults, own: Rows, k: int) -> SearchResults:
    """Return at most k neighbours of each query, without the query's own row.

    Args:
        own: (B,) the row to leave out; -1 for none.
    """
    is_own = results.rows == own[:, None]
    order = np.argsort(is_own, axis=1, kind="stable")  # the own row goes to the end, all others keep their places
    rows = np.where(is_own, NO_ROW, results.rows)
    scores = np.where(is_own, np.nan, results.scores)
    rows, scores = (np.take_along_axis(array, order, axis=1)[:, :k] for array in (rows, scores))
    return SearchResults(rows, scores, results.scanned)
