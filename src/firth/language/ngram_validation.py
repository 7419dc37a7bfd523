"""Validate a trie read from a file, before compiled code follows its indices.

Structure: the children of a row are neighbours in the next order, sorted by their last words. The suffix of a row is
the n-gram without its first word, one order below, so that no chain of suffixes is longer than n.
Probabilities: no NaN, none above 1, including those reached by back-off. Back-off weights may exceed 1, so that
checking single numbers is not enough.

After a context h with the weight b, a word w that does not follow h has the probability b p(w | h'), where h' is h
without its first word. It is at most b times the largest p(. | h'), and at most b times the mass that the words
following h leave of p(. | h'). Where neither bound is below 1, the words after h' that do not follow h are checked one
by one.

Cost: one pass over the n-grams, and two exponentials per n-gram if a weight exceeds 1.
`firth.language.ngram_model` validates a folder once and remembers it.
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
from firth.language.ngram_trie import BACKOFF, CHILDREN, NO_ROW, PROB, SUFFIX, Floats, Ids, Trie
from firth.language.text import BOS

ROUNDING = 1e-5  # a log-probability may exceed 0 by this much
MAX_LOG_WEIGHT = 100.0  # log back-off weight; double precision produces none above 37
MAX_LOG_PROB = math.log(1.01)  # of a probability reached by back-off: files have four or more digits
SUM_ROUNDING = 4e-6  # error of sums of rounded probabilities
BUDGET = 10**8  # n-grams checked one by one before a model is refused
PARTS_PER_THREAD = 8

VALID, BAD_CHILDREN, BAD_ORDER, BAD_SUFFIX, BAD_PROBABILITY, BAD_WEIGHT, ABOVE_ONE = range(7)
DAMAGE = {
    BAD_CHILDREN: "the children of n-gram {row:,} lie outside the next order",
    BAD_ORDER: "the children of n-gram {row:,} are not sorted by their last words",
    BAD_SUFFIX: "a child of n-gram {row:,} has a suffix that is not the n-gram without its first word",
    BAD_PROBABILITY: "a child of n-gram {row:,} has an invalid probability",
    BAD_WEIGHT: "a child of n-gram {row:,} has an invalid back-off weight",
    ABOVE_ONE: "the back-off weight of {words!r}, n-gram {row:,}, gives probabilities above 1",
}

Bounds = npt.NDArray[np.float64]
Fault = tuple[int, int]  # a key of `DAMAGE`, and a row


def find_damage(trie: Trie, vocabulary: Sequence[str]) -> str:
    """Describe the first damage of a trie; "" if it is valid.

    Args:
        trie: int32 arrays of the right shapes, with any content; `sizes` must sum to their lengths.
        vocabulary: V words, for the message.
    """
    bounds, words = trie.bounds, len(vocabulary)
    fault = _check_unigrams(trie, words)
    if fault is not None:
        return fault
    heavy = bool((trie.log_backoff > ROUNDING).any())
    unigrams = trie.unigram_log_prob[:words]
    # For each context: total mass, largest log-probability, largest one reached by back-off; the empty context first.
    below = np.array([[np.exp(unigrams, dtype=np.float64).sum()], [unigrams.max(initial=-np.inf)], [-np.inf]])
    with ThreadPoolExecutor(usable_threads(None)) as pool:
        for k in range(1, trie.order):
            if trie.children[bounds[k - 1]] != bounds[k] or trie.children[bounds[k]] != bounds[k + 1]:
                return DAMAGE[BAD_CHILDREN].format(row=bounds[k - 1])
            current = np.empty((3, bounds[k] - bounds[k - 1] if heavy else 1))
            code, row = _check_order(trie, k, heavy, below, current, pool)
            if code != VALID:
                context = trie.ngrams(np.array([row]), k)[0].tolist() if code == ABOVE_ONE else ()
                spelled = " ".join(vocabulary[i] if i < words else BOS for i in context)
                return DAMAGE[code].format(row=row, words=spelled)
            below = current
    return ""


def _check_unigrams(trie: Trie, words: int) -> str | None:
    if not np.array_equal(trie.words[: words + 1], np.arange(words + 1)):
        return "the 1-grams are not the words in order"
    suffixes = trie.nodes[: words + 1, SUFFIX] if trie.order > 1 else trie.leaves[:, 0]
    if (suffixes != NO_ROW).any():
        return "a 1-gram that has a suffix"
    if not (trie.unigram_log_prob <= ROUNDING).all():
        return f"1-gram {np.argmin(trie.unigram_log_prob <= ROUNDING):,} has an invalid probability"
    if trie.order > 1 and not (trie.log_backoff[: words + 1] < MAX_LOG_WEIGHT).all():
        return f"1-gram {np.argmin(trie.log_backoff[: words + 1] < MAX_LOG_WEIGHT):,} has an invalid back-off weight"
    return None


def _check_order(
    trie: Trie, order: int, heavy: bool, below: Bounds, current: Bounds, pool: ThreadPoolExecutor
) -> Fault:
    """Return the first fault among the children of the n-grams of an order."""
    begin, end = trie.bounds[order - 1], trie.bounds[order]
    base = trie.bounds[order - 2] if order > 1 else NO_ROW
    cuts = np.linspace(begin, end, PARTS_PER_THREAD * usable_threads(None) + 1).astype(np.int64).tolist()
    budget = BUDGET + len(trie.words)

    def check(part: tuple[int, int]) -> Fault:
        code, row = check_contexts(
            *trie.arrays, trie.sizes[0] - 1, trie.bounds[order], trie.bounds[order + 1], part[0], part[1], heavy,
            below, base, current, begin, budget,
        )  # fmt: skip
        return int(code), int(row)

    faults = pool.map(check, itertools.pairwise(cuts))
    return next((fault for fault in list(faults) if fault[0] != VALID), (VALID, 0))


@compiled
def check_contexts(
    words: Ids,  # (R,) this and the next four: `Trie.arrays`
    nodes: Ids,  # (L + 1, 4)
    node_numbers: Floats,  # (L + 1, 4)
    leaves: Ids,  # (R - L, 2)
    leaf_numbers: Floats,  # (R - L, 2)
    size: int,  # V
    lowest: int,  # first row of the next order
    highest: int,  # one past its last row
    first: int,  # the first context
    last: int,  # one past the last context
    heavy: bool,  # whether a back-off weight exceeds 1
    below: Bounds,  # (3, M') mass, largest log-probability, largest reached by back-off; contexts one word shorter
    base: int,  # the first of those contexts
    current: Bounds,  # (3, M) written: the same of these contexts
    begin: int,  # the first row of `current`
    budget: int,  # largest number of n-grams checked one by one
) -> tuple[int, int]:
    """Return the first fault among the children of contexts that are themselves valid."""
    top, spent = len(nodes) - 1, 0
    for context in range(first, last):
        low, high, suffix = nodes[context, CHILDREN], nodes[context + 1, CHILDREN], nodes[context, SUFFIX]
        if not lowest <= low <= high <= highest:
            return BAD_CHILDREN, context
        before, mass, covered, largest = -1, 0.0, 0.0, -np.inf
        for row in range(low, high):
            word = words[row]
            if not before < word < size:
                return BAD_ORDER, context
            before = word
            link = nodes[row, SUFFIX] if row < top else leaves[row - top, 0]
            if suffix < 0:
                fits = link == word
            else:
                fits = nodes[suffix, CHILDREN] <= link < nodes[suffix + 1, CHILDREN] and words[link] == word
            if not fits:
                return BAD_SUFFIX, context
            prob = _prob(row, top, node_numbers, leaf_numbers)
            if not prob <= ROUNDING:
                return BAD_PROBABILITY, context
            if row < top and not node_numbers[row, BACKOFF] < MAX_LOG_WEIGHT:
                return BAD_WEIGHT, context
            if heavy:
                mass += math.exp(prob)
                covered += math.exp(_prob(link, top, node_numbers, leaf_numbers))
                largest = max(largest, prob)
        if heavy:
            weight, column = np.float64(node_numbers[context, BACKOFF]), suffix - base
            left = max(below[0, column] - covered, 0.0)
            rest = weight + min(below[1, column], math.log(left + SUM_ROUNDING))
            if rest > MAX_LOG_PROB:
                shorter_low = nodes[suffix, CHILDREN] if suffix >= 0 else 0
                shorter_high = nodes[suffix + 1, CHILDREN] if suffix >= 0 else size
                spent += shorter_high - shorter_low
                other, row = below[2, column], low
                for shorter in range(shorter_low, shorter_high):
                    while row < high and words[row] < words[shorter]:
                        row += 1
                    if row == high or words[row] != words[shorter]:
                        other = max(other, _prob(shorter, top, node_numbers, leaf_numbers))
                rest = weight + other
                if rest > MAX_LOG_PROB or spent > budget:
                    return ABOVE_ONE, context
            at = context - begin
            current[0, at], current[1, at], current[2, at] = mass + math.exp(weight) * left, max(largest, rest), rest
    return VALID, 0


@njit(nogil=True, inline="always")
def _prob(row: int, top: int, node_numbers: Floats, leaf_numbers: Floats) -> Any:
    return np.float64(node_numbers[row, PROB] if row < top else leaf_numbers[row - top, 1])
