"""The n-grams of a model as one trie of flat arrays, and the compiled questions to it.

Rows of all orders stand one after the other, those of order 1 first, sorted by their words inside an order: the n-grams
that go on from a row by one word are neighbours, sorted by that word. Order 1 has a row for each of V words and one for
`BEGIN`, so that row and id are the same. The suffix of a row is the row without its first word; that of a word is
`NOTHING`. A state of the model is the row of the longest n-gram of at most n - 1 words that the text so far ends with.

Being given suffixes, a step never looks a context up again: where a word does not follow a state, its suffix is asked.
A step lengthens a state by one word at most, so that over a text there are fewer than two look-ups a word, whatever n.

Source: the n-gram model as an automaton whose failure arcs are the suffixes, as in Allauzen, Mohri and Roark 2003,
"Generalized algorithms for constructing statistical language models", section 4.1.

Cost: 12 bytes an n-gram of the top order and 20 of any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError
from firth.kernels.compiled import compiled

LN10 = float(np.log(10.0))
NEVER = -99 * LN10  # the log-probability of `BEGIN`, which no question asks for
NOTHING = -1  # the suffix of a single word, and the state of a model of order 1: no word
MOST_ROWS = 2**31 - 2

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trie:
    """N-grams with their probabilities, R rows in all, L of them below the top order.

    Attributes:
        words: (R,) int32, the last word of each n-gram.
        log_prob: (R,) float32, the natural logarithm of that word's probability after the others.
        log_backoff: (L,) float32, the natural logarithm of the weight of lower orders after the n-gram.
        suffixes: (R,) int32, the row of the n-gram without its first word.
        children: (L + 1,) int32, where the n-grams begin that go on from each row by one word.
        sizes: (n,) int64, how many rows each order has.
    """

    words: Ids
    log_prob: Floats
    log_backoff: Floats
    suffixes: Ids
    children: Ids
    sizes: npt.NDArray[np.int64]

    @cached_property
    def order(self) -> int:
        """The length n of the longest n-grams."""
        return len(self.sizes)

    @cached_property
    def first(self) -> int:
        """The state before a sentence."""
        begin = int(self.sizes[0]) - 1
        return begin if self.order > 1 else NOTHING

    @cached_property
    def bounds(self) -> list[int]:
        """Where the rows of each order begin, and R."""
        return [0, *np.cumsum(self.sizes).tolist()]

    def rows(self, order: int) -> slice:
        """Return the rows of an order."""
        return slice(self.bounds[order - 1], self.bounds[order])

    def ngrams(self, rows: npt.NDArray[np.int64], order: int) -> Ids:
        """Return the words of some n-grams of an order.

        Args:
            rows: (B,).
            order: k, of all of them.

        Returns:
            (B, k) int32.
        """
        found = np.empty((len(rows), order), np.int32)
        for j in range(order - 1, -1, -1):
            found[:, j] = self.words[rows]
            rows = np.searchsorted(self.children, rows, side="right") - 1
        return found


def assembled(
    lasts: Sequence[npt.NDArray[np.int32]],
    contexts: Sequence[npt.NDArray[np.int32]],
    suffixes: Sequence[npt.NDArray[np.int32]],
    log_probs: Sequence[npt.NDArray[np.floating]],
    log_backoffs: Sequence[npt.NDArray[np.floating]],
) -> Trie:
    """Return a trie of what is given for each order, numbered inside the order as `NgramCounts` numbers.

    Args:
        lasts: (M_k,) the last word of each n-gram.
        contexts: (M_k,) its row without the last word, among those of the order below.
        suffixes: (M_k,) its row without the first word, among those of the order below.
        log_probs: (M_k,) natural logarithms.
        log_backoffs: (M_k,) natural logarithms; those of the top order are of no matter.

    Raises:
        CorpusError: there are more n-grams than numbers for them.
    """
    sizes = np.array([len(rows) for rows in lasts], np.int64)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    if bounds[-1] > MOST_ROWS:
        raise CorpusError(f"{bounds[-1]:,} n-grams; expected at most {MOST_ROWS:,}: take a lower order")
    words, links = np.empty(bounds[-1], np.int32), np.empty(bounds[-1], np.int32)
    log_prob, log_backoff = np.empty(bounds[-1], np.float32), np.empty(bounds[-2], np.float32)
    children = np.full(bounds[-2] + 1, bounds[-1], np.int32)
    for k, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        words[a:b], log_prob[a:b] = lasts[k], log_probs[k]
        links[a:b] = suffixes[k] + np.int32(bounds[k - 1]) if k else NOTHING
        if k + 1 < len(sizes):
            log_backoff[a:b] = log_backoffs[k]
            following = np.bincount(contexts[k + 1], minlength=b - a)
            children[a:b] = b + np.cumsum(following) - following
    log_prob[sizes[0] - 1] = NEVER
    return Trie(words, log_prob, log_backoff, links, children, sizes)


@compiled
def score(
    ids: Ids,  # (N,) a text
    offsets: npt.NDArray[np.int64],  # (S + 1,) where its sentences begin
    words: Ids,  # (R,) as of `Trie`, and what follows too
    log_prob: Floats,  # (R,)
    log_backoff: Floats,  # (L,)
    suffixes: Ids,  # (R,)
    children: Ids,  # (L + 1,)
    first: int,  # the state before a sentence
    found: npt.NDArray[np.float64],  # (N,) written: natural logarithms
) -> None:
    """Write the probability of each word of a text after those before it in its sentence."""
    top = len(log_backoff)
    for sentence in range(len(offsets) - 1):
        state = first
        for place in range(offsets[sentence], offsets[sentence + 1]):
            word, weight, row = ids[place], 0.0, -1
            while state >= 0:
                low, high = children[state], children[state + 1]
                while low < high:
                    middle = (low + high) >> 1
                    if words[middle] < word:
                        low = middle + 1
                    else:
                        high = middle
                if low < children[state + 1] and words[low] == word:
                    row = low
                    break
                weight += log_backoff[state]
                state = suffixes[state]
            if row < 0:
                row = word
            found[place] = weight + log_prob[row]
            state = row if row < top else suffixes[row]


@compiled
def follow(
    states: npt.NDArray[np.int64],  # (B,) moved on
    ids: npt.NDArray[np.int64],  # (B,) the word that follows each
    words: Ids,  # (R,) as of `Trie`, and what follows too
    suffixes: Ids,  # (R,)
    children: Ids,  # (L + 1,)
) -> None:
    """Move states on by a word each."""
    top = len(children) - 1
    for i in range(len(states)):
        state, word, row = states[i], ids[i], -1
        while state >= 0:
            low, end = children[state], children[state + 1]
            row = low + np.searchsorted(words[low:end], word)
            if row < end and words[row] == word:
                break
            row, state = -1, suffixes[state]
        if row < 0:
            row = word
        states[i] = row if row < top else suffixes[row]


@compiled
def spread(
    states: npt.NDArray[np.int64],  # (B,)
    words: Ids,  # (R,) as of `Trie`, and what follows too
    log_prob: Floats,  # (R,)
    log_backoff: Floats,  # (L,)
    suffixes: Ids,  # (R,)
    children: Ids,  # (L + 1,)
    order: int,  # n
    found: npt.NDArray[np.float64],  # (B, V) written: natural logarithms
) -> None:
    """Write the distribution of the word that follows each state: unigrams first, longer n-grams over them."""
    chain, weights = np.empty(order, np.int64), np.empty(order, np.float64)
    for i in range(len(states)):
        state, weight, length = states[i], 0.0, 0
        while state >= 0:
            chain[length], weights[length] = state, weight
            weight += log_backoff[state]
            state = suffixes[state]
            length += 1
        for word in range(found.shape[1]):
            found[i, word] = weight + log_prob[word]
        for j in range(length - 1, -1, -1):
            for row in range(children[chain[j]], children[chain[j] + 1]):
                found[i, words[row]] = weights[j] + log_prob[row]
