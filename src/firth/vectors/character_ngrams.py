"""The n-grams of many words at once, in NumPy: whoever reads vectors does not wait for a compiler.

Hashes and marks are those of `firth.kernels.ngram_hash`, which says what and whence they are; there they are bricks for
texts that stream by.

Cost: all n-grams that begin with one character share their beginnings: one step a byte of the longest.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

OFFSET, PRIME, SIGN = np.uint32(2166136261), np.uint32(16777619), np.uint32(0xFFFFFF00)
TOGETHER = 20_000  # words

Ids = npt.NDArray[np.int64]


def character_ngrams(words: Sequence[str], min_n: int, max_n: int, buckets: int) -> tuple[Ids, Ids]:
    """Return the buckets of the n-grams of words, repeated ones too.

    Args:
        words: W words, without marks; bytes that are no UTF-8 stand in them as `surrogateescape` has them.
        min_n: the fewest characters of an n-gram, marks included; at least 1.
        max_n: the most; less than `min_n` finds none.
        buckets: how many there are.

    Returns:
        (W + 1,) where each word's begin, and the (N,) buckets in the order in which the n-grams stand in the word.
    """
    starts, parts = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(words) if max_n >= min_n and buckets > 0 else 0, TOGETHER):
        counts, ids = _some(words[first : first + TOGETHER], min_n, max_n, buckets)
        starts.append(np.cumsum(counts) + starts[-1][-1])
        parts.append(ids)
    if len(starts) == 1:
        return np.zeros(len(words) + 1, dtype=np.int64), parts[0]
    return np.concatenate(starts), np.concatenate(parts)


def _some(words: Sequence[str], min_n: int, max_n: int, buckets: int) -> tuple[Ids, Ids]:
    """Return how many n-grams each word has, and their buckets."""
    tokens = [b"<" + _bytes(word) + b">" for word in words]
    text = np.frombuffer(b"".join(tokens), dtype=np.uint8)
    ends = np.cumsum([len(token) for token in tokens])
    first = np.flatnonzero(text & 0xC0 != 0x80)  # the first byte of each character
    size = np.diff(first, append=len(text))
    owner = np.searchsorted(ends, first, side="right")
    last = np.searchsorted(first, ends) - 1  # the last character of each word
    begins = np.concatenate([[0], last[:-1] + 1])
    signed = text.astype(np.uint32) | np.where(text >= 128, SIGN, np.uint32(0))
    # Row c of the tables belongs to the n-grams that begin with character c.
    table = np.zeros((len(first), max_n - min_n + 1), dtype=np.int64)
    there = np.zeros(table.shape, dtype=np.bool_)
    hashes, left = np.full(len(first), OFFSET), np.arange(len(first))
    for n in range(1, max_n + 1):
        left = left[left + n - 1 <= last[owner[left]]]
        if not len(left):
            break
        hashes[left] = _extended(hashes[left], signed, first[left + n - 1], size[left + n - 1])
        if n >= min_n:
            table[left, n - min_n] = hashes[left].astype(np.int64) % buckets
            there[left, n - min_n] = True
            if n == 1:
                there[begins, 0] = there[last, 0] = False  # a mark alone
    counts = np.bincount(owner, weights=there.sum(axis=1), minlength=len(words)).astype(np.int64)
    return counts, table[there]


def _extended(
    hashes: npt.NDArray[np.uint32], signed: npt.NDArray[np.uint32], at: Ids, size: Ids
) -> npt.NDArray[np.uint32]:
    """Return hashes with a character more: `size` bytes from `at`."""
    for byte in range(int(size.max())):
        some = np.flatnonzero(size > byte) if byte else slice(None)
        hashes[some] = (hashes[some] ^ signed[at[some] + byte]) * PRIME
    return hashes


def _bytes(word: str) -> bytes:
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return word.encode("utf-8", "surrogatepass")
