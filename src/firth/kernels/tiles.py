"""A sparse matrix cut into tiles, so that threads can work on tiles without common rows or columns.

Word w is in block w mod B: each block has its share of frequent and of rare words, so that the tiles in a row of tiles
have similar sizes. Tiles (b, c) and (b', c') with b != b' and c != c' have no row and no column in common.
"""

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.random import below, draw


@compiled
def count_cells(
    rows: npt.NDArray[np.int64],  # (V + 1,) where each row's cells begin
    columns: npt.NDArray[np.int32],  # (C,)
    half: bool,  # each cell off the diagonal stands for two
    counts: npt.NDArray[np.int64],  # (B, B), added to
) -> None:
    """Count the cells of each tile."""
    blocks = len(counts)
    for row in range(len(rows) - 1):
        for cell in range(rows[row], rows[row + 1]):
            column = columns[cell]
            counts[row % blocks, column % blocks] += 1
            if half and column != row:
                counts[column % blocks, row % blocks] += 1


@compiled
def fill_tiles(
    rows: npt.NDArray[np.int64],  # (V + 1,)
    columns: npt.NDArray[np.int32],  # (C,)
    values: npt.NDArray[np.float32],  # (C,) positive
    half: bool,
    x_max: float,  # cells of at least this have weight 1
    alpha: float,  # exponent of the weight of smaller cells
    bounds: npt.NDArray[np.int64],  # (B, B, 2) start and end of each tile's cells
    free: npt.NDArray[np.int64],  # (B, B) the next free cell of each tile, updated
    pairs: npt.NDArray[np.uint16],  # (cells, 6) the memory of all cells as pairs of bytes
    numbers: npt.NDArray[np.float32],  # (cells, 3) the same memory as numbers
    first: int,  # the first row block to write
    last: int,  # one past the last
) -> None:
    """Write the cells of some rows of tiles: row and column inside the tile, log X, weight."""
    blocks = len(free)
    for row in range(len(rows) - 1):
        block = row % blocks
        own = first <= block < last
        if not (own or half):
            continue
        for cell in range(rows[row], rows[row + 1]):
            column = columns[cell]
            other = column % blocks
            mirrored = half and column != row and first <= other < last
            if own or mirrored:
                log = math.log(values[cell])
                weight = math.exp(min(0.0, alpha * (log - math.log(x_max))))
                if own:
                    _write(free, pairs, numbers, blocks, row, column, log, weight)
                if mirrored:
                    _write(free, pairs, numbers, blocks, column, row, log, weight)


@njit(nogil=True, inline="always")
def _write(
    free: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.uint16],
    numbers: npt.NDArray[np.float32],
    blocks: int,
    row: int,
    column: int,
    log: float,
    weight: float,
) -> None:
    position = free[row % blocks, column % blocks]
    free[row % blocks, column % blocks] = position + 1
    pairs[position, 0] = row // blocks
    pairs[position, 1] = column // blocks
    numbers[position, 1] = log
    numbers[position, 2] = weight


@compiled
def shuffle_tiles(
    bounds: npt.NDArray[np.int64],  # (B, B, 2)
    words: npt.NDArray[np.uint32],  # (cells, 3) the memory of all cells
    states: npt.NDArray[np.uint64],  # (B,) a generator per row of tiles
    first: int,  # the first row block
    last: int,  # one past the last
) -> None:
    """Shuffle the cells of each of some tiles (Fisher and Yates)."""
    random = np.empty(1, np.uint64)
    for block in range(first, last):
        random[0] = states[block]
        for other in range(bounds.shape[1]):
            begin, end = bounds[block, other]
            for i in range(end - 1, begin, -1):
                j = begin + below(draw(random), i - begin + 1)
                for k in range(3):
                    words[i, k], words[j, k] = words[j, k], words[i, k]
