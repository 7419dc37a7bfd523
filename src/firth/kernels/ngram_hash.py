"""fastText's hashes of character n-grams and word n-grams.

What: an n-gram's row is its hash modulo the number of buckets; n-grams in one bucket share the row. The hashes equal
fastText's bit for bit, so that models can be exchanged in both directions.

Objective: for the bytes b_1 .. b_k of an n-gram, h_0 = 2166136261 and, modulo 2^32,

    h_i = (h_{i-1} xor s(b_i)) * 16777619,    s(b) = b with its sign extended: b + 0xFFFFFF00 where b >= 128

and for consecutive words with hashes g_1 .. g_n, as signed 32-bit numbers, G_1 = g_1 and, modulo 2^64,

    G_i = G_{i-1} * 116049371 + g_i

Source: Fowler, Noll and Vo, "The FNV non-cryptographic hash algorithm" (FNV-1a, 32 bits); Bojanowski et al. 2017,
"Enriching word vectors with subword information", section 3.2 (boundary marks, n from 3 to 6); Joulin et al. 2017, "Bag
of tricks for efficient text classification", section 2.2 (bags of word n-grams).

Departures: FNV-1a takes unsigned bytes; fastText's program extends the sign of a C++ char, and its models depend on it.

Cost: one multiplication per byte; n-grams that start at the same character share the hash of their common part.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

OFFSET, PRIME = np.uint32(2166136261), np.uint32(16777619)
ROW_PRIME = np.uint64(116049371)
SIGN = np.uint32(0xFFFFFF00)
OPENING, CLOSING = 60, 62  # "<" and ">", the marks of a word's ends


@njit(nogil=True, inline="always")
def hash_byte(h: np.uint32, byte: int) -> np.uint32:
    """Return the hash `h` extended by a byte; OFFSET is the hash of the empty string."""
    extended = np.uint32(byte) | (SIGN if byte >= 128 else np.uint32(0))
    return np.uint32(np.uint32(h ^ extended) * PRIME)


@njit(nogil=True, inline="always")
def hash_word(
    text: npt.NDArray[np.uint8],
    start: int,  # the word's first byte
    end: int,  # one past its last
) -> np.uint32:
    """Return the hash of a word's bytes, without marks."""
    h = OFFSET
    for i in range(start, end):
        h = hash_byte(h, text[i])
    return h


def most_ngrams(bytes: int, min_n: int, max_n: int) -> int:
    """Return an upper bound on the number of n-grams of a word with so many bytes, without marks."""
    return (bytes + 2) * max(0, max_n - min_n + 1)


@njit(nogil=True, inline="always")
def _marked_byte(text: npt.NDArray[np.uint8], start: int, end: int, i: int) -> int:
    """Return byte i of a text with boundary marks before `start` and at `end`."""
    return OPENING if i < start else CLOSING if i >= end else int(text[i])


@njit(nogil=True)
def character_ngrams(
    text: npt.NDArray[np.uint8],
    start: int,  # the word's first byte
    end: int,  # one past its last
    min_n: int,  # minimum characters per n-gram, at least 1
    max_n: int,  # maximum; 0 for no n-grams
    buckets: int,
    out: npt.NDArray[np.int64],  # receives buckets; room for most_ngrams more
    entry: int,  # the first entry to write
) -> int:
    """List the buckets of a word's n-grams, with repetitions; return one past the last entry written.

    Characters are code points. The boundary marks belong to the word; a mark alone is not an n-gram.
    """
    for first in range(start - 1, end + 1):
        if _marked_byte(text, start, end, first) & 0xC0 == 0x80:
            continue  # inside a character
        h, at = OFFSET, first
        for n in range(1, max_n + 1):
            if at > end:
                break
            h = hash_byte(h, _marked_byte(text, start, end, at))
            at += 1
            while at <= end and _marked_byte(text, start, end, at) & 0xC0 == 0x80:
                h = hash_byte(h, _marked_byte(text, start, end, at))
                at += 1
            if n >= min_n and not (n == 1 and (first < start or at > end)):
                out[entry] = np.int64(h) % buckets
                entry += 1
    return entry


@njit(nogil=True)
def word_ngrams(
    hashes: npt.NDArray[np.uint32],  # of the words of a text, from hash_word
    count: int,  # words
    longest: int,  # maximum words per n-gram; 1 for no n-grams
    buckets: int,
    out: npt.NDArray[np.int64],  # receives buckets; room for count (longest - 1) more
    entry: int,  # the first entry to write
) -> int:
    """List the buckets of the n-grams of two to `longest` words; return one past the last entry written."""
    for first in range(count):
        h = np.uint64(np.int64(np.int32(hashes[first])))
        for i in range(first + 1, min(count, first + longest)):
            h = h * ROW_PRIME + np.uint64(np.int64(np.int32(hashes[i])))
            out[entry] = np.int64(h % np.uint64(buckets))
            entry += 1
    return entry
