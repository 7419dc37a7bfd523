"""Counting which units of a text follow which, where units overlap: one may begin and end anywhere."""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled
from firth.kernels.cooccurrence import take_row


@compiled
def find_ends(
    units: npt.NDArray[np.int32],  # (L, N) the unit of each length that begins at each place, or -1
    free: npt.NDArray[np.int64],  # (U,) where each unit's next place goes, updated
    ends: npt.NDArray[np.int64],  # written: one past the last token of each place where a unit stands
) -> None:
    """List where each unit ends, in the order of the text within each length."""
    for length in range(len(units)):
        row = units[length]
        for place in range(len(row)):
            unit = row[place]
            if unit >= 0:
                ends[free[unit]] = place + length + 1
                free[unit] += 1


@compiled
def count_followers(
    units: npt.NDArray[np.int32],  # (L, N)
    begins: npt.NDArray[np.bool_],  # (N + 1,) whether a sentence begins at a place, or the text has ended
    starts: npt.NDArray[np.int64],  # (U + 1,) where each unit's ends are listed
    ends: npt.NDArray[np.int64],
    first: int,  # the first unit whose row is wanted
    last: int,  # one past the last
    columns: npt.NDArray[np.int32],  # written: units that follow, ascending in a row
    values: npt.NDArray[np.float64],  # written: how often
    sizes: npt.NDArray[np.int64],  # (last - first,) written: cells a row
) -> int:
    """Write how often each unit follows right behind some units; return the cells, or -1 where there is no room."""
    most = len(starts) - 1
    sums, touched = np.zeros(most, np.int64), np.empty(most, np.int32)
    cells = 0
    for unit in range(first, last):
        found = 0
        for q in range(starts[unit], starts[unit + 1]):
            place = ends[q]
            if not begins[place]:
                for length in range(len(units)):
                    other = units[length, place]
                    if other >= 0:
                        if sums[other] == 0:
                            touched[found] = other
                            found += 1
                        sums[other] += 1
        if cells + found > len(columns):
            return -1
        touched[:found].sort()
        take_row(touched, found, sums, columns, values, cells)
        sizes[unit - first] = found
        cells += found
    return cells
