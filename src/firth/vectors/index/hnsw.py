"""Hierarchical navigable small world (HNSW) graphs with the library usearch.

What: every point has edges to near points. A few points are on upper levels, too, where edges lead further. A search
descends level by level and keeps the `expansion_search` nearest points so far.

Source: Malkov and Yashunin 2020, "Efficient and robust approximate nearest neighbor search using hierarchical navigable
small world graphs", algorithms 1 to 5; https://github.com/unum-cloud/usearch.

Departures: usearch's own. Cosines of its results are computed again from the vectors, in single precision, and ties are
ordered by row. By default one thread adds the points, so that the same vectors give the same graph.

Cost: about V log V comparisons of D numbers to build; the graph contains a copy of the vectors.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from firth.errors import FormatError, import_extra
from firth.vectors.cosine import Matrix, inverse, unit, widened
from firth.vectors.index.options import HnswOptions
from firth.vectors.index.results import NO_ROW, Points, SearchResults, Tensors

SHARE = 16  # queries from which on all threads are used
GATHERED = 2**14  # rows whose cosines are computed at once


def _usearch(**options: Any) -> Any:
    usearch = import_extra("usearch.index", "search with an HNSW graph (kind hnsw)", "ann")
    # Without key look-ups, usearch 2.16.0 to 2.26.0 corrupts its heap; they take 50 bytes a point.
    return usearch.Index(metric="cos", dtype="f32", enable_key_lookups=True, **options)


class SmallWorldSearch:
    """A graph of points.

    Args:
        points: the vectors to search.
        options: options of the index.
        graph: usearch's index.

    Attributes:
        options: options of the index.
    """

    def __init__(self, points: Points, options: HnswOptions, graph: Any) -> None:
        self._points, self.options, self._graph = points, options, graph
        self._scale = inverse(points.norms)

    @classmethod
    def build(cls, points: Points, options: HnswOptions) -> "SmallWorldSearch":
        """Add every point to a graph."""
        graph = _graph(points, options)
        rows = unit(points.vectors).astype(np.float32, copy=False)
        with _interruptible():
            graph.add(np.arange(len(rows)), np.ascontiguousarray(rows), threads=options.threads)
        return cls(points, options, graph)

    @classmethod
    def damage_of(cls, points: Points, options: HnswOptions, tensors: Tensors) -> str:
        """Return the damage of arrays from a file as a message, or "" if usearch may read them."""
        from firth.vectors.index.graph import damage_of  # imports Numba

        graph = tensors.get("graph")
        return "no graph" if graph is None else damage_of(graph, points.vectors, options.connectivity)

    @classmethod
    def restore(cls, points: Points, options: HnswOptions, tensors: Tensors) -> "SmallWorldSearch":
        """Return the index of arrays from a file.

        Raises:
            FormatError: usearch cannot read the graph.
        """
        graph = _graph(points, options)
        try:
            graph.load(tensors["graph"].tobytes())
        except (RuntimeError, ValueError) as error:
            raise FormatError(f"usearch cannot read this graph ({error}): build the index again") from None
        if len(graph) != len(points.vectors):
            raise FormatError(f"a graph of {len(graph)} points, expected {len(points.vectors)}: build the index again")
        return cls(points, options, graph)

    def tensors(self) -> Tensors:
        """Return the graph in usearch's format."""
        return {"graph": np.frombuffer(bytes(self._graph.save()), dtype=np.uint8)}

    def search(self, queries: Matrix, k: int) -> SearchResults:
        """Return the neighbours of queries (B, D)."""
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        # Starting threads takes longer than a few queries.
        with _interruptible():
            matches = self._graph.search(queries, k, threads=0 if len(queries) >= SHARE else 1)
        rows = np.asarray(matches.keys).astype(np.int64).reshape(len(queries), -1)
        # For one query usearch returns the matches alone, for several a table with k places each.
        counts = np.array([rows.shape[1]] if len(queries) == 1 else matches.counts)
        rows = np.where(np.arange(rows.shape[1]) < counts[:, None], rows, NO_ROW)
        scanned = np.full(len(queries), matches.computed_distances // max(len(queries), 1), dtype=np.int64)
        return _sorted(rows, self._cosines(queries, rows), scanned)

    def _cosines(self, queries: Matrix, rows: Any) -> Matrix:
        scores = np.empty(rows.shape, dtype=np.float32)
        step = max(GATHERED // max(rows.shape[1], 1), 1)
        for low in range(0, len(rows), step):
            batch = rows[low : low + step]
            vectors = widened(self._points.vectors[batch])
            dots = np.einsum("bd,bkd->bk", queries[low : low + step], vectors, optimize=True)
            scores[low : low + step] = np.where(batch < 0, np.nan, dots * self._scale[batch])
        return scores


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for Ctrl-C, for which usearch raises its own error."""
    try:
        yield
    except RuntimeError as error:
        if "terminated" not in str(error):
            raise
        raise KeyboardInterrupt from error


def _graph(points: Points, options: HnswOptions) -> Any:
    return _usearch(
        ndim=points.vectors.shape[1],
        connectivity=options.connectivity,
        expansion_add=options.expansion_add,
        expansion_search=options.expansion_search,
    )


def _sorted(rows: Any, scores: Matrix, scanned: Any) -> SearchResults:
    order = np.lexsort((rows, -scores), axis=1)  # missing results, NaN, come last
    return SearchResults(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1), scanned)
