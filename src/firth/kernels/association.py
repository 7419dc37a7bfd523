"""Turns the counts of a sparse matrix into association scores."""

import math

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled

PMI, CORRELATION = range(2)


@compiled
def mirror(
    rows: npt.NDArray[np.int64],  # (V + 1,) where each row's cells begin
    columns: npt.NDArray[np.int32],  # (C,) up to the diagonal, ascending in a row
    values: npt.NDArray[np.float32],  # (C,)
    starts: npt.NDArray[np.int64],  # (V + 1,) written
    all_columns: npt.NDArray[np.int32],  # (2 C - diagonal,) written, ascending in a row
    all_values: npt.NDArray[np.float32],  # written
) -> None:
    """Write all cells of a symmetric matrix from its lower half."""
    starts[:] = 0
    for row in range(len(rows) - 1):
        for cell in range(rows[row], rows[row + 1]):
            starts[row + 1] += 1
            if columns[cell] != row:
                starts[columns[cell] + 1] += 1
    for row in range(len(rows) - 1):
        starts[row + 1] += starts[row]
    free = starts[:-1].copy()
    # In row order: when row i writes into row j < i, row j already has its own cells and those from rows before i.
    for row in range(len(rows) - 1):
        for cell in range(rows[row], rows[row + 1]):
            column = columns[cell]
            all_columns[free[row]] = column
            all_values[free[row]] = values[cell]
            free[row] += 1
            if column != row:
                all_columns[free[column]] = row
                all_values[free[column]] = values[cell]
                free[column] += 1


@compiled
def associate(
    kind: int,  # PMI or CORRELATION
    starts: npt.NDArray[np.int64],  # (R + 1,) where each row's cells begin
    columns: npt.NDArray[np.int32],  # (C,)
    counts: npt.NDArray[np.float64],  # (C,) positive
    of_rows: npt.NDArray[np.float64],  # (R,) PMI: log r_i + log k; correlation: r_i
    of_columns: npt.NDArray[np.float64],  # PMI: log P(j); correlation: c_j
    total: float,  # N
    positive: bool,  # drop scores that are not above 0
    out_starts: npt.NDArray[np.int64],  # (R + 1,) written
    out_columns: npt.NDArray[np.int32],  # (C,) written
    out_values: npt.NDArray[np.float64],  # (C,) written; may be `counts`
) -> int:
    """Write the association score of each cell; return the number of cells written."""
    n = 0
    out_starts[0] = 0
    for row in range(len(starts) - 1):
        row_total = of_rows[row]
        for cell in range(starts[row], starts[row + 1]):
            other, x = of_columns[columns[cell]], counts[cell]
            if kind == PMI:
                value = math.log(x) - row_total - other  # log x_ij - (log r_i + log k) - log P(j)
            else:
                # Pearson's r of two indicators: (N x_ij - x_i x_j) / sqrt(x_i (N - x_i) x_j (N - x_j)), its square root
                above = total * x - row_total * other
                value = -1.0
                if above > 0:
                    value = math.sqrt(above / math.sqrt(row_total * (total - row_total) * other * (total - other)))
            if value > 0 or not positive:
                out_columns[n] = columns[cell]
                out_values[n] = value
                n += 1
        out_starts[row + 1] = n
    return n
