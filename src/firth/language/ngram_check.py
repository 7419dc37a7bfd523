"""What a trie from a file must be before compiled code follows its numbers.

Structure: the n-grams that go on from a row lie one after the other in the next order, sorted by their last words; the
suffix of a row is the n-gram without its first word, one order below, so that no chain of suffixes is longer than n.
Probabilities: no NaN, none above 1, also where a word is reached by backing off. Weights for lower orders may be above
1, so that the last is more than a look at single numbers.

Of a context h with weight b, a word w that does not follow h has the probability b p(w | h'), h' being h without its
first word. It is at most b times the likeliest word after h', and at most b times what the words that follow h leave of
the mass after h'. Where neither bound is below 1, the words after h' that do not follow h are gone through.

Cost: a pass over the n-grams, and where a weight is above 1 two exponentials each. 1.5 s of one processor for the 41
million n-grams of 15 million words; `firth.language.ngram_model` does it once for a folder and remembers it.
"""

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.threads import usable_threads
from firth.language.ngram_trie import BACKOFF, CHILDREN, NOTHING, PROB, SUFFIX, Floats, Ids, Trie
from firth.language.text import BOS

SLIGHT = 1e-5  # a logarithm above 0 by no more is one of 1, rounded
HEAVIEST = 100.0  # of the logarithms of weights: double precision makes none above 37
MOST = math.log(1.01)  # of a probability reached by backing off: numbers in files have four digits and more
ROUNDED = 4e-6  # what sums of rounded probabilities may be off
PATIENCE = 10**8  # n-grams gone through one by one until a model is refused as hopeless
PARTS = 8  # a thread's share of an order is cut into so many

SOUND, CHILDREN_ASTRAY, WORDS_ASTRAY, SUFFIX_ASTRAY, NO_PROBABILITY, NO_WEIGHT, TOO_LIKELY = range(7)
DAMAGE = {
    CHILDREN_ASTRAY: "n-gram {row:,} begins those that go on from it outside the next order",
    WORDS_ASTRAY: "the n-grams that go on from n-gram {row:,} do not end in sorted words",
    SUFFIX_ASTRAY: "an n-gram that goes on from n-gram {row:,} has a suffix other than itself without its first word",
    NO_PROBABILITY: "an n-gram that goes on from n-gram {row:,} has an invalid probability",
    NO_WEIGHT: "an n-gram that goes on from n-gram {row:,} has an invalid back-off weight",
    TOO_LIKELY: "the weight of lower orders after {words!r}, n-gram {row:,}, makes probabilities above 1",
}

Bounds = npt.NDArray[np.float64]
Fault = tuple[int, int]  # one of `DAMAGE`, and a row


def damage_of(trie: Trie, vocabulary: Sequence[str]) -> str:
    """Return what is wrong with a trie, or "" where nothing is.

    Args:
        trie: int32 arrays of the right shapes, whatever they hold; `sizes` sum up to their lengths.
        vocabulary: V words, for the message.
    """
    bounds, words = trie.bounds, len(vocabulary)
    fault = _of_words(trie, words)
    if fault is not None:
        return fault
    weighs = bool((trie.log_backoff > SLIGHT).any())
    likely = trie.log_prob_of_words[:words]
    # (2, M): of each context the mass of all words, and the logarithm of the likeliest; those of no words first.
    below = np.array([[np.exp(likely, dtype=np.float64).sum()], [likely.max(initial=-np.inf)], [-np.inf]])
    with ThreadPoolExecutor(usable_threads(None)) as pool:
        for k in range(1, trie.order):
            if trie.children[bounds[k - 1]] != bounds[k] or trie.children[bounds[k]] != bounds[k + 1]:
                return DAMAGE[CHILDREN_ASTRAY].format(row=bounds[k - 1])
            own = np.empty((3, bounds[k] - bounds[k - 1] if weighs else 1))
            code, row = _of_order(trie, k, weighs, below, own, pool)
            if code != SOUND:
                context = trie.ngrams(np.array([row]), k)[0].tolist() if code == TOO_LIKELY else ()
                spelt = " ".join(vocabulary[i] if i < words else BOS for i in context)
                return DAMAGE[code].format(row=row, words=spelt)
            below = own
    return ""


def _of_words(trie: Trie, words: int) -> str | None:
    """Look at order 1, whose rows are words and `BOS`."""
    if not np.array_equal(trie.words[: words + 1], np.arange(words + 1)):
        return "1-grams that are not the words in their order"
    alone = trie.nodes[: words + 1, SUFFIX] if trie.order > 1 else trie.leaves[:, 0]
    if (alone != NOTHING).any():
        return "a 1-gram that has a suffix"
    if not (trie.log_prob_of_words <= SLIGHT).all():
        return f"1-gram {np.argmin(trie.log_prob_of_words <= SLIGHT):,} has an invalid probability"
    if trie.order > 1 and not (trie.log_backoff[: words + 1] < HEAVIEST).all():
        return f"1-gram {np.argmin(trie.log_backoff[: words + 1] < HEAVIEST):,} has an invalid back-off weight"
    return None


def _of_order(trie: Trie, order: int, weighs: bool, below: Bounds, own: Bounds, pool: ThreadPoolExecutor) -> Fault:
    """Return the first fault of the n-grams that go on from those of an order."""
    begin, end = trie.bounds[order - 1], trie.bounds[order]
    base = trie.bounds[order - 2] if order > 1 else NOTHING
    cuts = np.linspace(begin, end, PARTS * usable_threads(None) + 1).astype(np.int64).tolist()
    budget = PATIENCE + len(trie.words)

    def look(part: tuple[int, int]) -> Fault:
        code, row = check_contexts(
            *trie.arrays, trie.sizes[0] - 1, trie.bounds[order], trie.bounds[order + 1], part[0], part[1], weighs,
            below, base, own, begin, budget,
        )  # fmt: skip
        return int(code), int(row)

    found = pool.map(look, itertools.pairwise(cuts))
    return next((fault for fault in list(found) if fault[0] != SOUND), (SOUND, 0))


@compiled
def check_contexts(
    words: Ids,  # (R,) `Trie.arrays`, as what follows
    nodes: Ids,  # (L + 1, 4)
    node_numbers: Floats,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
    leaf_numbers: Floats,  # (R - L, 2)
    size: int,  # V
    lowest: int,  # where the n-grams of the next order begin
    highest: int,  # and where they end
    first: int,  # the first context
    last: int,  # one past the last
    weighs: bool,  # whether a weight may be above 1
    below: Bounds,  # (3, M') mass, likeliest word and likeliest by backing off, of contexts one word shorter
    base: int,  # the first of those
    own: Bounds,  # (3, M) the same, written
    begin: int,  # the first of these contexts
    budget: int,  # n-grams to go through one by one at most
) -> tuple[int, int]:
    """Return the first fault among the n-grams that go on from some contexts, whose own links are sound."""
    top, spent = len(nodes) - 1, 0
    for context in range(first, last):
        low, high, suffix = nodes[context, CHILDREN], nodes[context + 1, CHILDREN], nodes[context, SUFFIX]
        if not lowest <= low <= high <= highest:
            return CHILDREN_ASTRAY, context
        before, mass, known, likeliest = -1, 0.0, 0.0, -np.inf
        for row in range(low, high):
            word = words[row]
            if not before < word < size:
                return WORDS_ASTRAY, context
            before = word
            link = nodes[row, SUFFIX] if row < top else leaves[row - top, 0]
            if suffix < 0:
                fits = link == word
            else:
                fits = nodes[suffix, CHILDREN] <= link < nodes[suffix + 1, CHILDREN] and words[link] == word
            if not fits:
                return SUFFIX_ASTRAY, context
            prob = _prob(row, top, node_numbers, leaf_numbers)
            if not prob <= SLIGHT:
                return NO_PROBABILITY, context
            if row < top and not node_numbers[row, BACKOFF] < HEAVIEST:
                return NO_WEIGHT, context
            if weighs:
                mass += math.exp(prob)
                known += math.exp(_prob(link, top, node_numbers, leaf_numbers))
                likeliest = max(likeliest, prob)
        if weighs:
            weight, place = np.float64(node_numbers[context, BACKOFF]), suffix - base
            left = max(below[0, place] - known, 0.0)
            rest = weight + min(below[1, place], math.log(left + ROUNDED))
            if rest > MOST:
                shorter_low = nodes[suffix, CHILDREN] if suffix >= 0 else 0
                shorter_high = nodes[suffix + 1, CHILDREN] if suffix >= 0 else size
                spent += shorter_high - shorter_low
                other, row = below[2, place], low
                for shorter in range(shorter_low, shorter_high):
                    while row < high and words[row] < words[shorter]:
                        row += 1
                    if row == high or words[row] != words[shorter]:
                        other = max(other, _prob(shorter, top, node_numbers, leaf_numbers))
                rest = weight + other
                if rest > MOST or spent > budget:
                    return TOO_LIKELY, context
            at = context - begin
            own[0, at], own[1, at], own[2, at] = mass + math.exp(weight) * left, max(likeliest, rest), rest
    return SOUND, 0


@njit(nogil=True, inline="always")
def _prob(row: int, top: int, node_numbers: Floats, leaf_numbers: Floats) -> Any:
    return np.float64(node_numbers[row, PROB] if row < top else leaf_numbers[row - top, 1])
