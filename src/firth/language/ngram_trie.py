"""The n-grams of a model as one trie of flat arrays, and the compiled questions to it.

Rows of all orders stand one after the other, those of order 1 first, sorted by their words inside an order: the n-grams
that go on from a row by one word are neighbours, sorted by that word. Order 1 has a row for each of V words and one for
`BOS`, so that row and id are the same. The suffix of a row is the row without its first word; that of a word is
`NOTHING`. A state of the model is the row of the longest n-gram of at most n - 1 words that the text so far ends with.

Being given suffixes, a step never looks a context up again: where a word does not follow a state, its suffix is asked.
A step lengthens a state by one word at most, so that over a text there are fewer than two look-ups a word, whatever n.

Source: the n-gram model as an automaton whose failure arcs are the suffixes, as in Allauzen, Mohri and Roark 2003,
"Generalized algorithms for constructing statistical language models", section 4.1.

All that a step needs of a row stands together, so that it comes with one line of memory: reading from memory is what
questions to a large model wait for.

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
NEVER = -99 * LN10  # the log-probability of `BOS`, which no question asks for
NOTHING = -1  # the suffix of a single word, and the state of a model of order 1: no word
MOST_ROWS = 2**31 - 2
CHILDREN, SUFFIX, PROB, BACKOFF = range(4)  # the columns of a node

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trie:
    """N-grams with their probabilities, R rows in all, L of them below the top order.

    Attributes:
        words: (R,) int32, the last word of each n-gram.
        nodes: (L + 1, 4) int32, of each n-gram below the top order: the row where the n-grams begin that go on from it
            by one word, its suffix, and, their bits taken for numbers, the float32 logarithms of its probability and
            of the weight of lower orders after it. They end with where the last one's children end.
        leaves: (R - L, 2) int32, of each n-gram of the top order: its suffix, and the bits of its float32 logarithm.
        sizes: (n,) int64, how many rows each order has.
    """

    words: Ids
    nodes: Ids
    leaves: Ids
    sizes: npt.NDArray[np.int64]

    @property
    def children(self) -> Ids:
        """(L + 1,) int32, where the n-grams begin that go on from each row by one word."""
        return self.nodes[:, CHILDREN]

    @cached_property
    def suffixes(self) -> Ids:
        """(R,) int32, the row of each n-gram without its first word."""
        return np.concatenate([self.nodes[:-1, SUFFIX], self.leaves[:, 0]])

    @cached_property
    def log_prob(self) -> Floats:
        """(R,) float32, the natural logarithm of the last word's probability after the others."""
        return np.concatenate([_numbers(self.nodes)[:-1, PROB], _numbers(self.leaves)[:, 1]])

    @property
    def log_prob_of_words(self) -> Floats:
        """(V + 1,) float32, the natural logarithm of the probability of each word by itself, and of `BOS`."""
        by_row = _numbers(self.nodes)[:-1, PROB] if self.order > 1 else _numbers(self.leaves)[:, 1]
        return by_row[: self.sizes[0]]

    @property
    def log_backoff(self) -> Floats:
        """(L,) float32, the natural logarithm of the weight of lower orders after each n-gram."""
        return _numbers(self.nodes)[:-1, BACKOFF]

    @property
    def arrays(self) -> tuple[Ids, Ids, Floats, Ids, Floats]:
        """What the compiled questions take: words, nodes twice and leaves twice, as whole numbers and as fractions."""
        return self.words, self.nodes, _numbers(self.nodes), self.leaves, _numbers(self.leaves)

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
    words, nodes = np.empty(bounds[-1], np.int32), np.empty((bounds[-2] + 1, 4), np.int32)
    leaves = np.empty((sizes[-1], 2), np.int32)
    numbers, nodes[-1] = _numbers(nodes), (bounds[-1], NOTHING, 0, 0)
    for k, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        words[a:b] = lasts[k]
        links = suffixes[k] + np.int32(bounds[k - 1]) if k else np.full(b - a, NOTHING, np.int32)
        if k + 1 == len(sizes):
            leaves[:, 0], _numbers(leaves)[:, 1] = links, log_probs[k]
            continue
        following = np.bincount(contexts[k + 1], minlength=b - a)
        nodes[a:b, CHILDREN], nodes[a:b, SUFFIX] = b + np.cumsum(following) - following, links
        numbers[a:b, PROB], numbers[a:b, BACKOFF] = log_probs[k], log_backoffs[k]
    begin = int(sizes[0]) - 1
    _numbers(nodes if len(sizes) > 1 else leaves)[begin, PROB if len(sizes) > 1 else 1] = NEVER
    return Trie(words, nodes, leaves, sizes)


def _numbers(bits: Ids) -> Floats:
    return bits.view(np.float32)


@compiled
def score(
    ids: Ids,  # (N,) a text
    offsets: npt.NDArray[np.int64],  # (S + 1,) where its sentences begin
    words: Ids,  # (R,) `Trie.arrays`, as what follows
    nodes: Ids,  # (L + 1, 4)
    node_numbers: Floats,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
    leaf_numbers: Floats,  # (R - L, 2)
    first: int,  # the state before a sentence
    found: npt.NDArray[np.float64],  # (N,) written: natural logarithms
) -> None:
    """Write the probability of each word of a text after those before it in its sentence."""
    top = len(nodes) - 1
    for sentence in range(len(offsets) - 1):
        state = np.int64(first)
        for place in range(offsets[sentence], offsets[sentence + 1]):
            word, weight, row = ids[place], 0.0, np.int64(-1)
            while state >= 0:
                low, end = nodes[state, CHILDREN], nodes[state + 1, CHILDREN]
                high = end
                while low < high:
                    middle = (low + high) >> 1
                    if words[middle] < word:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and words[low] == word:
                    row = low
                    break
                weight += node_numbers[state, BACKOFF]
                state = nodes[state, SUFFIX]
            if row < 0:
                row = word
            if row < top:
                found[place] = min(weight + node_numbers[row, PROB], 0.0)  # above 0 by rounding alone
                state = row
            else:
                found[place] = min(weight + leaf_numbers[row - top, 1], 0.0)
                state = np.int64(leaves[row - top, 0])


@compiled
def follow(
    states: npt.NDArray[np.int64],  # (B,) moved on
    ids: npt.NDArray[np.int64],  # (B,) the word that follows each
    words: Ids,  # (R,) as in `Trie`, and what follows too
    nodes: Ids,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
) -> None:
    """Move states on by a word each."""
    top = len(nodes) - 1
    for i in range(len(states)):
        state, word, row = states[i], ids[i], np.int64(-1)
        while state >= 0:
            low, end = nodes[state, CHILDREN], nodes[state + 1, CHILDREN]
            at = low + np.searchsorted(words[low:end], word)
            if at < end and words[at] == word:
                row = at
                break
            state = np.int64(nodes[state, SUFFIX])
        if row < 0:
            row = word
        states[i] = row if row < top else leaves[row - top, 0]


@compiled
def spread(
    states: npt.NDArray[np.int64],  # (B,)
    words: Ids,  # (R,) `Trie.arrays`, as what follows
    nodes: Ids,  # (L + 1, 4)
    node_numbers: Floats,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
    leaf_numbers: Floats,  # (R - L, 2)
    order: int,  # n
    found: npt.NDArray[np.float64],  # (B, V) written: natural logarithms
) -> None:
    """Write the distribution of the word that follows each state: unigrams first, longer n-grams over them."""
    top = len(nodes) - 1
    chain, weights = np.empty(order, np.int64), np.empty(order, np.float64)
    for i in range(len(states)):
        state, weight, length = states[i], 0.0, 0
        while state >= 0:
            chain[length], weights[length] = state, weight
            weight += node_numbers[state, BACKOFF]
            state = np.int64(nodes[state, SUFFIX])
            length += 1
        for word in range(found.shape[1]):
            own = node_numbers[word, PROB] if word < top else leaf_numbers[word - top, 1]
            found[i, word] = min(weight + own, 0.0)
        for j in range(length - 1, -1, -1):
            for row in range(nodes[chain[j], CHILDREN], nodes[chain[j] + 1, CHILDREN]):
                own = node_numbers[row, PROB] if row < top else leaf_numbers[row - top, 1]
                found[i, words[row]] = min(weights[j] + own, 0.0)
