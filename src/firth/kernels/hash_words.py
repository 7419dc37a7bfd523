"""The scanner's hash table from words to their numbers.

Words are stored in an arena, each followed by a line feed. The table holds (key, number) pairs; key 0 is an empty slot.
A word of up to 8 bytes is its own key. A longer word has a 55-bit hash above a zero byte (no word starts with one), and
its bytes are compared, so that two words never share a number.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.scan_memory import load8

MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: neighbouring keys land far apart
_M = np.uint64(MULTIPLIER)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_M2 = np.uint64(0xD6E8FEB86659FD93)
_NO_LOW_BYTE, _256 = np.uint64(0xFFFFFFFFFFFFFF00), np.uint64(256)
_0, _32 = np.uint64(0), np.uint64(32)


@njit(nogil=True, inline="always")
def key_of(
    arena: npt.NDArray[np.uint8],  # (A,); 8 bytes more than the word can be read
    start: int,  # where the word starts
    n: int,  # its bytes, at least 1
) -> np.uint64:
    """Return the key of a word."""
    if n <= 8:
        return load8(arena, start) & (_ALL >> np.uint64(64 - 8 * n))
    h = np.uint64(n) * _M
    for i in range(0, n - 8, 8):
        h = _mix(h, load8(arena, start + i))
    return _tag(h, load8(arena, start + n - 8))  # the last eight bytes, which may overlap the previous ones


@njit(nogil=True, inline="always")
def key_of_two(first: np.uint64, last: np.uint64, n: int) -> np.uint64:
    """Return the key of a word of 9 to 16 bytes from its first and last eight bytes, as `key_of` does."""
    return _tag(_mix(np.uint64(n) * _M, first), last)


@njit(nogil=True, inline="always")
def _mix(h: np.uint64, x: np.uint64) -> np.uint64:
    h = (h ^ x) * _M
    return h ^ (h >> _32)


@njit(nogil=True, inline="always")
def _tag(h: np.uint64, x: np.uint64) -> np.uint64:
    # The low bits of a product do not depend on the high bits of its factors: mixed again, so that all bits do.
    h = _mix(h, x) * _M2
    return ((h ^ (h >> _32)) & _NO_LOW_BYTE) | _256


@njit(nogil=True, inline="always")
def home(key: np.uint64) -> np.int64:
    """Return the first slot of a key's search, 31 bits before the table's mask."""
    h = (key ^ (key >> _32)) * _M
    return np.int64((h ^ (h >> _32)) & np.uint64(0x7FFFFFFF))


@njit(nogil=True, inline="always")
def find(
    slots: npt.NDArray[np.uint64],  # (2 x slots,): key and number
    arena: npt.NDArray[np.uint8],  # (A,): the words' bytes
    starts: npt.NDArray[np.int64],  # (W+1,): where each word starts in the arena
    key: np.uint64,  # of the word to find
    start: int,  # where its bytes start in the arena
    n: int,  # number of bytes
) -> int:
    """Return the slot that holds the word, or the empty one where it belongs."""
    mask = slots.size // 2 - 1
    s = home(key) & mask
    while True:
        entry = slots[2 * s]
        if entry == _0 or (
            entry == key and (n <= 8 or same_word(arena, starts, np.int64(slots[2 * s + 1]), arena, start, n))
        ):
            return s
        s = (s + 1) & mask


@njit(nogil=True, inline="always")
def same_word(
    arena: npt.NDArray[np.uint8],  # the words of a table
    starts: npt.NDArray[np.int64],  # where each begins
    word: int,
    text: npt.NDArray[np.uint8],
    start: int,
    n: int,
) -> bool:
    """Return whether a word of a table is the n > 8 bytes at `start` of a text."""
    other = starts[word]
    if starts[word + 1] - other != n + 1:
        return False
    for i in range(0, n - 8, 8):
        if load8(text, start + i) != load8(arena, other + i):
            return False
    return load8(text, start + n - 8) == load8(arena, other + n - 8)


def rehashed(slots: npt.NDArray[np.uint64], growth: int) -> npt.NDArray[np.uint64]:
    """Return a hash table `growth` (a power of two) times as large with the same entries.

    In NumPy, to avoid compilation: all entries move together. Where several entries want one free slot, the word that
    occurred first gets it, as it is probably more frequent; the others try the next slot.
    """
    pairs = slots.reshape(-1, 2)
    pairs = pairs[pairs[:, 0] != 0]
    pairs = pairs[np.argsort(pairs[:, 1])[::-1]]  # the last assignment to a slot wins
    larger = np.zeros((growth * len(slots) // 2, 2), dtype=np.uint64)
    mixed = (pairs[:, 0] ^ pairs[:, 0] >> 32) * _M
    at = ((mixed ^ mixed >> 32) & 0x7FFFFFFF).astype(np.int64) & (len(larger) - 1)
    while len(pairs):
        free = larger[at, 0] == 0
        larger[at[free]] = pairs[free]
        pending = (larger[at] != pairs).any(axis=1)
        pairs, at = pairs[pending], (at[pending] + 1) & (len(larger) - 1)
    return larger.reshape(-1)
