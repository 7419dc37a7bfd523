"""Averages of the word vectors of lines, from the word ids of `firth.kernels.scan`."""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.vector_ir import LINE

AHEAD = 8  # words between the prefetch of a row and its addition


@compiled
def average_lines(
    ids: npt.NDArray[np.int32],  # (N,) words, -1 at the end of each line
    rows: npt.NDArray[np.int32],  # (W,) row of each word in the table, -1 for a word without a vector
    table: npt.NDArray[np.float32],  # (R, D)
    weights: npt.NDArray[np.float32],  # (R,)
    averages: npt.NDArray[np.float32],  # (lines, D), written
) -> int:
    """Write the mean of each line's weighted rows, zeros without any; return how many lines have words and no row.

    Rows are added in the order of the text, in float32, as `(weights[rows, None] * table[rows]).sum(axis=0)` does.
    """
    line = words = with_vector = without = 0
    dim, stride, base = table.shape[1], np.int64(table.strides[0]), table.ctypes.data
    size = -(-4 * dim // LINE) * LINE
    for i in range(ids.size):
        if line == averages.shape[0]:
            break
        if i + AHEAD < ids.size and ids[i + AHEAD] >= 0:
            prefetch_row(base + max(0, rows[ids[i + AHEAD]]) * stride, size)
        own = np.uint64(line)  # unsigned: no check for negative indices
        if ids[i] >= 0:
            words += 1
            if rows[ids[i]] >= 0:
                row = np.uint64(rows[ids[i]])
                weight = weights[row]
                with_vector += 1
                if with_vector == 1:
                    for d in range(dim):
                        averages[own, d] = weight * table[row, d]
                else:
                    for d in range(dim):
                        averages[own, d] += weight * table[row, d]
        else:
            for d in range(dim if with_vector == 0 else 0):
                averages[own, d] = 0
            for d in range(dim if with_vector > 1 else 0):
                averages[own, d] /= np.float32(with_vector)
            without += words > 0 and with_vector == 0
            line += 1
            words = with_vector = 0
    return without
