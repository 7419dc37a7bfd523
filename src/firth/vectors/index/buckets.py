"""The compiled search of hash tables: which buckets, which points, which of them are best (`firth.vectors.index.lsh`).

Letters: B queries, T tables, b bits, V points, D width, k neighbours.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@compiled
def scan_buckets(
    queries: Floats,  # (B, D) of length 1
    projections: Floats,  # (B, T, b) onto the normals of the hyperplanes
    rows: Floats,  # (V, D)
    scale: Floats,  # (V,) 1 / length, 0 for a zero row
    order: Ints,  # (T, V) rows sorted by bucket
    starts: Ints,  # (T, 2^b + 1) where each bucket begins
    probes: int,  # buckets looked into in all tables together, at least T
    best: npt.NDArray[np.int64],  # (B, k) rows, updated; -1 where fewer are found
    scores: Floats,  # (B, k) cosines, updated
    scanned: npt.NDArray[np.int64],  # (B,) points compared, updated
) -> None:
    """Find the best of the points in the likeliest buckets of every query."""
    tables, bits = projections.shape[1:]
    seen = np.full(len(rows), -1, np.int32)  # the last query that came upon each point
    points = np.empty(len(rows), np.int32)
    nearness = np.empty((tables, bits), np.int64)  # the bits of each table, the nearest hyperplane first
    costs = np.empty((tables, bits), np.float32)  # the squared distances to them, in that order
    probes = min(probes, tables << bits)
    size = probes + tables + 2
    heap_costs, heap_sets, heap_tables = np.empty(size, np.float32), np.empty(size, np.int64), np.empty(size, np.int64)
    for q in range(len(queries)):
        count = 0
        held = 0
        for t in range(tables):
            key = 0
            for i in range(bits):
                if projections[q, t, i] > 0:
                    key |= 1 << i
                _insert_bit(nearness[t], costs[t], i, projections[q, t, i] * projections[q, t, i])
            count = _collect(order[t], starts[t], key, seen, q, points, count)
            held = _push(heap_costs, heap_sets, heap_tables, held, costs[t, 0], 1, t)
        for _ in range(probes - tables):
            cost, crossed, t = heap_costs[0], heap_sets[0], heap_tables[0]
            held = _pop(heap_costs, heap_sets, heap_tables, held)
            last = 0
            while crossed >> (last + 1):
                last += 1
            if last + 1 < bits:  # Lv et al.: "expand" by the next hyperplane, and "shift" the last one to it
                expanded = cost + costs[t, last + 1]
                held = _push(heap_costs, heap_sets, heap_tables, held, expanded, crossed | 2 << last, t)
                shifted = expanded - costs[t, last]
                held = _push(heap_costs, heap_sets, heap_tables, held, shifted, crossed + (1 << last), t)
            key = 0
            for i in range(bits):
                place = nearness[t, i]
                if (projections[q, t, place] > 0) != (crossed >> i & 1 == 1):
                    key |= 1 << place
            count = _collect(order[t], starts[t], key, seen, q, points, count)
        scanned[q] = count
        _rank(queries[q], rows, scale, points[:count], best[q], scores[q])


@njit(nogil=True, inline="always")
def _insert_bit(places: npt.NDArray[np.int64], costs: Floats, count: int, cost: float) -> None:
    """Insert bit `count` among as many that are sorted by cost."""
    i = count
    while i > 0 and costs[i - 1] > cost:
        costs[i], places[i] = costs[i - 1], places[i - 1]
        i -= 1
    costs[i], places[i] = cost, count


@njit(nogil=True, inline="always")
def _collect(order: Ints, starts: Ints, key: int, seen: Ints, query: int, points: Ints, count: int) -> int:
    """Add the points of a bucket that the query has not come upon, and return how many there are now."""
    for place in range(starts[key], starts[key + 1]):
        row = order[place]
        if seen[row] != query:
            seen[row] = query
            points[count] = row
            count += 1
    return count


@njit(nogil=True)
def _push(
    costs: Floats, sets: npt.NDArray[np.int64], tables: npt.NDArray[np.int64], held: int, cost: float, some: int, t: int
) -> int:
    """Put a set of crossed hyperplanes into the heap, cheapest on top."""
    i = held
    while i > 0 and costs[(i - 1) >> 1] > cost:
        parent = (i - 1) >> 1
        costs[i], sets[i], tables[i] = costs[parent], sets[parent], tables[parent]
        i = parent
    costs[i], sets[i], tables[i] = cost, some, t
    return held + 1


@njit(nogil=True)
def _pop(costs: Floats, sets: npt.NDArray[np.int64], tables: npt.NDArray[np.int64], held: int) -> int:
    """Take the cheapest out of the heap."""
    held -= 1
    cost, some, t = costs[held], sets[held], tables[held]
    i = 0
    while 2 * i + 1 < held:
        child = 2 * i + 1
        if child + 1 < held and costs[child + 1] < costs[child]:
            child += 1
        if costs[child] >= cost:
            break
        costs[i], sets[i], tables[i] = costs[child], sets[child], tables[child]
        i = child
    costs[i], sets[i], tables[i] = cost, some, t
    return held


@njit(nogil=True)
def _rank(
    query: Floats, rows: Floats, scale: Floats, points: Ints, best: npt.NDArray[np.int64], scores: Floats
) -> None:
    """Keep the best points, the lower row first among equals."""
    kept = 0
    k = len(best)
    for row in points:
        score = _dot(query, rows, row) * scale[row]
        if kept == k and not _before(score, row, scores[k - 1], best[k - 1]):
            continue
        kept = min(kept + 1, k)
        i = kept - 1
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
