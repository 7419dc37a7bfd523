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
from numba import njit

from firth.kernels.compiled import compiled, read_only
from firth.kernels.threads import usable_threads
from firth.randomness import generator
from firth.vectors.cosine import Matrix, inverse, widened
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


Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@compiled
def scan_buckets(
    queries: Floats,  # (B, D) of length 1
    projections: Floats,  # (B, T, b) onto the normals of the hyperplanes
    rows: Floats,  # (V, D)
    scale: Floats,  # (V,) 1 / length, 0 for a zero row
    order: Ints,  # (T, V) rows sorted by bucket
    starts: Ints,  # (T, 2^b + 1) start of each bucket
    probes: int,  # buckets scanned in all tables together, at least T
    best: Longs,  # (B, k) rows, updated; -1 for missing results
    scores: Floats,  # (B, k) cosines, updated
    scanned: Longs,  # (B,) points compared, updated
) -> None:
    """Find the best points in the most promising buckets of every query."""
    tables, bits = projections.shape[1:]
    last_query = np.full(len(rows), -1, np.int32)  # the last query that scanned each point
    points = np.empty(len(rows), np.int32)
    nearness = np.empty((tables, bits), np.int64)  # the bits of each table, the nearest hyperplane first
    costs = np.empty((tables, bits), np.float32)  # the squared distances to them, in that order
    probes = min(probes, tables << bits)
    room = probes + tables + 2
    heap_costs, heap_sets, heap_tables = np.empty(room, np.float32), np.empty(room, np.int64), np.empty(room, np.int64)
    for q in range(len(queries)):
        count = 0
        size = 0
        for t in range(tables):
            key = 0
            for i in range(bits):
                if projections[q, t, i] > 0:
                    key |= 1 << i
                _insert_bit(nearness[t], costs[t], i, projections[q, t, i] * projections[q, t, i])
            count = _collect(order[t], starts[t], key, last_query, q, points, count)
            size = _push(heap_costs, heap_sets, heap_tables, size, costs[t, 0], 1, t)
        for _ in range(probes - tables):
            cost, crossed, t = heap_costs[0], heap_sets[0], heap_tables[0]
            size = _pop(heap_costs, heap_sets, heap_tables, size)
            last = 0
            while crossed >> (last + 1):
                last += 1
            if last + 1 < bits:  # Lv et al.: "expand" by the next hyperplane, and "shift" the last one to it
                expanded = cost + costs[t, last + 1]
                size = _push(heap_costs, heap_sets, heap_tables, size, expanded, crossed | 2 << last, t)
                shifted = expanded - costs[t, last]
                size = _push(heap_costs, heap_sets, heap_tables, size, shifted, crossed + (1 << last), t)
            key = 0
            for i in range(bits):
                bit = nearness[t, i]
                if (projections[q, t, bit] > 0) != (crossed >> i & 1 == 1):
                    key |= 1 << bit
            count = _collect(order[t], starts[t], key, last_query, q, points, count)
        scanned[q] = count
        _rank(queries[q], rows, scale, points[:count], best[q], scores[q])


@njit(nogil=True, inline="always")
def _insert_bit(bits: Longs, costs: Floats, count: int, cost: float) -> None:
    """Insert bit `count` among as many that are sorted by cost."""
    i = count
    while i > 0 and costs[i - 1] > cost:
        costs[i], bits[i] = costs[i - 1], bits[i - 1]
        i -= 1
    costs[i], bits[i] = cost, count


@njit(nogil=True, inline="always")
def _collect(order: Ints, starts: Ints, key: int, last_query: Ints, query: int, points: Ints, count: int) -> int:
    """Add the points of a bucket that the query has not scanned yet, and return the new count."""
    for slot in range(starts[key], starts[key + 1]):
        row = order[slot]
        if last_query[row] != query:
            last_query[row] = query
            points[count] = row
            count += 1
    return count


@njit(nogil=True)
def _push(costs: Floats, sets: Longs, tables: Longs, size: int, cost: float, crossed: int, t: int) -> int:
    """Push a set of crossed hyperplanes on the heap; the cheapest is on top."""
    i = size
    while i > 0 and costs[(i - 1) >> 1] > cost:
        parent = (i - 1) >> 1
        costs[i], sets[i], tables[i] = costs[parent], sets[parent], tables[parent]
        i = parent
    costs[i], sets[i], tables[i] = cost, crossed, t
    return size + 1


@njit(nogil=True)
def _pop(costs: Floats, sets: Longs, tables: Longs, size: int) -> int:
    """Pop the cheapest set from the heap."""
    size -= 1
    cost, crossed, t = costs[size], sets[size], tables[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and costs[child + 1] < costs[child]:
            child += 1
        if costs[child] >= cost:
            break
        costs[i], sets[i], tables[i] = costs[child], sets[child], tables[child]
        i = child
    costs[i], sets[i], tables[i] = cost, crossed, t
    return size


@njit(nogil=True)
def _rank(query: Floats, rows: Floats, scale: Floats, points: Ints, best: Longs, scores: Floats) -> None:
    """Keep the best points; ties by row."""
    count = 0
    k = len(best)
    for row in points:
        score = _dot(query, rows, row) * scale[row]
        if count == k and not _before(score, row, scores[k - 1], best[k - 1]):
            continue
        count = min(count + 1, k)
        i = count - 1
        while i > 0 and _before(score, row, scores[i - 1], best[i - 1]):
            scores[i], best[i] = scores[i - 1], best[i - 1]
            i -= 1
        scores[i], best[i] = score, row


@njit(nogil=True, inline="always")
def _before(score: float, row: int, other_score: float, other_row: int) -> bool:
    return score > other_score or (score == other_score and row < other_row)


@njit(nogil=True, fastmath=True)  # sums in any order, which lets the compiler use vectors
def _dot(query: Floats, rows: Floats, row: int) -> np.float32:
    total = np.float32(0)
    for i in range(len(query)):
        total += query[i] * rows[row, i]
    return total
