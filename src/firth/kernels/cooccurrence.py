"""Counts co-occurring words, one row of the co-occurrence matrix at a time.

All occurrences of a word are processed together. The whole row is summed in an array that stays in the cache and is
written once; no records are sorted, spilled and merged. A row is always summed in text order, however many words are
counted at a time.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.vector_ir import LINE

BITS = 12  # bits of an entry that hold the window's reach to one side
MOST_REACH = (1 << BITS) - 1
AHEAD = 8  # occurrences between the prefetch of the text and its use
DENSE = 128  # cost of a checked addition, in units of visiting one word of a row


@compiled
def find_positions(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    offsets: npt.NDArray[np.int64],  # (S + 1,) where sentences start
    first: int,  # the first word to find
    last: int,  # one past the last
    starts: npt.NDArray[np.int64],  # (last - first + 1,) each word's first entry in `positions`
    left: int,  # words of a window to the left
    right: int,
    positions: npt.NDArray[np.int64],  # written: position in the corpus, words of its window to the left, to the right
) -> int:
    """List the occurrences of each word in text order; return their number."""
    free = starts[:-1].copy()
    n = 0
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        for position in range(begin, end):
            word = ids[position]
            if first <= word < last:
                reach = min(left, position - begin) << BITS | min(right, end - 1 - position)
                positions[free[word - first]] = position << 2 * BITS | reach
                free[word - first] += 1
                n += 1
    return n


@compiled
def count_rows(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    first: int,  # the first word to count
    last: int,  # one past the last
    base: int,  # the word of `starts[0]`
    starts: npt.NDArray[np.int64],  # each word's first entry in `positions`
    positions: npt.NDArray[np.int64],  # as `find_positions` writes them
    weights: npt.NDArray[np.float64],  # (window + 1,) of a pair by its distance in words
    words: int,  # number of counted words
    half: bool,  # drop contexts with higher ids than the row's word: the matrix is symmetric
    columns: npt.NDArray[np.int32],  # written: context words, ascending in each row
    values: npt.NDArray[np.float32],  # written: their sums
    sizes: npt.NDArray[np.int64],  # (last - first,) written: cells per row
) -> int:
    """Write the rows of some words; return the number of cells."""
    sums, touched = np.zeros(words + 1), np.empty(words, np.int32)  # the extra entry takes all uncounted words
    cells = 0
    for word in range(first, last):
        most = word if half else words - 1
        n = 0
        begin, end = starts[word - base], starts[word - base + 1]
        # With many additions it is faster to add without checks and to scan the row once at the end.
        many = (end - begin) * len(weights) * DENSE > words
        for q in range(begin, end):
            if q + AHEAD < end:
                _fetch(ids, positions[q + AHEAD])
            position = positions[q] >> 2 * BITS
            left, right = (positions[q] >> BITS) & MOST_REACH, positions[q] & MOST_REACH
            if many:
                for d in range(1, left + 1):
                    sums[min(ids[position - d], words)] += weights[d]
                for d in range(1, right + 1):
                    sums[min(ids[position + d], words)] += weights[d]
            else:
                for d in range(1, left + 1):
                    n = _add(ids[position - d], most, weights[d], sums, touched, n)
                for d in range(1, right + 1):
                    n = _add(ids[position + d], most, weights[d], sums, touched, n)
        if many:
            for context in range(most + 1):
                if sums[context] != 0:
                    touched[n] = context
                    n += 1
            sums[most + 1 :] = 0
        else:
            touched[:n].sort()
        write_row(touched, n, sums, columns, values, cells)
        sizes[word - first] = n
        cells += n
    return cells


@njit(nogil=True, inline="always")
def _fetch(ids: npt.NDArray[np.int32], packed: int) -> None:
    """Prefetch the words around a later occurrence: the occurrences of a word lie far apart."""
    left, right = (packed >> BITS) & MOST_REACH, packed & MOST_REACH
    first = (ids.ctypes.data + 4 * ((packed >> 2 * BITS) - left)) & -LINE
    prefetch_row(first, (4 * (left + right) // LINE + 2) * LINE)


@njit(nogil=True)
def write_row(
    touched: npt.NDArray[np.int32],  # columns with a sum, ascending
    n: int,  # their number
    sums: npt.NDArray[Any],  # a row's sums, reset to 0
    columns: npt.NDArray[np.int32],  # written
    values: npt.NDArray[Any],  # written
    cells: int,  # the row's first entry in both
) -> None:
    """Write a row's sums as cells and reset them."""
    for i in range(n):
        columns[cells + i] = touched[i]
        values[cells + i] = sums[touched[i]]
        sums[touched[i]] = 0


@njit(nogil=True, inline="always")
def _add(
    context: int, most: int, weight: float, sums: npt.NDArray[np.float64], touched: npt.NDArray[np.int32], n: int
) -> int:
    if context <= most:
        before = sums[context]
        if before == 0:
            touched[n] = context
            n += 1
        sums[context] = before + weight
    return n


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
