"""Sets of noise words: drawn some windows ahead of their use, so that their rows are in the cache by then.

A shard has a ring of sets. Each set serves a number of consecutive windows (`shared`).
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.native_calls import prefetch_line, prefetch_row
from firth.kernels.noise import draw_alias
from firth.kernels.random import below, draw, peek
from firth.kernels.targets import Addresses


@njit(nogil=True, inline="always")
def next_slot(slot: int, count: int) -> int:
    """Return the next index in a ring of `count`; a division would take as long as drawing a word."""
    return slot + 1 if slot + 1 < count else 0


@njit(nogil=True, inline="always")
def draw_noise(
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    sets: npt.NDArray[np.int64],  # (slots, K) noise words
    slot: int,  # the set to fill
    at: Addresses,
    between: int,  # other draws before the next set's
) -> None:
    """Draw noise words; prefetch their rows and the table entries of the next set."""
    for k in range(sets.shape[1]):
        word = draw_alias(noise, draw(random))
        sets[slot, k] = word
        prefetch_row(at.outputs + word * at.output_bytes, at.output_bytes)
    table = np.int64(noise.ctypes.data)
    for k in range(sets.shape[1]):
        prefetch_line(table + noise.itemsize * below(peek(random, between + 1 + k), len(noise)))


@njit(nogil=True, inline="always")
def draw_ahead(
    noise: npt.NDArray[np.uint64],  # (V,) alias table
    random: npt.NDArray[np.uint64],  # (1,) state, updated
    sets: npt.NDArray[np.int64],  # (slots, K) noise words
    drawn: int,  # the last set drawn
    due: int,  # windows until the next set is drawn
    shared: int,  # windows per set
    shrink: bool,  # whether window sizes are drawn in between
    at: Addresses,
) -> tuple[int, int]:
    """Draw the noise words of a later window if it needs a new set; return the new `drawn` and `due`."""
    if due == 0:
        drawn, due = next_slot(drawn, len(sets)), shared
        draw_noise(noise, random, sets, drawn, at, shared if shrink else 0)
    return drawn, due - 1


@njit(nogil=True, inline="always")
def next_set(
    used: int,  # the noise set of the window before
    left: int,  # windows left to that set
    count: int,  # number of sets
    shared: int,  # windows per set
) -> tuple[int, int]:
    """Return the noise set of this window, and the windows left to it."""
    if left == 0:
        used, left = next_slot(used, count), shared
    return used, left - 1
