"""Counting which words stand near which: a word's row of the co-occurrence matrix at a time.

All places of a word are looked up at once, so that its whole row is summed in an array that stays in the cache, and is
done when it is written: no record is sorted, spilled and merged later, and a row's sum is made in the order of the
text, whatever part of the words is counted together.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.native_calls import prefetch_row
from firth.kernels.vector_ir import LINE

BITS = 12  # of a place's number that tell how far a window reaches to one side
MOST_REACH = (1 << BITS) - 1
AHEAD = 8  # places by which the text is asked for before it is looked at
DENSE = 128  # times as long as looking at one word of a row takes what asks before it adds


@compiled
def find_places(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    offsets: npt.NDArray[np.int64],  # (S + 1,) where sentences begin
    first: int,  # the first word whose places are wanted
    last: int,  # one past the last
    starts: npt.NDArray[np.int64],  # (last - first + 1,) where each word's places begin among `places`
    left: int,  # words that a window reaches to the left
    right: int,
    places: npt.NDArray[np.int64],  # written: place in the corpus, words of its window to the left, to the right
) -> int:
    """List where each word stands, in the order of the text; return how many places were listed."""
    free = starts[:-1].copy()
    found = 0
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        for place in range(begin, end):
            word = ids[place]
            if first <= word < last:
                reach = min(left, place - begin) << BITS | min(right, end - 1 - place)
                places[free[word - first]] = place << 2 * BITS | reach
                free[word - first] += 1
                found += 1
    return found


@compiled
def count_rows(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    first: int,  # the first word whose row is wanted
    last: int,  # one past the last
    base: int,  # the word that `starts` begins with
    starts: npt.NDArray[np.int64],  # where each word's places begin
    places: npt.NDArray[np.int64],  # as `find_places` writes them
    weights: npt.NDArray[np.float64],  # (window + 1,) of a pair that is so many words apart
    words: int,  # words that are counted
    half: bool,  # leave out context words behind the row's own: the matrix is symmetric
    columns: npt.NDArray[np.int32],  # written: context words, ascending in a row
    values: npt.NDArray[np.float32],  # written: their sums
    sizes: npt.NDArray[np.int64],  # (last - first,) written: cells a row
) -> int:
    """Write the rows of some words one after the other; return how many cells they have."""
    sums, touched = np.zeros(words + 1), np.empty(words, np.int32)  # one more for all words that are not counted
    cells = 0
    for word in range(first, last):
        most = word if half else words - 1
        found = 0
        begin, end = starts[word - base], starts[word - base + 1]
        # With so many additions it is quicker to make all, and to look through the row once, than to ask at each.
        many = (end - begin) * len(weights) * DENSE > words
        for q in range(begin, end):
            if q + AHEAD < end:
                _fetch(ids, places[q + AHEAD])
            place = places[q] >> 2 * BITS
            left, right = (places[q] >> BITS) & MOST_REACH, places[q] & MOST_REACH
            if many:
                for d in range(1, left + 1):
                    sums[min(ids[place - d], words)] += weights[d]
                for d in range(1, right + 1):
                    sums[min(ids[place + d], words)] += weights[d]
            else:
                for d in range(1, left + 1):
                    found = _add(ids[place - d], most, weights[d], sums, touched, found)
                for d in range(1, right + 1):
                    found = _add(ids[place + d], most, weights[d], sums, touched, found)
        if many:
            for context in range(most + 1):
                if sums[context] != 0:
                    touched[found] = context
                    found += 1
            sums[most + 1 :] = 0
        else:
            touched[:found].sort()
        take_row(touched, found, sums, columns, values, cells)
        sizes[word - first] = found
        cells += found
    return cells


@njit(nogil=True, inline="always")
def _fetch(ids: npt.NDArray[np.int32], listed: int) -> None:
    """Ask for the words around a place that will be looked at soon: those of a word's places lie far apart."""
    left, right = (listed >> BITS) & MOST_REACH, listed & MOST_REACH
    first = (ids.ctypes.data + 4 * ((listed >> 2 * BITS) - left)) & -LINE
    prefetch_row(first, (4 * (left + right) // LINE + 2) * LINE)


@njit(nogil=True)
def take_row(
    touched: npt.NDArray[np.int32],  # columns that have a sum, ascending
    found: int,  # how many
    sums: npt.NDArray[Any],  # a row's sums, set back to 0
    columns: npt.NDArray[np.int32],  # written
    values: npt.NDArray[Any],  # written
    cells: int,  # where the row begins in both
) -> None:
    """Write a row's sums as cells, and clear them."""
    for i in range(found):
        columns[cells + i] = touched[i]
        values[cells + i] = sums[touched[i]]
        sums[touched[i]] = 0


@njit(nogil=True, inline="always")
def _add(
    context: int, most: int, weight: float, sums: npt.NDArray[np.float64], touched: npt.NDArray[np.int32], found: int
) -> int:
    if context <= most:
        before = sums[context]
        if before == 0:
            touched[found] = context
            found += 1
        sums[context] = before + weight
    return found
