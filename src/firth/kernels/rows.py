"""Matrices whose rows start on cache lines, as the vector kernels read them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.vector_ir import LINE

FLOATS = LINE // 4  # float32 numbers a cache line


def aligned_rows(count: int, dim: int) -> npt.NDArray[np.float32]:
    """Return zeros of which every row is padded to whole cache lines and aligned to one.

    Args:
        count: rows.
        dim: numbers a row that will be used.

    Returns:
        (count, P) float32, P = dim rounded up to a multiple of 16; the padding must stay zero.
    """
    padded = -(-dim // FLOATS) * FLOATS
    flat = np.zeros(count * padded + FLOATS, dtype=np.float32)
    first = -flat.ctypes.data % LINE // 4
    return flat[first : first + count * padded].reshape(count, padded)


def own_lines(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros in cache lines that hold nothing else.

    Two threads that write to one line, each to a number of its own, take the line from each other at every write.
    Processors fetch lines in pairs, so that the array is given a pair's alignment and its last pair to itself.

    Args:
        count: how many numbers.
        dtype: of numbers whose size divides a cache line.
    """
    pair = 2 * LINE
    size = -(-count * np.dtype(dtype).itemsize // pair) * pair
    flat = np.zeros(size + pair, dtype=np.uint8)
    first = -flat.ctypes.data % pair
    return flat[first : first + size].view(dtype)[:count]
