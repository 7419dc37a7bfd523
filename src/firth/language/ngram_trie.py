"""The n-grams of a model as a trie of flat arrays, and compiled queries on it.

The rows of order 1 come first, then those of order 2, and so on; inside an order they are sorted by their words. The
children of a row (the n-grams that extend it by one word) are neighbours, sorted by that word. Order 1 has a row for
each of the V words and one for `BOS`, so that row and id are the same. The suffix of a row is the row without its first
word; the suffix of a single word is `NO_ROW`. The state of the model is the row of the longest n-gram of at most n - 1
words that ends the text so far.

Suffixes spare a step the search for its context: if a word does not follow a state, the state's suffix is tried. A
step lengthens the state by at most one word, so that a text takes fewer than two look-ups per word, whatever n is.

Source: the n-gram model as an automaton whose failure arcs are the suffixes, as in Allauzen, Mohri and Roark 2003,
"Generalized algorithms for constructing statistical language models", section 4.1.

What a step needs of a row lies in one cache line, because queries of a large model wait for memory.

Cost: 12 bytes per n-gram of the top order and 20 per n-gram of any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError
from firth.kernels.compiled import compiled, read_only

LN10 = float(np.log(10.0))
NEVER = -99 * LN10  # log-probability of `BOS`, which is never predicted
NO_ROW = -1  # the suffix of a single word, and the state of a model of order 1
MAX_ROWS = 2**31 - 2
CHILDREN, SUFFIX, PROB, BACKOFF = range(4)  # the columns of a node

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trie:
    """N-grams with their probabilities: R rows, L of them below the top order.

    Attributes:
        words: (R,) int32, the last word of each n-gram.
        nodes: (L + 1, 4) int32, for each n-gram below the top order: its first child, its suffix, and the bits of two
            float32 numbers: log-probability and log back-off weight. The last node marks the end of the last children.
        leaves: (R - L, 2) int32, for each n-gram of the top order: its suffix and the bits of its log-probability.
        sizes: (n,) int64, number of rows of each order.
    """

    words: Ids
    nodes: Ids
    leaves: Ids
    sizes: npt.NDArray[np.int64]

    @property
    def children(self) -> Ids:
        """(L + 1,) int32, the first child of each row."""
        return self.nodes[:, CHILDREN]

    @cached_property
    def suffixes(self) -> Ids:
        """(R,) int32, the row of each n-gram without its first word."""
        return np.concatenate([self.nodes[:-1, SUFFIX], self.leaves[:, 0]])

    @cached_property
    def log_prob(self) -> Floats:
        """(R,) float32, natural logarithm of the probability of the last word given the others."""
        return np.concatenate([_numbers(self.nodes)[:-1, PROB], _numbers(self.leaves)[:, 1]])

    @property
    def unigram_log_prob(self) -> Floats:
        """(V + 1,) float32, natural logarithms of the unigram probabilities of all words and `BOS`."""
        by_row = _numbers(self.nodes)[:-1, PROB] if self.order > 1 else _numbers(self.leaves)[:, 1]
        return by_row[: self.sizes[0]]

    @property
    def log_backoff(self) -> Floats:
        """(L,) float32, natural logarithm of the back-off weight of each n-gram."""
        return _numbers(self.nodes)[:-1, BACKOFF]

    @property
    def arrays(self) -> tuple[Ids, Ids, Floats, Ids, Floats]:
        """Arguments of the compiled queries: words, then nodes and leaves, each as int32 and as float32."""
        return self.words, self.nodes, _numbers(self.nodes), self.leaves, _numbers(self.leaves)

    @cached_property
    def order(self) -> int:
        """n, the length of the longest n-grams."""
        return len(self.sizes)

    @cached_property
    def initial_state(self) -> int:
        """The state at the start of a sentence."""
        return int(self.sizes[0]) - 1 if self.order > 1 else NO_ROW

    @cached_property
    def bounds(self) -> list[int]:
        """The first row of each order, and R."""
        return [0, *np.cumsum(self.sizes).tolist()]

    def rows(self, order: int) -> slice:
        """The rows of an order."""
        return slice(self.bounds[order - 1], self.bounds[order])

    def ngrams(self, rows: npt.NDArray[np.int64], order: int) -> Ids:
        """Return the word ids (B, k) int32 of rows (B,) of order k."""
        ids = np.empty((len(rows), order), np.int32)
        for j in range(order - 1, -1, -1):
            ids[:, j] = self.words[rows]
            rows = np.searchsorted(self.children, rows, side="right") - 1
        return ids


def build_trie(
    lasts: Sequence[npt.NDArray[np.int32]],
    contexts: Sequence[npt.NDArray[np.int32]],
    suffixes: Sequence[npt.NDArray[np.int32]],
    log_probs: Sequence[npt.NDArray[np.floating]],
    log_backoffs: Sequence[npt.NDArray[np.floating]],
) -> Trie:
    """Build a trie from arrays of each order; rows are numbered inside the order, as in `NgramCounts`.

    Args:
        lasts: (M_k,) the last word of each n-gram.
        contexts: (M_k,) the row of the n-gram without its last word, in the order below.
        suffixes: (M_k,) the row of the n-gram without its first word, in the order below.
        log_probs: (M_k,) natural logarithms of probabilities.
        log_backoffs: (M_k,) natural logarithms of back-off weights; those of the top order are not used.
    """
    sizes = np.array([len(rows) for rows in lasts], np.int64)
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    if bounds[-1] > MAX_ROWS:
        raise CorpusError(f"{bounds[-1]:,} n-grams; expected at most {MAX_ROWS:,}; choose a lower order")
    words, nodes = np.empty(bounds[-1], np.int32), np.empty((bounds[-2] + 1, 4), np.int32)
    leaves = np.empty((sizes[-1], 2), np.int32)
    numbers, nodes[-1] = _numbers(nodes), (bounds[-1], NO_ROW, 0, 0)
    for k, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        words[a:b] = lasts[k]
        links = suffixes[k] + np.int32(bounds[k - 1]) if k else np.full(b - a, NO_ROW, np.int32)
        if k + 1 == len(sizes):
            leaves[:, 0], _numbers(leaves)[:, 1] = links, log_probs[k]
            continue
        children = np.bincount(contexts[k + 1], minlength=b - a)
        nodes[a:b, CHILDREN], nodes[a:b, SUFFIX] = b + np.cumsum(children) - children, links
        numbers[a:b, PROB], numbers[a:b, BACKOFF] = log_probs[k], log_backoffs[k]
    bos = int(sizes[0]) - 1
    _numbers(nodes if len(sizes) > 1 else leaves)[bos, PROB if len(sizes) > 1 else 1] = NEVER
    return Trie(read_only(words), read_only(nodes), read_only(leaves), sizes)


def _numbers(bits: Ids) -> Floats:
    return bits.view(np.float32)


@compiled
def score(
    ids: Ids,  # (N,) text
    offsets: npt.NDArray[np.int64],  # (S + 1,) sentence boundaries
    words: Ids,  # (R,) this and the next four: `Trie.arrays`
    nodes: Ids,  # (L + 1, 4)
    node_numbers: Floats,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
    leaf_numbers: Floats,  # (R - L, 2)
    initial_state: int,
    log_probs: npt.NDArray[np.float64],  # (N,) written: natural logarithms
) -> None:
    """Write the log-probability of each word given the words before it in its sentence."""
    top = len(nodes) - 1
    for sentence in range(len(offsets) - 1):
        state = np.int64(initial_state)
        for i in range(offsets[sentence], offsets[sentence + 1]):
            word, weight, row = ids[i], 0.0, np.int64(-1)
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
                log_probs[i] = min(weight + node_numbers[row, PROB], 0.0)  # rounding can lead above 0
                state = row
            else:
                log_probs[i] = min(weight + leaf_numbers[row - top, 1], 0.0)
                state = np.int64(leaves[row - top, 0])


@compiled
def advance_states(
    states: npt.NDArray[np.int64],  # (B,) advanced
    ids: npt.NDArray[np.int64],  # (B,) next word of each state
    words: Ids,  # (R,) this and the next two: as in `Trie`
    nodes: Ids,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
) -> None:
    """Advance each state by one word."""
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
def score_next(
    states: npt.NDArray[np.int64],  # (B,)
    words: Ids,  # (R,) this and the next four: `Trie.arrays`
    nodes: Ids,  # (L + 1, 4)
    node_numbers: Floats,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
    leaf_numbers: Floats,  # (R - L, 2)
    order: int,  # n
    log_probs: npt.NDArray[np.float64],  # (B, V) written: natural logarithms
) -> None:
    """Write the next-word distribution of each state: unigrams first, overwritten by longer n-grams."""
    top = len(nodes) - 1
    chain, weights = np.empty(order, np.int64), np.empty(order, np.float64)
    for i in range(len(states)):
        state, weight, length = states[i], 0.0, 0
        while state >= 0:
            chain[length], weights[length] = state, weight
            weight += node_numbers[state, BACKOFF]
            state = np.int64(nodes[state, SUFFIX])
            length += 1
        for word in range(log_probs.shape[1]):
            log_prob = node_numbers[word, PROB] if word < top else leaf_numbers[word - top, 1]
            log_probs[i, word] = min(weight + log_prob, 0.0)
        for j in range(length - 1, -1, -1):
            for row in range(nodes[chain[j], CHILDREN], nodes[chain[j] + 1, CHILDREN]):
                log_prob = node_numbers[row, PROB] if row < top else leaf_numbers[row - top, 1]
                log_probs[i, words[row]] = min(weights[j] + log_prob, 0.0)
