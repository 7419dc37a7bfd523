"""Locality-sensitive hashing for cosines: random hyperplanes, several tables, multi-probe search, exact scores.

What: each table has its own hyperplanes through the origin. The sides on which a vector lies are the bits of its
bucket. Near vectors are rarely separated, so a query scans its own bucket in each table and the buckets across the
hyperplanes closest to it. The vectors in these buckets are compared with the query exactly.

Objective: for a random hyperplane and two vectors at angle t, P(same side) = 1 - t / pi. In each table the probability
that a vector is in the query's bucket is (1 - t / pi)^bits.

Source: Charikar 2002, "Similarity estimation techniques from rounding algorithms", section 3 (hyperplanes); Lv,
Josephson, Wang, Charikar and Li 2007, "Multi-probe LSH: efficient indexing for high-dimensional similarity search",
sections 4.4 and 4.5 (query-directed probing: buckets are ranked by the sum of squared distances to the hyperplanes that
are crossed; a heap of sets, grown by "shift" and "expand", yields them in that order).

Departures: one heap ranks the buckets of all tables together, so that a table in which the query lies near hyperplanes
gets more of the probes. With `centre`, the mean of all vectors is subtracted before hashing: trained vectors lie on one
side of the origin, where hyperplanes separate few of them. Cosines are those of the original vectors.

Cost: 2 V D tables bits flops to build, 4 bytes per word and table; a query takes 2 D flops per hyperplane and per
scanned vector.
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import read_only
from firth.kernels.threads import usable_threads
from firth.randomness import generator
from firth.vectors.cosine import Matrix, inverse, widened
from firth.vectors.index.buckets import scan_buckets
from firth.vectors.index.options import MOST_BITS, LshOptions
from firth.vectors.index.results import NO_ROW, Points, SearchResults, Tensors

HASHED = 2**13  # rows projected at once
SHARE = 16  # minimum queries per thread

Keys = npt.NDArray[np.int32]


def hyperplanes(count: int, dim: int, seed: int) -> Matrix:
    """Return the normals of random hyperplanes through the origin: (count, D) float32, standard normal numbers."""
    return np.asarray(generator(seed, "hyperplanes").standard_normal((count, dim)), dtype=np.float32)


def signatures(projections: Matrix, bits: int) -> Keys:
    """Return the buckets (R, tables) int32 of projections (R, tables bits) on the normals; bit i: projection i > 0."""
    sides = (projections > 0).reshape(-1, bits).astype(np.float32)
    powers = np.exp2(np.arange(bits, dtype=np.float32))
    return (sides @ powers).astype(np.int32).reshape(len(projections), -1)  # exact: sums below 2^24


class HyperplaneSearch:
    """Hash tables of points.

    Args:
        points: the vectors to search.
        options: options of the index.
        tensors: "planes" (tables bits, D); "centre" (D,), subtracted before hashing; "order" (tables, V) int32, the
            rows of each table sorted by bucket; "starts" (tables, 2^bits + 1) int32, the start of each bucket.

    Attributes:
        options: options of the index, with the number of bits.
    """

    def __init__(self, points: Points, options: LshOptions, tensors: Tensors) -> None:
        self.options, self._tensors = options, tensors
        self._bits = len(tensors["planes"]) // options.tables
        self._rows = np.ascontiguousarray(points.vectors, dtype=np.float32)  # a copy only of other precisions
        self._scale = inverse(points.norms).astype(np.float32)

    @classmethod
    def build(cls, points: Points, options: LshOptions) -> "HyperplaneSearch":
        """Hash every point."""
        size, dim = points.vectors.shape
        bits = options.bits or max(min(round(math.log2(max(size, 1))) - 2, MOST_BITS), 1)
        options = replace(options, bits=bits)
        planes, centre = hyperplanes(options.tables * bits, dim, options.seed), np.zeros(dim, dtype=np.float32)
        scale = inverse(points.norms).astype(np.float32)
        if options.centre and size:
            centre = (scale @ points.vectors / size).astype(np.float32)
        keys = np.empty((size, options.tables), dtype=np.int32)
        for low in range(0, size, HASHED):
            rows = widened(points.vectors[low : low + HASHED]) * scale[low : low + HASHED, None] - centre
            keys[low : low + HASHED] = signatures(rows.astype(np.float32, copy=False) @ planes.T, bits)
        order = np.empty((options.tables, size), dtype=np.int32)
        starts = np.zeros((options.tables, 2**bits + 1), dtype=np.int32)
        for table, column in enumerate(keys.T):
            order[table] = np.argsort(column, kind="stable")
            np.cumsum(np.bincount(column, minlength=2**bits), out=starts[table, 1:])
        return cls(points, options, {"planes": planes, "centre": centre, "order": order, "starts": starts})

    @classmethod
    def damage_of(cls, points: Points, options: LshOptions, tensors: Tensors) -> str:
        """Return the damage of arrays from a file as a message, or "" if they are valid."""
        size, dim = points.vectors.shape
        tables, bits = options.tables, options.bits or 0
        expected = {
            "planes": (np.float32, (tables * bits, dim)),
            "centre": (np.float32, (dim,)),
            "order": (np.int32, (tables, size)),
            "starts": (np.int32, (tables, 2**bits + 1)),
        }
        for name, (dtype, shape) in expected.items():
            tensor = tensors.get(name)
            if tensor is None or tensor.dtype != dtype or tensor.shape != shape:
                state = "missing" if tensor is None else f"{tensor.dtype} of shape {tensor.shape}"
                return f"array {name!r} is {state}; expected {np.dtype(dtype)} of shape {shape}"
        if not (np.isfinite(tensors["planes"]).all() and np.isfinite(tensors["centre"]).all()):
            return "hyperplanes that are not finite"
        for table, (order, starts) in enumerate(zip(tensors["order"], tensors["starts"], strict=True)):
            if size and not (order.min() >= 0 and order.max() < size and (np.bincount(order) == 1).all()):
                return f"table {table} does not contain every vector once"
            if starts[0] != 0 or starts[-1] != size or (starts[1:] < starts[:-1]).any():
                return f"the buckets of table {table} do not follow one another from 0 to {size:,}"
        return ""

    @classmethod
    def restore(cls, points: Points, options: LshOptions, tensors: Tensors) -> "HyperplaneSearch":
        """Return the index of arrays from a file."""
        return cls(points, options, tensors)

    def tensors(self) -> Tensors:
        """Return the hyperplanes and the tables."""
        return self._tensors

    def search(self, queries: Matrix, k: int) -> SearchResults:
        """Return the neighbours of queries (B, D)."""
        batch = len(queries)
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        projections = (queries - self._tensors["centre"]) @ self._tensors["planes"].T
        result = SearchResults(
            np.full((batch, k), NO_ROW), np.full((batch, k), np.nan, np.float32), np.zeros(batch, np.int64)
        )
        threads = min(usable_threads(None), -(-batch // SHARE))
        bounds = np.linspace(0, batch, threads + 1).astype(int).tolist()
        parts = [slice(low, high) for low, high in pairwise(bounds)]
        if threads <= 1:
            self._scan(queries, projections, result, slice(0, batch))
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(lambda part: self._scan(queries, projections, result, part), parts))
        return result

    def _scan(self, queries: Matrix, projections: Matrix, results: SearchResults, part: slice) -> None:
        tables, bits = self.options.tables, self._bits
        scan_buckets(
            queries[part],
            projections[part].reshape(-1, tables, bits),
            read_only(self._rows),
            self._scale,
            read_only(self._tensors["order"]),
            read_only(self._tensors["starts"]),
            tables * self.options.probes,
            results.rows[part],
            results.scores[part],
            results.scanned[part],
        )
