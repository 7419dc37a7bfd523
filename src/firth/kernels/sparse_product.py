"""A sparse matrix times a block of dense columns, rows shared among threads."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled

PIECES = 8  # a thread: those that finish early take what is left


@compiled
def multiply_rows(
    starts: npt.NDArray[np.int32],  # (rows + 1,) where each row's cells begin
    columns: npt.NDArray[np.int32],  # (cells,)
    values: npt.NDArray[np.float64],  # (cells,)
    block: npt.NDArray[np.float64],  # (columns, b)
    out: npt.NDArray[np.float64],  # (rows, b), written
    first: int,  # the first row that is computed
    last: int,  # one past the last
) -> None:
    """Write some rows of the product; each row's sum is made in the order of its cells."""
    for row in range(first, last):
        total = out[row]
        total[:] = 0
        for cell in range(starts[row], starts[row + 1]):
            value, other = values[cell], block[columns[cell]]
            for k in range(len(total)):
                total[k] += value * other[k]


def multiply(matrix: Any, block: npt.NDArray[np.float64], pool: ThreadPoolExecutor, threads: int) -> Any:
    """Return the product of a sparse matrix with a dense block.

    Args:
        matrix: a SciPy `csr_array` (R, C) of float64 with sorted indices of int32.
        block: (C, b), contiguous.
        pool: runs the threads.
        threads: how many; the result is the same bits for any number.

    Returns:
        (R, b) float64.
    """
    out = np.empty((matrix.shape[0], block.shape[1]))
    starts = matrix.indptr
    pieces = np.searchsorted(starts, np.linspace(0, starts[-1], PIECES * threads + 1)[1:-1].astype(starts.dtype))
    ends = [0, *(int(end) for end in pieces), matrix.shape[0]]
    jobs = [
        pool.submit(multiply_rows, starts, matrix.indices, matrix.data, block, out, first, last)
        for first, last in itertools.pairwise(ends)
    ]
    for job in jobs:
        job.result()
    return out
