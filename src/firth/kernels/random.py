"""Random numbers inside compiled kernels; the state is an array of one uint64, owned by one thread.

Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators" (SplitMix64). A draw depends on the
previous one only through an addition, so that the processor overlaps several draws; xorshift's chain of shifts
does not allow this.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@njit(nogil=True, inline="always")
def draw(
    state: npt.NDArray[np.uint64],  # (1,) uint64, updated in place
) -> Any:
    """Return 64 random bits."""
    state[0] += GOLDEN
    return mix(state[0])


@njit(nogil=True, inline="always")
def peek(
    state: npt.NDArray[np.uint64],  # (1,) uint64, unchanged
    draws: int,  # number of draws ahead; 1 is the next
) -> Any:
    """Return the 64 random bits of a later draw."""
    return mix(state[0] + np.uint64(draws) * GOLDEN)


@njit(nogil=True, inline="always")
def mix(z: Any) -> Any:
    """Return the random bits of a state."""
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return z ^ (z >> np.uint64(31))


@njit(nogil=True, inline="always")
def below(
    bits: np.uint64,  # from `draw`; its upper 32 bits are used
    bound: int,
) -> int:
    """Turn random bits into an integer from 0 to bound - 1.

    Lemire's multiply and shift; the frequencies are right to about bound / 2^32.
    """
    return int(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))
