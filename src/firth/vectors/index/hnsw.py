"""A hierarchical navigable small world, by the library usearch: a graph whose edges lead a query to its neighbours.

What: every point has edges to near points; a few points are on upper floors too, with edges that lead far. A search
descends floor by floor, keeping the `expansion_search` nearest points met so far.

Source: Malkov and Yashunin 2020, "Efficient and robust approximate nearest neighbor search using hierarchical navigable
small world graphs", algorithms 1 to 5; https://github.com/unum-cloud/usearch.

Departures: usearch's own. The cosines of what it finds are computed anew from the vectors, in single precision, and the
lower row comes first among equals. Points are added by one thread unless more are asked for, so that the same vectors
make the same graph.

Cost: as usearch's: about V log V comparisons of D numbers to build; the graph holds a copy of the vectors.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from firth.errors import FormatError, MissingExtraError
from firth.vectors.cosine import Matrix, inverse, unit, widened
from firth.vectors.index.options import HnswOptions
from firth.vectors.index.results import NO_ROW, Points, SearchResults, Tensors

SHARE = 16  # queries that are worth all threads
GATHERED = 2**14  # found rows whose cosines are computed at once


def _usearch(**options: Any) -> Any:
    try:
        from usearch.index import Index
    except ImportError:
        raise MissingExtraError("usearch", "ann", "search by a small world (kind hnsw)") from None
    return Index(metric="cos", dtype="f32", enable_key_lookups=False, **options)


class SmallWorldSearch:
    """A graph of points.

    Args:
        points: what is searched.
        options: the choices.
        graph: usearch's index.

    Attributes:
        options: the choices.
    """

    def __init__(self, points: Points, options: HnswOptions, graph: Any) -> None:
        self._points, self.options, self._graph = points, options, graph
        self._scale = inverse(points.norms)

    @classmethod
    def build(cls, points: Points, options: HnswOptions) -> "SmallWorldSearch":
        """Add every point to a graph.

        Raises:
            MissingExtraError: usearch is not installed.
        """
        graph = _graph(points, options)
        rows = unit(points.vectors).astype(np.float32, copy=False)
        with _interruptible():
            graph.add(np.arange(len(rows)), np.ascontiguousarray(rows), threads=options.threads)
        return cls(points, options, graph)

    @classmethod
    def damage_of(cls, points: Points, options: HnswOptions, tensors: Tensors) -> str:
        """Return what is wrong with the arrays of a file, or "" where usearch may read them."""
        from firth.vectors.index.graph import damage_of  # brings a compiler along

        graph = tensors.get("graph")
        return "no graph" if graph is None else damage_of(graph, points.vectors, options.connectivity)

    @classmethod
    def restore(cls, points: Points, options: HnswOptions, tensors: Tensors) -> "SmallWorldSearch":
        """Return the index that the arrays of a file describe.

        Raises:
            MissingExtraError: usearch is not installed.
            FormatError: usearch cannot read its part.
        """
        graph = _graph(points, options)
        try:
            graph.load(tensors["graph"].tobytes())
        except (RuntimeError, ValueError) as error:
            raise FormatError(f"usearch cannot read this graph ({error}): build the index anew") from None
        if len(graph) != len(points.vectors):
            raise FormatError(f"a graph of {len(graph)} points, expected {len(points.vectors)}: build the index anew")
        return cls(points, options, graph)

    def tensors(self) -> Tensors:
        """Return the graph as usearch writes it."""
        return {"graph": np.frombuffer(bytes(self._graph.save()), dtype=np.uint8)}

    def search(self, queries: Matrix, k: int) -> SearchResults:
        """Return the neighbours of queries (B, D)."""
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        # Other threads take longer to start than a few queries take.
        with _interruptible():
            matches = self._graph.search(queries, k, threads=0 if len(queries) >= SHARE else 1)
        rows = np.asarray(matches.keys).astype(np.int64).reshape(len(queries), -1)
        # Of a single query usearch returns as many as it found; of several, a table with room for k each.
        counts = np.array([rows.shape[1]] if len(queries) == 1 else matches.counts)
        rows = np.where(np.arange(rows.shape[1]) < counts[:, None], rows, NO_ROW)
        scanned = np.full(len(queries), matches.computed_distances // max(len(queries), 1), dtype=np.int64)
        return _sorted(rows, self._cosines(queries, rows), scanned)

    def _cosines(self, queries: Matrix, rows: Any) -> Matrix:
        scores = np.empty(rows.shape, dtype=np.float32)
        step = max(GATHERED // max(rows.shape[1], 1), 1)
        for low in range(0, len(rows), step):
            some = rows[low : low + step]
            found = widened(self._points.vectors[some])
            dots = np.einsum("bd,bkd->bk", queries[low : low + step], found, optimize=True)
            scores[low : low + step] = np.where(some < 0, np.nan, dots * self._scale[some])
        return scores


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Give Ctrl-C its name back, which usearch turns into an error of its own."""
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
    order = np.lexsort((rows, -scores), axis=1)  # NaN, of those not found, comes last
    return SearchResults(np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1), scanned)
