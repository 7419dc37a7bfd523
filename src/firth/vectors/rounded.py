"""Exact nearest neighbours of many queries, most rows dropped by a product of rounded numbers.

What: `firth.kernels.byte_product` bounds the cosine of every row with every query from above at a fraction of the cost
of the exact product. Rows whose bound stays below the k-th best cosine so far are dropped; the others, some ten times k
of them, are compared exactly. The answers are those of the exact product.

Cost: as `byte_product`: some 2 B V D operations on bytes, and 2 B c D on floats for c rows that are left a query.

Letters: V words, D width, B queries, R rows of a block, P rows of a panel, k neighbours.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.byte_product import LEVELS, Tile, compile_product, host_tile
from firth.kernels.threads import blas_threads
from firth.vectors.best import Best
from firth.vectors.neighbours import Matrix, Rows, cosine_scorer, inverse, widened

QUERIES = 4096  # asked at once: their bytes stay in the second cache
ROWS = 8192  # of a block
SAMPLE = 2048  # rows that are compared exactly with every query, for the first floors
CROWD = 16  # a block in which one pair of so many is left has vectors that rounding cannot tell apart
UNIT = 2.0**-24  # relative error of a float32 operation

Floats = npt.NDArray[np.float32]


class CrowdError(Exception):
    """Too many pairs are left: the exact product is cheaper."""


@dataclass(frozen=True)
class _Queries:
    """Rounded queries, padded with some that ask for nothing to a whole number of tiles.

    Attributes:
        exact: (B, D) of length 1.
        numbers: (B', 4 K) int8.
        starts: (B',) int32, -128 times the sum of the numbers.
        steps: (B',) what a number is worth.
        errors: (B',) how far the rounded query is from the exact one.
    """

    exact: Floats
    numbers: npt.NDArray[np.int8]
    starts: npt.NDArray[np.int32]
    steps: Floats
    errors: Floats

    @classmethod
    def rounded(cls, exact: Floats, tile: Tile) -> "_Queries":
        batch, dim = exact.shape
        padded = -(-batch // tile.queries) * tile.queries
        peaks = np.ones(padded, dtype=np.float32)
        peaks[:batch] = np.abs(exact).max(axis=1)
        steps = np.asarray(peaks / LEVELS, dtype=np.float32)
        numbers = np.zeros((padded, -(-dim // 4) * 4), dtype=np.int8)
        whole = np.rint(exact / steps[:batch, None])
        numbers[:batch, :dim] = whole
        errors = np.zeros(padded, dtype=np.float32)
        errors[:batch] = np.linalg.norm(exact - whole * steps[:batch, None], axis=1)
        return cls(exact, numbers, -128 * numbers.sum(axis=1, dtype=np.int32), steps, errors)

    def floors(self, floors: Floats) -> Floats:
        """What the kernel compares with, for the cosines (B,) that are to be beaten or equalled."""
        slack = np.float32(1e-6 + 2 * self.exact.shape[1] * UNIT)  # rounding of the exact cosines themselves
        scaled = np.full(len(self.steps), np.inf, dtype=np.float32)
        batch = len(floors)
        scaled[:batch] = (floors - self.errors[:batch] - slack) / self.steps[:batch]
        return scaled


def nearest_rounded(
    vectors: Matrix, norms: Matrix, queries: Matrix, k: int, start: int, end: int
) -> tuple[Rows, Matrix] | None:
    """Return the k rows of highest cosine with each query, best first, the lower row first among equals.

    Args:
        vectors: (V, D) float32 or float16, in memory or mapped from a file; D is at least a vector's lanes.
        norms: (V,) float32 lengths of the rows.
        queries: (B, D) float32, each of length 1.
        k: neighbours wanted, at most SAMPLE.
        start: the first row to search.
        end: the row after the last to search, at least SAMPLE after the first.

    Returns:
        (B, k) rows and (B, k) cosines; None where this processor has no product of bytes, or rounding cannot tell the
        vectors apart.
    """
    tile = host_tile()
    if tile is None:
        return None
    threads = min(blas_threads(), max((end - start) // ROWS, 1))
    bounds = np.linspace(start, end, threads + 1).astype(int).tolist()
    parts = []
    with ThreadPoolExecutor(threads) as pool:
        for low in range(0, len(queries), QUERIES):
            some = _Queries.rounded(np.ascontiguousarray(queries[low : low + QUERIES]), tile)
            score = cosine_scorer(vectors, norms, some.exact)
            sample = Best(len(some.exact), k)
            sample.offer(score(start, start + SAMPLE), start)
            floors = sample.result()[1][:, -1] - np.float32(1e-5)  # the kernel's cosines may differ in the last bits
            work = [
                pool.submit(_search, tile, vectors, norms, some, k, floors, *bounds[i : i + 2]) for i in range(threads)
            ]
            best = Best(len(some.exact), k)
            try:
                for each in work:
                    best.add(*each.result())
            except CrowdError:
                return None
            parts.append(best.result())
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([scores for _, scores in parts])


def _search(
    tile: Tile, vectors: Matrix, norms: Matrix, queries: _Queries, k: int, floors: Floats, start: int, end: int
) -> tuple[Rows, Rows, Floats]:
    """Return (queries, rows, cosines) among which are the best of some rows."""
    best = Best(len(queries.exact), k, floors)
    block = _Block(tile, queries)
    for low in range(start, end, ROWS):
        high = min(low + ROWS, end)
        rows = np.ascontiguousarray(widened(vectors[low:high]))
        asked, found, scores = block.beyond(rows, inverse(norms[low:high]), best.floor)
        better = scores > best.floor[asked]
        best.add(asked[better], found[better] + low, scores[better])
    return best.kept()


class _Block:
    """The memory that a thread works in, and the calls of the kernels."""

    def __init__(self, tile: Tile, queries: _Queries) -> None:
        panels = -(-ROWS // tile.rows)
        self._kernels, self._tile, self._queries = compile_product(tile), tile, queries
        self._quads = queries.numbers.shape[1] // 4
        self._panels = np.zeros((panels, self._quads, tile.rows, 4), dtype=np.uint8)
        self._steps, self._errors = (np.zeros(panels * tile.rows, dtype=np.float32) for _ in range(2))
        self._hits = np.empty((panels * len(queries.numbers), 2), dtype=np.uint64)
        self._slopes = (1 + queries.errors) / queries.steps

    def beyond(self, rows: Floats, inverses: Floats, floors: Floats) -> tuple[Rows, Rows, Floats]:
        """Return (queries, rows, cosines) of all pairs that may reach their floor.

        Raises:
            CrowdError: they are too many.
        """
        count, dim = rows.shape
        panels = -(-count // self._tile.rows)
        self._errors[count : panels * self._tile.rows] = -np.inf  # rows that are not there reach nothing
        self._call("pack", rows, count, dim, self._quads, inverses, self._panels, self._steps, self._errors)
        scaled = self._queries.floors(floors)
        own = self._queries
        tiles = len(own.numbers) // self._tile.queries
        last = self._call(
            "scan", self._panels, panels, self._quads, self._steps, self._errors, own.numbers, tiles, own.starts,
            self._slopes, scaled, self._hits,
        )  # fmt: skip
        asked, found = self._pairs(self._hits[: (last - self._hits.ctypes.data) // self._hits.strides[0]])
        scores = np.empty(len(asked), dtype=np.float32)
        if len(asked) * CROWD > count * len(own.exact):
            raise CrowdError
        if len(asked):
            self._call("rescore", rows, own.exact, dim, inverses, found, asked, len(asked), scores)
        return asked, found, scores

    def _pairs(self, hits: npt.NDArray[np.uint64]) -> tuple[Rows, Rows]:
        """Return the queries and rows of hits: (query, a row in the high half), (a bit for each row from there)."""
        bits = np.unpackbits(hits[:, 1:].astype("<u8").view(np.uint8), axis=1, bitorder="little")
        which, lane = np.divmod(np.flatnonzero(bits), bits.shape[1])
        query = (hits[:, 0] & np.uint64(0xFFFFFFFF)).astype(np.int64)
        first = (hits[:, 0] >> np.uint64(32)).astype(np.int64)
        return query[which], first[which] + lane

    def _call(self, name: str, *arguments: Any) -> int:
        plain = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in arguments]
        return int(self._kernels[name](*plain))
