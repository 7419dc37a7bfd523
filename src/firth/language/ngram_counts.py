"""Counting n-grams: every order at once, each row knowing its context and its suffix.

What: how often each sequence of 1 to n words stands in a text. One `BOS` stands before each sentence, `EOS` behind it
where the text has ends; no n-gram reaches over the end of a sentence.

Objective: rows in lexicographic order of their words' ids, so that all that a smoothing asks for is a sum over runs or
a `numpy.bincount`: c(h, .) over `contexts`, the words that stand before an n-gram, N1+(., w), over `suffixes`.

Source: the n-grams of order k that begin with the same k - 1 words are neighbours once the places of the text are
sorted by the words that follow, which is the idea of suffix arrays: Manber and Myers 1993, "Suffix arrays: a new method
for on-line string searches". `BOS` and `EOS` as in Heafield et al. 2013, "Scalable modified Kneser-Ney language model
estimation", section 3.1, whose program sorts n-grams on disk.

Departures: places are sorted one word deeper at a time and no deeper than n, so that the runs of each order are there
for the taking. Everything happens in memory.

Cost: O(N n) and some sorting inside the runs, in several threads; 16 bytes a token and 20 bytes an n-gram of any
order. Some 20 million tokens of running text hold 40 million different n-grams of orders 1 to 5.
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

MOST_PLACES = 2**31 - 2
SMALL = 24  # places of a run that are sorted by insertion
DENSE = 8  # a run with at least one place for so many words is sorted by counting

Ids = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
# What a smoothing makes of counts, `estimate(counts: NgramCounts, options) -> Estimates`: for each order k, the natural
# logarithms of the probability of each n-gram's last word after its others, (M_k,), that of `BOS` alone being of no
# matter, and of the weight of lower orders where a word was not seen after the n-gram, (M_k,); both float32 or float64.
Estimates = Sequence[tuple[npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]]]


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """How often each n-gram of orders 1 to n stands in a text.

    Lists have an entry for each order; that of order k is `[k - 1]`. Rows of an order are sorted by their words' ids.
    Order 1 has a row for each of V words, seen or not, and one for `BOS`, so that row and id are the same.

    Attributes:
        last: (M_k,) int32, the last word of each n-gram.
        counts: (M_k,) int64, how often each stands in the text; those of `BOS` alone are the sentences.
        contexts: (M_k,) int32, the row of its first k - 1 words among those of order k - 1; zeros for order 1.
        suffixes: (M_k,) int32, the row of its last k - 1 words among those of order k - 1; zeros for order 1.
        size: V, words of the vocabulary; `BOS` has the id V.
        unk_id: the id of `UNK`.
        eos_id: the id of `EOS`, or None where ends of sentences are not predicted.
    """

    last: Sequence[Ids]
    counts: Sequence[Counts]
    contexts: Sequence[Ids]
    suffixes: Sequence[Ids]
    size: int
    unk_id: int
    eos_id: int | None

    @property
    def order(self) -> int:
        """The length n of the longest n-grams."""
        return len(self.counts)

    @property
    def bos_id(self) -> int:
        """V, the id of `BOS`, which is never predicted."""
        return self.size

    @property
    def words(self) -> list[Ids]:
        """(M_k, k) int32 for each order k: the words of each n-gram; made anew at each call."""
        rows = [self.last[0][:, None]]
        for last, contexts in zip(self.last[1:], self.contexts[1:], strict=True):
            rows.append(np.column_stack([rows[-1][contexts], last]))
        return rows

    def firsts(self) -> list[Ids]:
        """Return, for each order k, (M_k,) int32: the first word of each n-gram."""
        found = [self.last[0]]
        for contexts in self.contexts[1:]:
            found.append(found[-1][contexts])
        return found


def count(text: LanguageText, order: int, *, threads: int | None = None) -> NgramCounts:
    """Count the n-grams of a text.

    Args:
        text: as language models read it.
        order: the length n of the longest n-grams.
        threads: how many; by default one a processor. The counts are the same for any number.

    Raises:
        OptionError: `order` or `threads` is below 1.
        CorpusError: the text is empty, or too long to be counted in one go.
    """
    if order < 1:
        raise OptionError(f"order={order}: expected at least 1")
    many, size = usable_threads(threads), len(text.vocabulary)
    stream = _stream(text, size)
    last, counts = np.arange(size + 1, dtype=np.int32), np.bincount(stream[:-1], minlength=size + 1)
    starts, none = (np.cumsum(counts) - counts).astype(np.int32), np.zeros(size + 1, np.int32)
    places, ranks = np.empty(len(stream) - 1, np.int32), stream.copy()
    place_words(stream, starts.copy(), places)
    lasts, all_counts, contexts, suffixes = [last], [counts], [none], [none]
    with ThreadPoolExecutor(many) as pool:
        for k in range(2, order + 1):
            level = _Level(stream, places, starts, all_counts[-1], size)
            last, context, starts, counts = level.rows(k - 1, many, pool)
            suffixes.append(_suffixes(ranks, places, starts, counts, k < order, many, pool))
            lasts.append(last)
            contexts.append(context)
            all_counts.append(counts)
    return NgramCounts(lasts, all_counts, contexts, suffixes, size, text.unk_id, text.eos_id)


def _stream(text: LanguageText, begin: int) -> Ids:
    """Return the text with `BOS` before each sentence, and once more at the end."""
    sentences = len(text.offsets) - 1
    if not len(text) or not sentences:
        raise CorpusError("the text has no words; expected at least one to count n-grams")
    if len(text) + sentences > MOST_PLACES:
        raise CorpusError(f"the text has {len(text):,} tokens; expected at most {MOST_PLACES:,} to count n-grams")
    return np.append(np.insert(text.ids, text.offsets[:-1], np.int32(begin)), np.int32(begin))


@dataclass(frozen=True)
class _Level:
    """The places of a text, sorted by the words of an order, and the rows of that order among them."""

    stream: Ids
    places: Ids
    starts: Ids
    counts: Counts
    size: int

    def rows(self, ahead: int, threads: int, pool: ThreadPoolExecutor) -> tuple[Ids, Ids, Ids, Counts]:
        """Sort one word deeper; return last words, contexts, starts and counts of the rows of the next order.

        Args:
            ahead: the distance of that word from the place.
            threads: how many.
            pool: of so many.
        """
        cuts = _cuts(self.counts, threads)
        keys = np.empty_like(self.places)

        def sort(first: int, last: int) -> int:
            run = self.stream, self.places, self.starts, self.counts, keys
            return int(sort_runs(*run, first, last, ahead, self.size))

        sizes = list(pool.map(sort, cuts[:-1], cuts[1:]))
        bases = np.concatenate([[0], np.cumsum(sizes)])
        many = int(bases[-1])
        last, context = np.empty(many, np.int32), np.empty(many, np.int32)
        starts, counts = np.empty(many, np.int32), np.empty(many, np.int64)

        def write(i: int) -> None:
            a, b = int(bases[i]), int(bases[i + 1])
            out = last[a:b], context[a:b], starts[a:b], counts[a:b]
            write_runs(self.starts, self.counts, keys, cuts[i], cuts[i + 1], self.size, *out)

        list(pool.map(write, range(len(sizes))))
        return last, context, starts, counts


def _suffixes(
    ranks: Ids, places: Ids, starts: Ids, counts: Counts, deeper: bool, threads: int, pool: ThreadPoolExecutor
) -> Ids:
    """Return the row of each n-gram without its first word; then let `ranks` tell rows of this order, if asked to."""
    cuts = _cuts(counts, threads)
    found = np.empty(len(starts), np.int32)

    def look(a: int, b: int) -> None:
        find_suffixes(ranks, places, starts, a, b, found)

    def enter(a: int, b: int) -> None:
        enter_rows(places, starts, counts, a, b, ranks)

    list(pool.map(look, cuts[:-1], cuts[1:]))
    if deeper:
        list(pool.map(enter, cuts[:-1], cuts[1:]))
    return found


def _cuts(counts: Counts, threads: int) -> list[int]:
    """Return where to cut rows into parts, several a thread, that have about as many places each."""
    if threads == 1:
        return [0, len(counts)]
    ends = np.cumsum(counts)
    wanted = np.linspace(0, ends[-1] if len(ends) else 0, 8 * threads + 1)[1:-1]
    return [0, *np.searchsorted(ends, wanted).tolist(), len(counts)]


@compiled
def place_words(
    stream: Ids,  # (P + 1,) the text
    free: Ids,  # (V + 1,) where the places of each word begin, moved on
    places: Ids,  # (P,) written
) -> None:
    """List the places of the text by the word that stands there."""
    for place in range(len(places)):
        word = stream[place]
        places[free[word]] = place
        free[word] += 1


@compiled
def sort_runs(
    stream: Ids,  # (P + 1,) the text
    places: Ids,  # (P,) sorted by the words of an order, sorted one word deeper
    starts: Ids,  # (M,) where the places of each row begin
    counts: Counts,  # (M,) how many each has
    keys: Ids,  # (P,) written: the next word at each place
    first: int,  # row
    last: int,  # one past the last
    ahead: int,  # the distance of the next word
    size: int,  # V; that word stands where the sentence has ended
) -> int:
    """Sort the places of each row by the next word; return how many different n-grams that makes."""
    sums, found = np.zeros(size + 2, np.int32), 0
    most = 0
    for row in range(first, last):
        most = max(most, counts[row])
    packed = np.empty(most, np.int64)
    for row in range(first, last):
        begin, n = starts[row], counts[row]
        for q in range(begin, begin + n):
            keys[q] = stream[places[q] + ahead]
        if n <= SMALL:
            for q in range(begin + 1, begin + n):
                key, place, to = keys[q], places[q], q
                while to > begin and keys[to - 1] > key:
                    keys[to], places[to] = keys[to - 1], places[to - 1]
                    to -= 1
                keys[to], places[to] = key, place
        elif n * DENSE < size:
            for i in range(n):
                packed[i] = np.int64(keys[begin + i]) << 32 | np.int64(places[begin + i])
            packed[:n].sort()
            for i in range(n):
                keys[begin + i], places[begin + i] = packed[i] >> 32, packed[i] & 0x7FFFFFFF
        else:
            sums[:] = 0
            for i in range(n):
                packed[i] = np.int64(keys[begin + i]) << 32 | np.int64(places[begin + i])
                sums[keys[begin + i] + 1] += 1
            for word in range(1, size + 2):
                sums[word] += sums[word - 1]
            for i in range(n):
                word = packed[i] >> 32
                q = begin + sums[word]
                keys[q], places[q] = word, packed[i] & 0x7FFFFFFF
                sums[word] += 1
        before = -1
        for q in range(begin, begin + n):
            if keys[q] != before and keys[q] != size:
                found += 1
            before = keys[q]
    return found


@compiled
def write_runs(
    starts: Ids,  # (M,) where the places of each row begin
    counts: Counts,  # (M,) how many each has
    keys: Ids,  # (P,) the next word at each place, sorted inside a row
    first: int,  # row
    last: int,  # one past the last
    size: int,  # V
    words: Ids,  # (M',) written: the last word of each n-gram of the next order
    contexts: Ids,  # (M',) written: the row it goes on from
    begins: Ids,  # (M',) written: where its places begin
    numbers: Counts,  # (M',) written: how many
) -> None:
    """Write the n-grams of the next order."""
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
    ranks: Ids,  # (P + 1,) the row, of the order below, of the n-gram at each place
    places: Ids,  # (P,)
    starts: Ids,  # (M,) where the places of each row begin
    first: int,  # row
    last: int,  # one past the last
    suffixes: Ids,  # (M,) written: the row of the order below
) -> None:
    """Look up each n-gram without its first word."""
    for row in range(first, last):
        suffixes[row] = ranks[places[starts[row]] + 1]


@compiled
def enter_rows(
    places: Ids,  # (P,)
    starts: Ids,  # (M,) where the places of each row begin
    counts: Counts,  # (M,) how many each has
    first: int,  # row
    last: int,  # one past the last
    ranks: Ids,  # (P + 1,) written: the row of the n-gram at each place
) -> None:
    """Write which row each place belongs to."""
    for row in range(first, last):
        for q in range(starts[row], starts[row] + counts[row]):
            ranks[places[q]] = row
