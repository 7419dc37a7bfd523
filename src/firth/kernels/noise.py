"""Drawing words from a fixed distribution in constant time: an alias table of eight bytes a word.

Source: Walker 1977, "An efficient method for generating discrete random variables with general distributions"; built by
the sweep of Hübschle-Schneider and Sanders 2022, "Parallel weighted random sampling", section 4.2, written with prefix
sums so that NumPy builds a table of a million words in a tenth of a second.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.random import below


def alias_table(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Build the packed alias table of a distribution.

    Each of the V slots is kept with its own probability of `threshold / 2^32` and handed to its alias otherwise.

    Args:
        probabilities: (V,) non-negative, summing to 1.

    Returns:
        (V,) uint64: the threshold in the lower 32 bits, the alias in the upper 32. A draw of 64 bits takes its slot
        from the upper and its coin from the lower half, so a word's frequency is right to about V / 2^32.
    """
    height = probabilities * len(probabilities)
    # The highest slot is at least 1 high; only rounding can say otherwise, as it does of 49 equal words.
    height[np.argmax(height)] = max(1.0, height.max())
    threshold = np.ones(len(height))
    alias = np.arange(len(height), dtype=np.uint64)
    small, large = np.flatnonzero(height < 1), np.flatnonzero(height >= 1)
    need = np.cumsum(1 - height[small])  # what the low slots lack, up to and with each
    spare = np.cumsum(height[large] - 1)  # what the high slots can give, up to and with each
    # Low slot i is filled by the first high slot not yet overdrawn once the low slots before it are full. Sums are
    # compared as they stand, and a tie goes one way here and the other below: both searches must tell the same story.
    giver = np.searchsorted(spare, np.concatenate([[0.0], need[:-1]]), side="left")
    threshold[small] = height[small]
    alias[small] = large[np.minimum(giver[: len(small)], len(large) - 1)]
    # High slot j becomes low itself at the first low slot it cannot fill alone, and is filled by high slot j + 1.
    last = np.searchsorted(need, spare, side="right")
    spent = last < len(small)
    spent[-1:] = False  # only rounding could ask the last one for more than it has
    threshold[large[spent]] = 1 + spare[spent] - need[last[spent]]
    alias[large[spent]] = large[np.flatnonzero(spent) + 1]
    coins = np.minimum(np.clip(threshold, 0, 1) * 2.0**32, 2.0**32 - 1).astype(np.uint64)
    return np.asarray(coins | (alias << np.uint64(32)))


@njit(nogil=True, inline="always")
def draw_alias(
    table: npt.NDArray[np.uint64],  # (V,) packed, from `alias_table`
    bits: np.uint64,  # 64 random bits
) -> int:
    """Return one word id of the table's distribution."""
    slot = below(bits, len(table))
    entry = table[slot]
    alias = int(entry >> np.uint64(32))
    # No branch: the coin cannot be foreseen.
    return slot + (alias - slot) * (np.uint32(bits) >= np.uint32(entry))
