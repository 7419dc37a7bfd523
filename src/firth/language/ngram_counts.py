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

Workers of a cluster sort the positions of some words each: their n-grams follow each other in every order, so that
parts are joined by counting on, and suffixes are looked up afterwards.

Cost: O(N n) plus sorting inside the runs, in several threads; 12 bytes per token and 20 bytes per n-gram of any order.
About 20 million tokens of running text contain 40 million different n-grams of orders 1 to 5.
"""

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError, OptionError
from firth.kernels.compiled import compiled
from firth.kernels.threads import usable_threads
from firth.language.text import LanguageText
from firth.workers import lent

MAX_POSITIONS = 2**31 - 2
SMALL = 24  # runs of at most this many positions are sorted by insertion
PER_WORKER = 4  # ranges of words for each worker of a cluster
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
        order: n, the length of the longest n-grams.
        threads: number of threads; by default one per processor. It does not change the counts.
    """
    if order < 1:
        raise OptionError(f"order={order}: expected at least 1")
    threads, size = usable_threads(threads), len(text.vocabulary)
    stream = _stream(text, size)
    counts = np.bincount(stream[:-1], minlength=size + 1)
    if (workers := lent()) is not None and order > 1:
        cuts = _cuts(counts, PER_WORKER * workers.count)
        pieces = [(a, b) for a, b in itertools.pairwise(cuts) if a < b]
        levels = _joined(list(workers.map(count_range, pieces, stream, order, size)), [first for first, _ in pieces])
    else:
        levels = _rows(stream, 0, size + 1, order, size, threads)
    zeros = np.zeros(size + 1, np.int32)
    orders = [_Order(np.arange(size + 1, dtype=np.int32), zeros, counts), *levels]
    suffixes = [zeros]
    with ThreadPoolExecutor(threads) as pool:
        for k in range(1, order):
            suffixes.append(orders[k].last.copy() if k == 1 else _suffixes(orders, k, suffixes[-1], threads, pool))
    lasts, contexts, all_counts = zip(*orders, strict=True)
    return NgramCounts(lasts, all_counts, contexts, suffixes, size, text.unk_id, text.eos_id)


class _Order(NamedTuple):
    """The n-grams of one order, or those that begin with some words."""

    last: Ids
    contexts: Ids
    counts: Counts


def count_range(stream: Ids, order: int, size: int, first: int, last: int) -> list[_Order]:
    """Count the n-grams that begin with some words, in a worker.

    Args:
        size: V.
        last: one past the last of them.

    Returns:
        Orders 2 to n; contexts count from the first row of the range.
    """
    return _rows(stream, first, last, order, size, 1)


def _rows(stream: Ids, first: int, last: int, order: int, size: int, threads: int) -> list[_Order]:
    counts = count_words(stream[:-1], first, last)
    starts = (np.cumsum(counts) - counts).astype(np.int32)
    positions = np.empty(int(counts.sum()), np.int32)
    list_positions(stream, first, last, starts.copy(), positions)
    levels: list[_Order] = []
    with ThreadPoolExecutor(threads) as pool:
        for k in range(2, order + 1):
            level = _Level(stream, positions, starts, counts, size)
            words, contexts, starts, counts = level.next_rows(k - 1, threads, pool)
            levels.append(_Order(words, contexts, counts))
    return levels


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
        cuts = _cuts(self.counts, 8 * threads if threads > 1 else 1)
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


def _suffixes(orders: Sequence[_Order], k: int, before: Ids, threads: int, pool: ThreadPoolExecutor) -> Ids:
    """Return the row of each n-gram of order k + 1 without its first word, from those of order k."""
    own, shorter, shortest = orders[k], orders[k - 1], orders[k - 2]
    begins = np.zeros(len(shortest.last) + 1, np.int64)  # where the rows of order k with each context begin
    np.cumsum(np.bincount(shorter.contexts, minlength=len(shortest.last)), out=begins[1:])
    suffixes = np.empty(len(own.last), np.int32)
    cuts = np.linspace(0, len(suffixes), 1 + (8 * threads if threads > 1 else 1), dtype=np.int64).tolist()

    def find(first: int, last: int) -> None:
        find_suffixes(own.contexts, own.last, before, begins, shorter.last, first, last, suffixes)

    list(pool.map(find, cuts[:-1], cuts[1:]))
    return suffixes


def _joined(parts: Sequence[Sequence[_Order]], firsts: Sequence[int]) -> list[_Order]:
    """Join the n-grams of ranges of words that follow each other; `firsts` are the first words."""
    bases, orders = np.array(firsts), list[_Order]()
    for own in zip(*parts, strict=True):
        contexts = [part.contexts + np.int32(base) for part, base in zip(own, bases, strict=True)]
        last, counts = (np.concatenate([part[i] for part in own]) for i in (0, 2))
        orders.append(_Order(last, np.concatenate(contexts), counts))
        sizes = [len(part.last) for part in own]
        bases = np.cumsum(sizes) - sizes
    return orders


def _cuts(counts: Counts, parts: int) -> list[int]:
    """Return the bounds of a number of parts with about equally many positions."""
    ends = np.cumsum(counts)
    targets = np.linspace(0, ends[-1] if len(ends) else 0, parts + 1)[1:-1]
    return [0, *np.searchsorted(ends, targets).tolist(), len(counts)]


@compiled
def count_words(
    stream: Ids,  # (P,) the text
    first: int,  # first word
    last: int,  # one past the last word
) -> Counts:
    """Count the occurrences of some words."""
    counts = np.zeros(last - first, np.int64)
    for position in range(len(stream)):
        word = stream[position]
        if first <= word < last:
            counts[word - first] += 1
    return counts


@compiled
def list_positions(
    stream: Ids,  # (P + 1,) the text
    first: int,  # first word
    last: int,  # one past the last word
    free: Ids,  # next free entry of each of these words, advanced
    positions: Ids,  # written
) -> None:
    """Sort the positions of some words by their words."""
    for position in range(len(stream) - 1):
        word = stream[position]
        if first <= word < last:
            positions[free[word - first]] = position
            free[word - first] += 1


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
    contexts: Ids,  # (M,) row of the first k words of each n-gram of order k + 1
    words: Ids,  # (M,) its last word
    before: Ids,  # (L,) row of each n-gram of order k without its first word
    begins: Counts,  # (K + 1,) of each n-gram of order k - 1, the first row of order k that begins with it
    shorter: Ids,  # (L,) last word of each n-gram of order k
    first: int,  # first row
    last: int,  # one past the last row
    suffixes: Ids,  # (M,) written: row of order k
) -> None:
    """Look up each n-gram without its first word: its context without it, and then its last word."""
    context, low, high = -1, 0, 0
    for row in range(first, last):
        if contexts[row] != context:
            context = contexts[row]
            low, high = begins[before[context]], begins[before[context] + 1]
        word, end = words[row], high
        step = 1  # words ascend, so that the next one is often near
        while low + step < end and shorter[low + step] <= word:
            low += step
            step *= 2
        end = min(end, low + step)
        while end - low > 1:
            middle = (low + end) // 2
            if shorter[middle] <= word:
                low = middle
            else:
                end = middle
        suffixes[row] = low
