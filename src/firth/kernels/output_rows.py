"""Lists of the output rows of a prediction, with their signs, for the kernels of a step."""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.memory import set_float32, set_int64
from firth.kernels.step_emission import MOST_PADDING, WIDTH
from firth.kernels.targets import Addresses


@njit(nogil=True, inline="always")
def place_output(at: Addresses, entry: int, row: int, sign: float) -> None:
    """List an output row: +1 for a true pair, -1 for noise, 0 for one that takes no part."""
    set_int64(at.table, entry, at.outputs + row * at.output_bytes)
    set_float32(at.signs, entry, np.float32(sign))


@njit(nogil=True, inline="always")
def place_prediction(
    at: Addresses,
    entry: int,  # the first free entry
    word: int,
    shift: int,  # bytes from the beginning of an output row to the part that is meant
    sets: npt.NDArray[np.int64],  # (slots, most) noise words
    used: int,  # the set to use
    first: int,  # where the word's own noise begins in the set
    negative: int,  # K
) -> int:
    """List a word and its K noise words, of which those that are the word take no part; return the next free entry."""
    row = at.outputs + shift
    set_int64(at.table, entry, row + word * at.output_bytes)
    set_float32(at.signs, entry, np.float32(1))
    for k in range(negative):
        noise = sets[used, first + k]
        set_int64(at.table, entry + 1 + k, row + noise * at.output_bytes)
        set_float32(at.signs, entry + 1 + k, np.float32(0 if noise == word else -1))
    return entry + 1 + negative


@njit(nogil=True, inline="always")
def end_outputs(at: Addresses, n: int) -> None:
    """Close a list of n output rows with the padding that kernels read."""
    for i in range(MOST_PADDING):
        set_int64(at.table, n + i, at.zeros)
    for i in range(MOST_PADDING + WIDTH):
        set_float32(at.signs, n + i, np.float32(0))
