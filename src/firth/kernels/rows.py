"""Matrices whose rows start on cache lines, as the vector kernels read them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.vector_ir import LINE

FLOATS = LINE // 4  # float32 numbers per cache line


def aligned_rows(count: int, dim: int) -> npt.NDArray[np.float32]:
    """Return zeros, (count, P) float32, with each row aligned to a cache line.

    P is dim rounded up to a multiple of 16; the padding must stay zero.
    """
    width = -(-dim // FLOATS) * FLOATS
    flat = np.zeros(count * width + FLOATS, dtype=np.float32)
    first = -flat.ctypes.data % LINE // 4
    return flat[first : first + count * width].reshape(count, width)


def own_lines(count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return `count` zeros in cache lines that hold nothing else; the size of the type must divide a cache line.

    Two threads that write to one line take it from each other at every write (false sharing). Processors fetch lines in
    pairs, so that the array is aligned to a pair and does not share its last pair.
    """
    pair = 2 * LINE
    size = -(-count * np.dtype(dtype).itemsize // pair) * pair
    flat = np.zeros(size + pair, dtype=np.uint8)
    first = -flat.ctypes.data % pair
    return flat[first : first + size].view(dtype)[:count]
