"""Concatenates context rows into one wide row and splits the wide gradient again.

A continuous window and the concatenating paragraph vector predict from the concatenated rows of a window, so that the
position of a word counts. Output rows have the same width. A position without a word is zero and is not trained.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.memory import get_int64, set_int64
from firth.kernels.step import call_rows
from firth.kernels.targets import Addresses, is_frozen


@njit(nogil=True, inline="always")
def gather_positions(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    t: int,  # the centre's position
    before: int,  # context words before the centre
    after: int,  # context words after it
    window: int,  # maximum of either
    contexts: npt.NDArray[np.int64],  # (2 window,) receives row addresses, in text order
    at: Addresses,
) -> int:
    """List the input row at each position -window .. -1, 1 .. window, or zeros; return the number of words."""
    for j in range(window):
        contexts[j] = at.inputs + sentence[t - window + j] * at.row_bytes if window - j <= before else at.zeros
    for j in range(window):
        contexts[window + j] = at.inputs + sentence[t + 1 + j] * at.row_bytes if j < after else at.zeros
    return before + after


@njit(nogil=True)
def join_rows(rows: int, count: int, at: Addresses) -> None:
    """Concatenate `count` listed rows in the hidden row."""
    for i in range(count):
        call_rows(at.mean, rows + 8 * i, 1, at.hidden + i * at.row_bytes, at.chunks, np.float32(1))


@njit(nogil=True, inline="always")
def leave_out_frozen(rows: int, count: int, at: Addresses) -> None:
    """Turn listed input rows that are frozen into zeros, which are not trained."""
    if at.frozen != 0:
        for i in range(count):
            row = get_int64(rows, i)
            if row != at.zeros and is_frozen(row, at):
                set_int64(rows, i, at.zeros)


@njit(nogil=True)
def split_gradient(rows: int, first: int, count: int, at: Addresses) -> None:
    """Add each part of the wide gradient to its listed row, from row `first`; clear all `count` parts."""
    for i in range(count):
        part = at.gradient + i * at.row_bytes
        if i < first:
            set_int64(rows, i, at.zeros)
        if get_int64(rows, i) == at.zeros:
            call_rows(at.mean, rows + 8 * i, 1, part, at.chunks, np.float32(1))  # the part becomes zeros
        else:
            call_rows(at.add, rows + 8 * i, 1, part, at.chunks, np.float32(1))
