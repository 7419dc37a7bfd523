"""Draws words from a fixed distribution in constant time, with an alias table of eight bytes per word.

Source: Walker 1977, "An efficient method for generating discrete random variables with general distributions". The
table is built by the sweep of Hübschle-Schneider and Sanders 2022, "Parallel weighted random sampling", section 4.2,
with prefix sums: NumPy builds a table of a million words in a tenth of a second.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.random import below


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
