"""What a search is given and what it returns: the common language of all kinds of index."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from firth.vectors.cosine import Matrix, Rows
from firth.vectors.index.options import IndexOptions

Tensors = Mapping[str, npt.NDArray[Any]]
NONE = -1  # the row of a neighbour that was not found


@dataclass(frozen=True)
class Points:
    """What is searched.

    Attributes:
        vectors: (V, D) float32, float16 or float64, in memory or mapped from a file.
        norms: (V,) lengths of the rows.
    """

    vectors: Matrix
    norms: Matrix


@dataclass(frozen=True)
class Found:
    """Neighbours by their rows.

    Attributes:
        rows: (B, k) int64, best first, the lower row first among equals; -1 where fewer were found.
        scores: (B, k) cosines, or CSLS; NaN where fewer were found.
        scanned: (B,) how many points were compared with the query.
    """

    rows: Rows
    scores: Matrix
    scanned: Rows


class Searcher(Protocol):
    """A kind of index over some points.

    Attributes:
        options: its choices, those that depend on the points among them.
    """

    @property
    def options(self) -> IndexOptions:
        """The choices."""
        ...

    def search(self, queries: Matrix, k: int) -> Found:
        """Return the neighbours of queries (B, D) of length 1 or 0; k is from 1 to V."""
        ...

    @classmethod
    def damage_of(cls, points: Points, options: Any, tensors: Tensors) -> str:
        """Return what is wrong with the arrays of a file, or "" where they may be searched."""
        ...

    def tensors(self) -> Tensors:
        """Return the arrays that a file needs so that the index need not be built again."""
        ...


def without(found: Found, own: Rows, k: int) -> Found:
    """Return at most k neighbours of each query without one row, its own.

    Args:
        found: neighbours, best first.
        own: (B,) the row that is no answer; -1 for none.
        k: neighbours wanted.
    """
    is_own = found.rows == own[:, None]
    order = np.argsort(is_own, axis=1, kind="stable")  # the own row goes to the end, all others keep their places
    rows = np.where(is_own, NONE, found.rows)
    scores = np.where(is_own, np.nan, found.scores)
    rows, scores = (np.take_along_axis(each, order, axis=1)[:, :k] for each in (rows, scores))
    return Found(rows, scores, found.scanned)
