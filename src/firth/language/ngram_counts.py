"""Counts of n-grams of all orders, with the context and the suffix of each n-gram.

What: the number of occurrences of each sequence of 1 to n words. `BOS` precedes each sentence, and `EOS` follows it
where the text has one; no n-gram crosses the end of a sentence.

Objective: rows in lexicographic order of their word ids. Every sum that a smoothing method needs is then a sum over
runs or a `numpy.bincount`: c(h, .) over `contexts`, the number of words that precede an n-gram, N1+(., w), over
`suffixes`.

Source: n-grams of order k that share their first k - 1 words are neighbours once the positions of the text are sorted
by the words that follow, which is the idea of suffix arrays: Manber and Myers 1993, "Suffix arrays: a new method
for on-line string searches". `BOS` and `EOS` as in Heafield et al. 2013, "Scalable modified Kneser-Ney language model
estimation", section 3.1, whose program sorts n-grams on disk.

Departures: positions are sorted one word deeper at a time, up to n words, so that each order's runs appear on the way.
Everything is in memory.

Cost: O(N n) plus sorting inside the runs, in several threads; 16 bytes per token and 20 bytes per n-gram of any order.
About 20 million tokens of running text contain 40 million different n-grams of orders 1 to 5.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError, OptionError
from firth.kernels.compiled import compiled
from firth.kernels.threads import usable_threads
from firth.language.text import LanguageText

MAX_POSITIONS = 2**31 - 2
SMALL = 24  # runs of at most this many positions are sorted by insertion
DENSE = 8  # a run with more than V / DENSE positions is sorted by counting

Ids = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
# The result of a smoothing method, `estimate(counts: NgramCounts, options) -> Estimates`: for each order k, the natural
# logarithms of the probability of each n-gram's last word given the others, (M_k,), and of the back-off weight of the
# n-gram as a context, (M_k,); both float32 or float64. The probability of `BOS` alone is not used.
Estimates = Sequence[tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]]]


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The n-grams of orders 1 to n in a text, and their counts.

    Lists have one entry per order; order k is at `[k - 1]`. The rows of an order are sorted by their word ids. Order 1
    has a row for each of the V words, seen or not, and one for `BOS`, so that row and id are the same.

    Attributes:
        last: (M_k,) int32, the last word of each n-gram.
        counts: (M_k,) int64, occurrences in the text; for `BOS` alone the number of sentences.
        contexts: (M_k,) int32, the row of its first k - 1 words among those of order k - 1; zeros for order 1.
        suffixes: (M_k,) int32, the row of its last k - 1 words among those of order k - 1; zeros for order 1.
        vocab_size: V; `BOS` has the id V.
        unk_id: the id of `UNK`.
        eos_id: the id of `EOS`, or None where the text has none.
    """

    last: Sequence[Ids]
    counts: Sequence[Counts]
    contexts: Sequence[Ids]
    suffixes: Sequence[Ids]
    vocab_size: int
    unk_id: int
    eos_id: int | None

    @property
    def order(self) -> int:
        """The length n of the longest n-grams."""
        return len(self.counts)

    @property
    def bos_id(self) -> int:
        """V, the id of `BOS`, which is never predicted."""
        return self.vocab_size

    @property
    def words(self) -> list[Ids]:
        """(M_k, k) int32 for each order k: the word ids of each n-gram; computed at each access."""
        rows = [self.last[0][:, None]]
        for last, contexts in zip(self.last[1:], self.contexts[1:], strict=True):
            rows.append(np.column_stack([rows[-1][contexts], last]))
        return rows

    def firsts(self) -> list[Ids]:
        """Return, for each order k, (M_k,) int32: the first word of each n-gram."""
        firsts = [self.last[0]]
        for contexts in self.contexts[1:]:
            firsts.append(firsts[-1][contexts])
        return firsts


def count(text: LanguageText, order: int, *, threads: int | None = None) -> NgramCounts:
    """Count the n-grams of a text.

    Args:
        text: the text.
        order: n, the length of the longest n-grams.
        threads: number of threads; by default one per processor. It does not change the counts.

    Raises:
        OptionError: `order` or `threads` is below 1.
        CorpusError: the text is empty, or too long for 32-bit positions.
    """
    if order < 1:
        raise OptionError(f"order={order}: expected at least 1")
    threads, size = usable_threads(threads), len(text.vocabulary)
    stream = _stream(text, size)
    last, counts = np.arange(size + 1, dtype=np.int32), np.bincount(stream[:-1], minlength=size + 1)
    starts, zeros = (np.cumsum(counts) - counts).astype(np.int32), np.zeros(size + 1, np.int32)
    positions, ranks = np.empty(len(stream) - 1, np.int32), stream.copy()
    list_positions(stream, starts.copy(), positions)
    lasts, all_counts, contexts, suffixes = [last], [counts], [zeros], [zeros]
    with ThreadPoolExecutor(threads) as pool:
        for k in range(2, order + 1):
            level = _Level(stream, positions, starts, all_counts[-1], size)
            last, context, starts, counts = level.next_rows(k - 1, threads, pool)
            suffixes.append(_suffixes(ranks, positions, starts, counts, k < order, threads, pool))
            lasts.append(last)
            contexts.append(context)
            all_counts.append(counts)
    return NgramCounts(lasts, all_counts, contexts, suffixes, size, text.unk_id, text.eos_id)


def _stream(text: LanguageText, bos: int) -> Ids:
    """Return the ids with `BOS` before each sentence and after the last."""
    sentences = len(text.offsets) - 1
    if not len(text) or not sentences:
        raise CorpusError("the text has no words; expected at least one to count n-grams")
    if len(text) + sentences > MAX_POSITIONS:
        raise CorpusError(f"the text has {len(text):,} tokens; expected at most {MAX_POSITIONS:,} to count n-grams")
    return np.append(np.insert(text.ids, text.offsets[:-1], np.int32(bos)), np.int32(bos))


@dataclass(frozen=True)
class _Level:
    """The positions of a text, sorted by the k words that start there, and the rows of order k: runs of positions."""

    stream: Ids
    positions: Ids
    starts: Ids
    counts: Counts
    size: int

    def next_rows(self, ahead: int, threads: int, pool: ThreadPoolExecutor) -> tuple[Ids, Ids, Ids, Counts]:
        """Sort by the word `ahead` positions further; return last words, contexts, starts and counts of order k + 1."""
        cuts = _cuts(self.counts, threads)
        keys = np.empty_like(self.positions)

        def sort(first: int, last: int) -> int:
            run = self.stream, self.positions, self.starts, self.counts, keys
            return int(sort_runs(*run, first, last, ahead, self.size))

        sizes = list(pool.map(sort, cuts[:-1], cuts[1:]))
        bases = np.concatenate([[0], np.cumsum(sizes)])
        rows = int(bases[-1])
        last, context = np.empty(rows, np.int32), np.empty(rows, np.int32)
        starts, counts = np.empty(rows, np.int32), np.empty(rows, np.int64)

        def write(i: int) -> None:
            a, b = int(bases[i]), int(bases[i + 1])
            out = last[a:b], context[a:b], starts[a:b], counts[a:b]
            write_runs(self.starts, self.counts, keys, cuts[i], cuts[i + 1], self.size, *out)

        list(pool.map(write, range(len(sizes))))
        return last, context, starts, counts


def _suffixes(
    ranks: Ids, positions: Ids, starts: Ids, counts: Counts, update: bool, threads: int, pool: ThreadPoolExecutor
) -> Ids:
    """Return the row of each n-gram without its first word; with `update`, `ranks` gets the rows of this order."""
    cuts = _cuts(counts, threads)
    suffixes = np.empty(len(starts), np.int32)

    def look(a: int, b: int) -> None:
        find_suffixes(ranks, positions, starts, a, b, suffixes)

    def write(a: int, b: int) -> None:
        write_ranks(positions, starts, counts, a, b, ranks)

    list(pool.map(look, cuts[:-1], cuts[1:]))
    if update:
        list(pool.map(write, cuts[:-1], cuts[1:]))
    return suffixes


def _cuts(counts: Counts, threads: int) -> list[int]:
    """Return the bounds of parts with about equally many positions, several per thread."""
    if threads == 1:
        return [0, len(counts)]
    ends = np.cumsum(counts)
    targets = np.linspace(0, ends[-1] if len(ends) else 0, 8 * threads + 1)[1:-1]
    return [0, *np.searchsorted(ends, targets).tolist(), len(counts)]


@compiled
def list_positions(
    stream: Ids,  # (P + 1,) the text
    free: Ids,  # (V + 1,) next free entry of each word, advanced
    positions: Ids,  # (P,) written
) -> None:
    """Sort the positions of the text by their words."""
    for position in range(len(positions)):
        word = stream[position]
        positions[free[word]] = position
        free[word] += 1


@compiled
def sort_runs(
    stream: Ids,  # (P + 1,) the text
    positions: Ids,  # (P,) sorted by k words; afterwards by k + 1
    starts: Ids,  # (M,) first position of each row
    counts: Counts,  # (M,) number of positions of each row
    keys: Ids,  # (P,) written: the next word of each position
    first: int,  # first row
    last: int,  # one past the last row
    ahead: int,  # distance of the next word
    size: int,  # V, the id of `BOS`: there the sentence has ended
) -> int:
    """Sort the positions of each row by the next word; return the number of distinct n-grams of order k + 1."""
    sums, distinct = np.zeros(size + 2, np.int32), 0
    longest = 0
    for row in range(first, last):
        longest = max(longest, counts[row])
    packed = np.empty(longest, np.int64)
    for row in range(first, last):
        begin, n = starts[row], counts[row]
        for q in range(begin, begin + n):
            keys[q] = stream[positions[q] + ahead]
        if n <= SMALL:
            for q in range(begin + 1, begin + n):
                key, position, to = keys[q], positions[q], q
                while to > begin and keys[to - 1] > key:
                    keys[to], positions[to] = keys[to - 1], positions[to - 1]
                    to -= 1
                keys[to], positions[to] = key, position
        elif n * DENSE < size:
            for i in range(n):
                packed[i] = np.int64(keys[begin + i]) << 32 | np.int64(positions[begin + i])
            packed[:n].sort()
            for i in range(n):
                keys[begin + i], positions[begin + i] = packed[i] >> 32, packed[i] & 0x7FFFFFFF
        else:
            sums[:] = 0
            for i in range(n):
                packed[i] = np.int64(keys[begin + i]) << 32 | np.int64(positions[begin + i])
                sums[keys[begin + i] + 1] += 1
            for word in range(1, size + 2):
                sums[word] += sums[word - 1]
            for i in range(n):
                word = packed[i] >> 32
                q = begin + sums[word]
                keys[q], positions[q] = word, packed[i] & 0x7FFFFFFF
                sums[word] += 1
        before = -1
        for q in range(begin, begin + n):
            if keys[q] != before and keys[q] != size:
                distinct += 1
            before = keys[q]
    return distinct


@compiled
def write_runs(
    starts: Ids,  # (M,) first position of each row
    counts: Counts,  # (M,) number of positions of each row
    keys: Ids,  # (P,) next word of each position, sorted inside a row
    first: int,  # first row
    last: int,  # one past the last row
    size: int,  # V
    words: Ids,  # (M',) written: last word of each n-gram of order k + 1
    contexts: Ids,  # (M',) written: its context, the row of order k
    begins: Ids,  # (M',) written: its first position
    numbers: Counts,  # (M',) written: number of positions
) -> None:
    """Write the n-grams of order k + 1."""
    n = -1
    for row in range(first, last):
        before = -1
        for q in range(starts[row], starts[row] + counts[row]):
            word = keys[q]
            if word == size:
                break
            if word != before:
                n += 1
                words[n], contexts[n], begins[n], numbers[n] = word, row, q, 0
                before = word
            numbers[n] += 1


@compiled
def find_suffixes(
    ranks: Ids,  # (P + 1,) row of order k - 1 of the n-gram at each position
    positions: Ids,  # (P,)
    starts: Ids,  # (M,) first position of each row
    first: int,  # first row
    last: int,  # one past the last row
    suffixes: Ids,  # (M,) written: row of order k - 1
) -> None:
    """Look up each n-gram without its first word."""
    for row in range(first, last):
        suffixes[row] = ranks[positions[starts[row]] + 1]


@compiled
def write_ranks(
    positions: Ids,  # (P,)
    starts: Ids,  # (M,) first position of each row
    counts: Counts,  # (M,) number of positions of each row
    first: int,  # first row
    last: int,  # one past the last row
    ranks: Ids,  # (P + 1,) written: row of the n-gram at each position
) -> None:
    """Write the row of each position."""
    for row in range(first, last):
        for q in range(starts[row], starts[row] + counts[row]):
            ranks[positions[q]] = row
