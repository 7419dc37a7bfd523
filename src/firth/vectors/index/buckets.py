"""Compiled search of the hash tables of `firth.vectors.index.lsh`: ranks buckets, collects points, keeps the best.

Letters: B queries, T tables, b bits, V points, D width, k neighbours.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled

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
                place = nearness[t, i]
                if (projections[q, t, place] > 0) != (crossed >> i & 1 == 1):
                    key |= 1 << place
            count = _collect(order[t], starts[t], key, last_query, q, points, count)
        scanned[q] = count
        _rank(queries[q], rows, scale, points[:count], best[q], scores[q])


@njit(nogil=True, inline="always")
def _insert_bit(places: Longs, costs: Floats, count: int, cost: float) -> None:
    """Insert bit `count` among as many that are sorted by cost."""
    i = count
    while i > 0 and costs[i - 1] > cost:
        costs[i], places[i] = costs[i - 1], places[i - 1]
        i -= 1
    costs[i], places[i] = cost, count


@njit(nogil=True, inline="always")
def _collect(order: Ints, starts: Ints, key: int, last_query: Ints, query: int, points: Ints, count: int) -> int:
    """Add the points of a bucket that the query has not scanned yet, and return the new count."""
    for place in range(starts[key], starts[key + 1]):
        row = order[place]
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
