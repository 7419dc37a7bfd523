"""Exact nearest neighbours of many queries, most rows dropped by a product of rounded numbers.

What: `firth.kernels.byte_product` bounds the cosine of every row with every query from above at a fraction of the cost
of the exact product. Rows whose bound stays below the k-th best cosine so far are dropped; the others, some ten times k
of them, are compared exactly. The answers are those of the exact product.

Cost: as `byte_product`: some 2 B V D operations on bytes, and 2 B c D on floats for c rows that are left a query.

Letters: V words, D width, B queries, R rows of a block, P rows of a panel, k neighbours.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.byte_product import Tile, compile_product, host_tile
from firth.kernels.threads import blas_threads
from firth.vectors.cosine import Matrix, Rows, cosine_scorer, inverse, widened

QUERIES = 4096  # asked at once: their bytes stay in the second cache
ROWS = 2048  # of a block: after each, the floors rise
SAMPLE = 2048  # rows, or up to twice as many, that are compared exactly with every query, for the first floors
CROWD = 16  # of so many pairs one may be left: where more are, rounding cannot tell the vectors apart
MARGIN = np.float32(1e-5)  # between the cosines of the sample and the kernel's, which differ in the last bits
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
        starts: (B',) int32, minus what rows are stored with added, times the sum of the numbers.
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
        steps = np.asarray(peaks / np.float32(tile.levels), dtype=np.float32)
        numbers = np.zeros((padded, 4 * tile.quads(dim)), dtype=np.int8)
        whole = np.rint(exact / steps[:batch, None])
        numbers[:batch, :dim] = whole
        errors = np.zeros(padded, dtype=np.float32)
        errors[:batch] = np.linalg.norm(exact - whole * steps[:batch, None], axis=1)
        return cls(exact, numbers, -tile.levels * numbers.sum(axis=1, dtype=np.int32), steps, errors)

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

    Returns:
        (B, k) rows and (B, k) cosines; None where this processor has no product of bytes, or rounding cannot tell the
        vectors apart.
    """
    tile = host_tile()
    if tile is None:
        return None
    threads = min(blas_threads(), max((end - start) // SAMPLE, 1))
    bounds = np.linspace(start, end, threads + 1).astype(int).tolist()
    parts = []
    with ThreadPoolExecutor(threads) as pool:
        for low in range(0, len(queries), QUERIES):
            batch = _Queries.rounded(np.ascontiguousarray(queries[low : low + QUERIES]), tile)
            floors = _sampled_floors(vectors[start:end], norms[start:end], batch.exact, k)
            search = partial(_search, tile, vectors, norms, batch, k, floors)
            try:
                parts.append(_merged(list(pool.map(search, bounds[:-1], bounds[1:])), k))
            except CrowdError:
                return None
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([scores for _, scores in parts])


def _sampled_floors(vectors: Matrix, norms: Matrix, queries: Floats, k: int) -> Floats:
    """Return cosines (B,) that k rows reach: those of a sample from everywhere, for words are sorted by frequency."""
    step = len(vectors) // SAMPLE
    rows, lengths = (np.ascontiguousarray(array[::step]) for array in (vectors, norms))
    scores = cosine_scorer(rows, lengths, queries)(0, len(rows))
    return np.asarray(np.partition(scores, -k, axis=1)[:, -k] - MARGIN)


def _merged(results: Sequence[tuple[Rows, Floats]], k: int) -> tuple[Rows, Floats]:
    """Join what was found among earlier and later rows: the earlier first among equals."""
    rows, scores = (np.concatenate(arrays, axis=1) for arrays in zip(*results, strict=True))
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _search(
    tile: Tile, vectors: Matrix, norms: Matrix, queries: _Queries, k: int, floors: Floats, start: int, end: int
) -> tuple[Rows, Floats]:
    """Return the best of some rows: (B, k) rows and cosines, -infinity where fewer come up to the floor."""
    batch = len(queries.exact)
    best = np.full((batch, k), -1, dtype=np.int64), np.full((batch, k), -np.inf, dtype=np.float32)
    block, rest = _Block(tile, queries), 0
    for low in range(start, end, ROWS):
        rows = np.ascontiguousarray(widened(vectors[low : min(low + ROWS, end)]))
        rest += block.rank(rows, inverse(norms[low : low + len(rows)]), low, np.maximum(floors, best[1][:, -1]), best)
        if rest * CROWD > batch * (end - start):
            raise CrowdError
    return best


class _Block:
    """The memory that a thread works in, and the calls of the kernels."""

    def __init__(self, tile: Tile, queries: _Queries) -> None:
        panels = -(-ROWS // tile.rows)
        self._kernels, self._tile, self._queries = compile_product(tile), tile, queries
        self._quads = queries.numbers.shape[1] // 4
        self._panels = np.zeros((panels, self._quads, tile.rows, 4), dtype=np.uint8)
        self._steps, self._errors = (np.zeros(panels * tile.rows, dtype=np.float32) for _ in range(2))
        # A query in the low half of a number and a row in the high; then a bit for each row from there.
        self._hits = np.empty((panels * len(queries.numbers), 2), dtype=np.uint64)
        self._slopes = (1 + queries.errors) / queries.steps

    def rank(self, rows: Floats, inverses: Floats, first: int, floors: Floats, best: tuple[Rows, Floats]) -> int:
        """Insert rows that are among the best of a query; return how many pairs had to be looked at for that."""
        count, dim = rows.shape
        panels = -(-count // self._tile.rows)
        self._errors[count : panels * self._tile.rows] = -np.inf  # rows that are not there reach nothing
        self._call("pack", rows, count, dim, self._quads, inverses, self._panels, self._steps, self._errors)
        own, scaled = self._queries, self._queries.floors(floors)
        tiles = len(own.numbers) // self._tile.queries
        last = self._call(
            "scan", self._panels, panels, self._quads, self._steps, self._errors, own.numbers, tiles, own.starts,
            self._slopes, scaled, self._hits,
        )  # fmt: skip
        hits = self._hits[: (last - self._hits.ctypes.data) // self._hits.strides[0]]
        if len(hits):
            self._call("rescore", rows, own.exact, dim, inverses, hits, len(hits), first, best[0].shape[1], *best)
        return int(np.bitwise_count(hits[:, 1]).sum())

    def _call(self, name: str, *arguments: Any) -> int:
        plain = [argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in arguments]
        return int(self._kernels[name](*plain))
