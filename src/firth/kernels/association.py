"""From counts to associations, a cell at a time."""

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
    """Write all cells of a symmetric matrix of which the lower half is kept."""
    starts[:] = 0
    for row in range(len(rows) - 1):
        for cell in range(rows[row], rows[row + 1]):
            starts[row + 1] += 1
            if columns[cell] != row:
                starts[columns[cell] + 1] += 1
    for row in range(len(rows) - 1):
        starts[row + 1] += starts[row]
    free = starts[:-1].copy()
    # By rows upwards: when row i writes into row j < i, all of row j's own cells and those of rows before i are there.
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
    positive: bool,  # leave out what is not above 0
    kept_starts: npt.NDArray[np.int64],  # (R + 1,) written
    kept_columns: npt.NDArray[np.int32],  # (C,) written
    kept: npt.NDArray[np.float64],  # (C,) written; may be `counts`
) -> int:
    """Write the association of each cell; return how many are kept."""
    n = 0
    kept_starts[0] = 0
    for row in range(len(starts) - 1):
        one = of_rows[row]
        for cell in range(starts[row], starts[row + 1]):
            other, x = of_columns[columns[cell]], counts[cell]
            if kind == PMI:
                value = math.log(x) - one - other
            else:
                above = total * x - one * other
                value = -1.0
                if above > 0:
                    value = math.sqrt(above / math.sqrt(one * (total - one) * other * (total - other)))
            if value > 0 or not positive:
                kept_columns[n] = columns[cell]
                kept[n] = value
                n += 1
        kept_starts[row + 1] = n
    return n
