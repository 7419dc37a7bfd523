"""A hash table from words to their numbers, as bricks of the scanner.

Words live in an arena, one after the other, each followed by a line feed. The table holds (key, number) pairs; a key of
0 is an empty slot. A word of up to 8 bytes is its own key; a longer one has a 55-bit hash above a zero byte, which no
word starts with, and its bytes are compared: two words never share a number.
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
    return _tag(h, load8(arena, start + n - 8))  # the last eight, some of them a second time


@njit(nogil=True, inline="always")
def key_of_two(first: np.uint64, last: np.uint64, n: int) -> np.uint64:
    """Return the key of a word of 9 to 16 bytes from its first eight and its last eight: what `key_of` returns."""
    return _tag(_mix(np.uint64(n) * _M, first), last)


@njit(nogil=True, inline="always")
def _mix(h: np.uint64, x: np.uint64) -> np.uint64:
    h = (h ^ x) * _M
    return h ^ (h >> _32)


@njit(nogil=True, inline="always")
def _tag(h: np.uint64, x: np.uint64) -> np.uint64:
    # A product's low bits know nothing of its factors' high ones: mixed once more, so that every byte reaches all bits.
    h = _mix(h, x) * _M2
    return ((h ^ (h >> _32)) & _NO_LOW_BYTE) | _256


@njit(nogil=True, inline="always")
def home(key: np.uint64) -> np.int64:
    """Return the slot that a key is looked for first, before the table's mask: 31 bits."""
    h = (key ^ (key >> _32)) * _M
    return np.int64((h ^ (h >> _32)) & np.uint64(0x7FFFFFFF))


@njit(nogil=True, inline="always")
def find(
    slots: npt.NDArray[np.uint64],  # (2 x slots,): key and number
    arena: npt.NDArray[np.uint8],  # (A,): the words' bytes
    starts: npt.NDArray[np.int64],  # (W+1,): where each word starts in the arena
    key: np.uint64,  # of the word that is looked for
    start: int,  # where its bytes stand in the arena
    n: int,  # how many they are
) -> int:
    """Return the slot that holds the word, or the empty one where it belongs."""
    mask = slots.size // 2 - 1
    s = home(key) & mask
    while True:
        found = slots[2 * s]
        if found == _0 or (found == key and (n <= 8 or _same(arena, starts, np.int64(slots[2 * s + 1]), start, n))):
            return s
        s = (s + 1) & mask


@njit(nogil=True, inline="always")
def _same(arena: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], word: int, start: int, n: int) -> bool:
    other = starts[word]
    if starts[word + 1] - other != n + 1:
        return False
    for i in range(0, n - 8, 8):
        if load8(arena, start + i) != load8(arena, other + i):
            return False
    return load8(arena, start + n - 8) == load8(arena, other + n - 8)


def rehashed(slots: npt.NDArray[np.uint64], growth: int) -> npt.NDArray[np.uint64]:
    """Return a hash table `growth` times as large, a power of two, with the same entries.

    In NumPy, so that nothing is compiled for it: all entries move together. Each that finds its slot free takes it; of
    several, that of the word which was met first, as it is likely the more frequent one; the others try the next.
    """
    pairs = slots.reshape(-1, 2)
    pairs = pairs[pairs[:, 0] != 0]
    pairs = pairs[np.argsort(pairs[:, 1])[::-1]]  # of assignments to one slot, the last stays
    larger = np.zeros((growth * len(slots) // 2, 2), dtype=np.uint64)
    mixed = (pairs[:, 0] ^ pairs[:, 0] >> 32) * _M
    at = ((mixed ^ mixed >> 32) & 0x7FFFFFFF).astype(np.int64) & (len(larger) - 1)
    while len(pairs):
        free = larger[at, 0] == 0
        larger[at[free]] = pairs[free]
        left = (larger[at] != pairs).any(axis=1)
        pairs, at = pairs[left], (at[left] + 1) & (len(larger) - 1)
    return larger.reshape(-1)
