"""Draws words from a fixed distribution in constant time, with an alias table of eight bytes per word.

Source: Walker 1977, "An efficient method for generating discrete random variables with general distributions". The
table is built by the sweep of Hübschle-Schneider and Sanders 2022, "Parallel weighted random sampling", section 4.2,
with prefix sums: NumPy builds a table of a million words in a tenth of a second.

Sets of noise words: drawn some windows ahead of their use, so that their rows are in the cache by then.

A shard has a ring of sets. Each set serves a number of consecutive windows (`shared`).
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.native_calls import prefetch_line, prefetch_row
from firth.kernels.random import below, draw, peek
from firth.kernels.targets import Addresses


def alias_table(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Build the packed alias table of a distribution.

    A draw keeps its slot with probability `threshold / 2^32` and takes the slot's alias otherwise.

    Args:
        probabilities: (V,) non-negative, summing to 1.

    Returns:
        (V,) uint64: the threshold in the lower 32 bits, the alias in the upper 32. The upper half of 64 random bits
        selects the slot and the lower half is the coin, so a word's frequency is right to about V / 2^32.
    """
    height = probabilities * len(probabilities)
    # The highest slot is at least 1 high, except for rounding errors (as with 49 equal words).
    height[np.argmax(height)] = max(1.0, height.max())
    threshold = np.ones(len(height))
    alias = np.arange(len(height), dtype=np.uint64)
    small, large = np.flatnonzero(height < 1), np.flatnonzero(height >= 1)
    need = np.cumsum(1 - height[small])  # cumulative deficit of the low slots
    spare = np.cumsum(height[large] - 1)  # cumulative surplus of the high slots
    # Low slot i is filled by the first high slot that the earlier low slots have not used up. Ties go one way here and
    # the other way below, so that both searches agree.
    giver = np.searchsorted(spare, np.concatenate([[0.0], need[:-1]]), side="left")
    threshold[small] = height[small]
    alias[small] = large[np.minimum(giver[: len(small)], len(large) - 1)]
    # High slot j becomes low itself at the first low slot it cannot fill alone, and is filled by high slot j + 1.
    last = np.searchsorted(need, spare, side="right")
    overdrawn = last < len(small)
    overdrawn[-1:] = False  # only rounding errors could overdraw the last slot
    threshold[large[overdrawn]] = 1 + spare[overdrawn] - need[last[overdrawn]]
    alias[large[overdrawn]] = large[np.flatnonzero(overdrawn) + 1]
    coins = np.minimum(np.clip(threshold, 0, 1) * 2.0**32, 2.0**32 - 1).astype(np.uint64)
    return np.asarray(coins | (alias << np.uint64(32)))


@njit(nogil=True, inline="always")
def draw_alias(
    table: npt.NDArray[np.uint64],  # (V,) packed, from `alias_table`
    bits: np.uint64,  # 64 random bits
) -> int:
    """Return a word id drawn from the table's distribution."""
    slot = below(bits, len(table))
    entry = table[slot]
    alias = int(entry >> np.uint64(32))
    # No branch: the processor cannot predict the coin.
    return slot + (alias - slot) * (np.uint32(bits) >= np.uint32(entry))


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
