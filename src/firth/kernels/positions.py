"""Context rows that keep their places: joined end to end into one wide row, and the wide gradient taken apart again.

A continuous window and the concatenating paragraph vector predict from the rows of a window side by side, so that a
word before the centre is something else than the same word behind it. The wide row meets output rows as wide as
itself; a place without a word is zero, and neither side of it is trained.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.memory import get_int64, set_int64
from firth.kernels.step import call_rows
from firth.kernels.targets import Addresses


@njit(nogil=True, inline="always")
def gather_places(
    sentence: npt.NDArray[np.int64],  # words that survived subsampling
    t: int,  # the centre's place
    before: int,  # context words before the centre
    after: int,  # context words behind it
    window: int,  # the most of either
    contexts: npt.NDArray[np.int64],  # (2 window,) receives row addresses, from the farthest before the centre on
    at: Addresses,
) -> int:
    """List the input row of each place around a centre, zeros where there is no word; return how many words there are.

    The places are -window .. -1, 1 .. window.
    """
    for j in range(window):
        contexts[j] = at.inputs + sentence[t - window + j] * at.row_bytes if window - j <= before else at.zeros
    for j in range(window):
        contexts[window + j] = at.inputs + sentence[t + 1 + j] * at.row_bytes if j < after else at.zeros
    return before + after


@njit(nogil=True)
def join_rows(rows: int, count: int, at: Addresses) -> None:
    """Copy `count` listed rows end to end into the hidden row."""
    for i in range(count):
        call_rows(at.mean, rows + 8 * i, 1, at.hidden + i * at.row_bytes, at.chunks, np.float32(1))


@njit(nogil=True)
def split_gradient(rows: int, first: int, count: int, at: Addresses) -> None:
    """Add to each listed row from `first` on its part of the wide gradient; clear all `count` parts."""
    for i in range(count):
        part = at.gradient + i * at.row_bytes
        if i < first:
            set_int64(rows, i, at.zeros)
        if get_int64(rows, i) == at.zeros:
            call_rows(at.mean, rows + 8 * i, 1, part, at.chunks, np.float32(1))  # the part becomes zeros
        else:
            call_rows(at.add, rows + 8 * i, 1, part, at.chunks, np.float32(1))
