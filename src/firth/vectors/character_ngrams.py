"""Which rows the n-grams of words have, for many words at once, in NumPy, so that reading vectors imports no compiler.

Two programs hash n-grams to rows, and models of both are read and written:

- fastText: FNV-1a, one row an n-gram; a word has a row of its own besides. `firth.kernels.ngram_hash` says more; there
  the same hashes are bricks for texts that stream by.
- floret: MurmurHash3, up to four rows an n-gram, which add up; a word between its marks is one n-gram more.

Source: Bojanowski et al. 2017, "Enriching word vectors with subword information", section 3.2; Svenstrup, Hansen and
Winther 2017, "Hash embeddings for efficient word representations", section 2 (several rows that make up for a small
table).

Cost: all n-grams that begin with one character share their beginnings: one step a byte of the longest.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.vectors.codes import Codes
from firth.vectors.murmur import murmur128

OFFSET, PRIME, SIGN = np.uint32(2166136261), np.uint32(16777619), np.uint32(0xFFFFFF00)
TOGETHER = 20_000  # words
END = "</s>"  # the end of a line is a word to fastText, and has no n-grams

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Hashing:
    """How the n-grams of a word become buckets.

    Attributes:
        min_n: the fewest characters of an n-gram, boundary marks included; at least 1.
        max_n: the most; less than `min_n` finds none.
        buckets: how many there are.
        hashes: 0 for fastText's hash; 1 to 4 for so many of floret's.
        seed: of floret's hash.
    """

    min_n: int
    max_n: int
    buckets: int
    hashes: int = 0
    seed: int = 2166136261

    def buckets_of(self, words: Sequence[str]) -> tuple[Ids, Ids]:
        """Return the buckets of the n-grams of words, repeated ones too.

        Args:
            words: W words, without marks; bytes that are no UTF-8 stand in them as `surrogateescape` has them.

        Returns:
            (W + 1,) where each word's begin, and the (N,) buckets.
        """
        empty = np.zeros(0, dtype=np.int64)
        if self.buckets < 1 or (self.max_n < self.min_n and not self.hashes):
            return np.zeros(len(words) + 1, dtype=np.int64), empty
        parts = [self._some(words[first : first + TOGETHER]) for first in range(0, len(words), TOGETHER)]
        counts = np.concatenate([empty, *(counts for counts, _ in parts)])
        return np.concatenate([[0], np.cumsum(counts)]), np.concatenate([empty, *(ids for _, ids in parts)])

    def _some(self, words: Sequence[str]) -> tuple[Ids, Ids]:
        """Return how many buckets each word has, and which."""
        tokens = [b"<" + _bytes(word) + b">" for word in words]
        text = np.frombuffer(b"".join(tokens), dtype=np.uint8)
        ends = np.cumsum([len(token) for token in tokens])
        if self.hashes:
            return _murmur_buckets(text, ends, self)
        plain = np.array([word != END for word in words], dtype=np.bool_)
        return _fnv_buckets(text, ends, plain, self)


@dataclass(frozen=True)
class _Characters:
    """Words as characters: C of them.

    Attributes:
        first: (C,) the first byte of each.
        size: (C,) its bytes.
        owner: (C,) its word.
        begins: (W,) the first character of each word.
        last: (W,) the last.
    """

    first: Ids
    size: Ids
    owner: Ids
    begins: Ids
    last: Ids

    @staticmethod
    def of(text: npt.NDArray[np.uint8], ends: Ids) -> "_Characters":
        first = np.flatnonzero(text & 0xC0 != 0x80)
        size = np.diff(first, append=len(text))
        last = np.searchsorted(first, ends) - 1
        begins = np.concatenate([[0], last[:-1] + 1])
        return _Characters(first, size, np.searchsorted(ends, first, side="right"), begins, last)

    def longer(self, remaining: Ids, n: int) -> Ids:
        """Return those of some characters that n characters of their word begin with."""
        return remaining[remaining + n - 1 <= self.last[self.owner[remaining]]]


def _fnv_buckets(
    text: npt.NDArray[np.uint8], ends: Ids, plain: npt.NDArray[np.bool_], hashing: Hashing
) -> tuple[Ids, Ids]:
    c = _Characters.of(text, ends)
    most = min(hashing.max_n, int((c.last - c.begins).max(initial=0)) + 1)  # whatever the options of a file say
    signed = text.astype(np.uint32) | np.where(text >= 128, SIGN, np.uint32(0))
    # Row i of the tables belongs to the n-grams that begin with character i.
    table = np.zeros((len(c.first), max(most - hashing.min_n + 1, 0)), dtype=np.int64)
    there = np.zeros(table.shape, dtype=np.bool_)
    hashes, remaining = np.full(len(c.first), OFFSET), np.flatnonzero(plain[c.owner])
    for n in range(1, most + 1):
        remaining = c.longer(remaining, n)
        if not len(remaining):
            break
        hashes[remaining] = _extended(hashes[remaining], signed, c.first[remaining + n - 1], c.size[remaining + n - 1])
        if n >= hashing.min_n:
            table[remaining, n - hashing.min_n] = hashes[remaining].astype(np.int64) % hashing.buckets
            there[remaining, n - hashing.min_n] = True
    if hashing.min_n == 1 and most:
        there[c.begins, 0] = there[c.last, 0] = False  # a mark alone is no n-gram
    counts = np.bincount(c.owner, weights=there.sum(axis=1), minlength=len(ends)).astype(np.int64)
    return counts, table[there]


def _extended(
    hashes: npt.NDArray[np.uint32], signed: npt.NDArray[np.uint32], at: Ids, size: Ids
) -> npt.NDArray[np.uint32]:
    """Return hashes with a character more: `size` bytes from `at`."""
    for byte in range(int(size.max())):
        longer = np.flatnonzero(size > byte) if byte else slice(None)
        hashes[longer] = (hashes[longer] ^ signed[at[longer] + byte]) * PRIME
    return hashes


def _murmur_buckets(text: npt.NDArray[np.uint8], ends: Ids, hashing: Hashing) -> tuple[Ids, Ids]:
    c = _Characters.of(text, ends)
    owners, starts, stops = [np.arange(len(ends))], [c.first[c.begins]], [ends]
    remaining = np.arange(len(c.first))
    for n in range(1, hashing.max_n + 1):
        remaining = c.longer(remaining, n)
        starting = remaining if n > 1 else np.setdiff1d(remaining, np.concatenate([c.begins, c.last]))
        if n >= hashing.min_n and len(starting):
            owners.append(c.owner[starting])
            starts.append(c.first[starting])
            stops.append(c.first[starting + n - 1] + c.size[starting + n - 1])
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    hashes = murmur128(text, np.concatenate(starts)[order], np.concatenate(stops)[order], hashing.seed)
    ids = hashes[:, : hashing.hashes].astype(np.int64) % hashing.buckets
    return hashing.hashes * np.bincount(owner, minlength=len(ends)), ids.reshape(-1)


def _bytes(word: str) -> bytes:
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return word.encode("utf-8", "surrogatepass")


TOGETHER = 4096  # words whose rows are gathered at once

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class NgramRows:
    """Rows of n-grams, one a bucket.

    Attributes:
        hashing: how n-grams become buckets.
        matrix: (U, D) rows.
        used: (U,) the bucket of each, ascending; None where all buckets have a row, in their order.
        pruned: whether an n-gram without a row counts for nothing; else it counts as a row of zeros.
    """

    hashing: Hashing
    matrix: npt.NDArray[Any] | Codes
    used: Ids | None = None
    pruned: bool = False

    def rows(self, ids: Any = slice(None)) -> Floats:
        """Return rows, all or some of them, (M, D) float32."""
        if isinstance(self.matrix, Codes):
            return self.matrix.rows(ids)
        return np.asarray(self.matrix[ids], dtype=np.float32)

    def positions(self, buckets: Ids) -> Ids:
        """Return the position of each bucket's row, or -1 where it has none."""
        if self.used is None:
            return buckets
        if not len(self.used):
            return np.full(len(buckets), -1, dtype=np.int64)
        near = np.minimum(np.searchsorted(self.used, buckets), len(self.used) - 1)
        return np.where(self.used[near] == buckets, near, -1)

    def without_zeros(self) -> "NgramRows":
        """Return the same rows but those of zeros, which a bucket without a row counts as; codes stay as they are."""
        if self.used is not None or self.pruned or isinstance(self.matrix, Codes):
            return self
        parts = range(0, len(self.matrix), TOGETHER)
        nonzero = np.concatenate([np.zeros(0, bool), *(self.matrix[i : i + TOGETHER].any(axis=1) for i in parts)])
        if nonzero.all():
            return self
        return dataclasses.replace(self, matrix=self.matrix[nonzero], used=np.flatnonzero(nonzero))

    def sums(self, words: Sequence[str]) -> tuple[Floats, Ids, npt.NDArray[np.bool_]]:
        """Return what the n-grams of words add up to.

        Returns:
            (W, D) sums of rows; (W,) by how many rows a mean divides them; (W,) whether a word has any row.
        """
        dim = self.matrix.shape[1]
        sums, counts = np.zeros((len(words), dim), dtype=np.float32), np.zeros(len(words), dtype=np.int64)
        has_ngrams = np.zeros(len(words), dtype=np.bool_)
        for first in range(0, len(words), TOGETHER):
            block = slice(first, first + TOGETHER)
            starts, buckets = self.hashing.buckets_of(words[block])
            positions = self.positions(buckets)
            filled = np.flatnonzero(positions >= 0)
            sizes = np.diff(np.searchsorted(filled, starts))
            has_ngrams[block], counts[block] = sizes > 0, sizes if self.pruned else np.diff(starts)
            if len(filled):
                begins = (np.cumsum(sizes) - sizes)[sizes > 0]
                sums[block][sizes > 0] = np.add.reduceat(self.rows(positions[filled]), begins, axis=0)
        return sums, counts, has_ngrams
