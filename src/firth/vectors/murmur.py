"""MurmurHash of many short texts at once, in NumPy: version 3 of floret's tables, version 2 of spaCy's strings.

Source: Appleby 2011, MurmurHash3, the variant of 128 bits for 64-bit processors, placed in the public domain by its
author.
"""

import numpy as np
import numpy.typing as npt

C1, C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
ADDED_1, ADDED_2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)
MIX_1, MIX_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
FIVE, SHIFT = np.uint64(5), np.uint64(33)
BLOCK, HALF = 16, 8  # bytes
MIX_64, SHIFT_64 = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)

Words = npt.NDArray[np.uint64]


def murmur128(
    text: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], seed: int
) -> npt.NDArray[np.uint32]:
    """Return the hashes of pieces of a text.

    Args:
        text: bytes.
        starts: (N,) the first byte of each piece.
        ends: (N,) one past its last.
        seed: of the hash, 32 bits.

    Returns:
        (N, 4): the 128 bits of each, lowest first.
    """
    sizes = ends - starts
    padded = np.concatenate([text, np.zeros(BLOCK, dtype=np.uint8)])
    h1 = np.full(len(starts), seed, dtype=np.uint64)
    h2 = h1.copy()
    for block in range(int(sizes.max(initial=0)) // BLOCK + 1):
        whole = np.flatnonzero(sizes >= (block + 1) * BLOCK)
        tail = np.flatnonzero((sizes < (block + 1) * BLOCK) & (sizes > block * BLOCK))
        k1, k2 = _scrambled(padded, starts[whole] + block * BLOCK, np.full(len(whole), BLOCK))
        h1[whole] = (_rotated(h1[whole] ^ k1, 27) + h2[whole]) * FIVE + ADDED_1
        h2[whole] = (_rotated(h2[whole] ^ k2, 31) + h1[whole]) * FIVE + ADDED_2
        k1, k2 = _scrambled(padded, starts[tail] + block * BLOCK, sizes[tail] - block * BLOCK)
        h1[tail] ^= k1
        h2[tail] ^= k2
    h1 ^= sizes.astype(np.uint64)
    h2 ^= sizes.astype(np.uint64)
    h1 += h2
    h2 += h1
    h1, h2 = _mixed(h1), _mixed(h2)
    h1 += h2
    h2 += h1
    return np.stack([h1, h2], axis=1).astype("<u8").view("<u4")


def _scrambled(
    padded: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]
) -> tuple[Words, Words]:
    """Return the two halves of blocks, zeros behind their ends, as they enter the hash."""
    bytes_ = padded[np.minimum(starts[:, None] + np.arange(BLOCK), len(padded) - 1)]
    bytes_[np.arange(BLOCK) >= sizes[:, None]] = 0
    halves = np.ascontiguousarray(bytes_).view("<u8").astype(np.uint64)
    return _rotated(halves[:, 0] * C1, 31) * C2, _rotated(halves[:, 1] * C2, 33) * C1


def _rotated(x: Words, bits: int) -> Words:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


def _mixed(x: Words) -> Words:
    x = (x ^ (x >> SHIFT)) * MIX_1
    x = (x ^ (x >> SHIFT)) * MIX_2
    return x ^ (x >> SHIFT)


def murmur64(
    text: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], seed: int
) -> Words:
    """Return the hashes of pieces of a text by MurmurHash2, the variant of 64 bits for 64-bit processors: spaCy's.

    Args:
        text: bytes.
        starts: (N,) the first byte of each piece.
        ends: (N,) one past its last.

    Returns:
        (N,) the hashes.

    Source:
        Appleby 2008, MurmurHash64A, placed in the public domain by its author.
    """
    sizes = ends - starts
    padded = np.concatenate([text, np.zeros(HALF, dtype=np.uint8)])
    h = np.uint64(seed) ^ (sizes.astype(np.uint64) * MIX_64)
    for block in range(int(sizes.max(initial=0)) // HALF + 1):
        whole = np.flatnonzero(sizes >= (block + 1) * HALF)
        k = _word(padded, starts[whole] + block * HALF, np.full(len(whole), HALF)) * MIX_64
        h[whole] = (h[whole] ^ ((k ^ (k >> SHIFT_64)) * MIX_64)) * MIX_64
        tail = np.flatnonzero((sizes < (block + 1) * HALF) & (sizes > block * HALF))
        h[tail] = (h[tail] ^ _word(padded, starts[tail] + block * HALF, sizes[tail] - block * HALF)) * MIX_64
    h = (h ^ (h >> SHIFT_64)) * MIX_64
    return h ^ (h >> SHIFT_64)


def _word(padded: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Words:
    """Return up to 8 bytes from each start as a number, lowest byte first."""
    bytes_ = padded[np.minimum(starts[:, None] + np.arange(HALF), len(padded) - 1)]
    bytes_[np.arange(HALF) >= sizes[:, None]] = 0
    return np.ascontiguousarray(bytes_).view("<u8").astype(np.uint64)[:, 0]
