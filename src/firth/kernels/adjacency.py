"""Counts which units of a text follow which; units may overlap, and one may start and end at any token."""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.cooccurrence import write_row


@compiled
def find_ends(
    units: npt.NDArray[np.int32],  # (L, N) the unit of each length that starts at each position, or -1
    free: npt.NDArray[np.int64],  # (U,) the next free entry of each unit, updated
    ends: npt.NDArray[np.int64],  # written: one past the last token of each occurrence
) -> None:
    """List the ends of each unit's occurrences, in text order within each length."""
    for length in range(len(units)):
        row = units[length]
        for position in range(len(row)):
            unit = row[position]
            if unit >= 0:
                ends[free[unit]] = position + length + 1
                free[unit] += 1


@compiled
def count_followers(
    units: npt.NDArray[np.int32],  # (L, N)
    begins: npt.NDArray[np.bool_],  # (N + 1,) whether a sentence starts at a position, or the text has ended
    starts: npt.NDArray[np.int64],  # (U + 1,) the first entry of each unit in `ends`
    ends: npt.NDArray[np.int64],
    first: int,  # the first unit to count
    last: int,  # one past the last
    columns: npt.NDArray[np.int32],  # written: following units, ascending in each row
    values: npt.NDArray[np.float64],  # written: counts
    sizes: npt.NDArray[np.int64],  # (last - first,) written: cells per row
) -> int:
    """Count how often each unit directly follows some units; return the number of cells, or -1 without enough room."""
    most = len(starts) - 1
    sums, touched = np.zeros(most, np.int64), np.empty(most, np.int32)
    cells = 0
    for unit in range(first, last):
        n = 0
        for q in range(starts[unit], starts[unit + 1]):
            position = ends[q]
            if not begins[position]:
                for length in range(len(units)):
                    other = units[length, position]
                    if other >= 0:
                        if sums[other] == 0:
                            touched[n] = other
                            n += 1
                        sums[other] += 1
        if cells + n > len(columns):
            return -1
        touched[:n].sort()
        write_row(touched, n, sums, columns, values, cells)
        sizes[unit - first] = n
        cells += n
    return cells
