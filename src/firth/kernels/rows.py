"""Matrices whose rows start on cache lines, as the vector kernels read them."""

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
