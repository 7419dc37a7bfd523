"""Phrases in texts of word ids: counts candidates and joins the accepted ones into single tokens.

A candidate is a word, any connectors ("of", "the") after it, and the next word that is not a connector.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.cooccurrence import BITS, MOST_REACH

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: neighbouring keys land far apart
SHIFT = np.uint64(32)
EMPTY = -1


@njit(nogil=True, inline="always")
def key_of(
    ids: npt.NDArray[np.int32],  # words
    first: int,  # the candidate's first
    last: int,  # its last
) -> np.uint64:
    """Return a 64-bit hash of the words from `first` to `last`."""
    h = np.uint64(last - first)
    for position in range(first, last + 1):
        h = (h ^ np.uint64(ids[position])) * MULTIPLIER
        h ^= h >> SHIFT
    return h


@njit(nogil=True, inline="always")
def end_of(
    ids: npt.NDArray[np.int32],
    first: int,  # a word that is not a connector
    reach: int,  # words after it that may belong to the candidate
    connectors: npt.NDArray[np.bool_],  # (V,)
) -> int:
    """Return the position of a candidate's last word, or `first` if there is no candidate."""
    position = first + 1
    while position <= first + reach and connectors[ids[position]]:
        position += 1
    return position if position <= first + reach else first


@compiled
def count_candidates(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    first: int,  # the first word to count candidates of
    last: int,  # one past the last
    base: int,  # the word of `starts[0]`
    starts: npt.NDArray[np.int64],  # each word's first entry in `positions`
    positions: npt.NDArray[np.int64],  # as `firth.kernels.cooccurrence.find_positions` writes them
    connectors: npt.NDArray[np.bool_],  # (V,)
    least: int,  # minimum count of a candidate
    candidates: npt.NDArray[np.int64],  # (n, 3) written: position of one occurrence, words, count
) -> int:
    """Write the candidates that start with some words; return their number."""
    sums, example = np.zeros(len(connectors), np.int32), np.zeros(len(connectors), np.int64)
    touched = np.empty(len(connectors), np.int32)
    n = 0
    for word in range(first, last):
        if connectors[word]:
            continue
        begin, end = starts[word - base], starts[word - base + 1]
        keys, where = np.empty(end - begin, np.uint64), np.empty(end - begin, np.int64)
        distinct = longer = 0
        for q in range(begin, end):
            position = positions[q] >> 2 * BITS
            after = end_of(ids, position, positions[q] & MOST_REACH, connectors)
            if after == position + 1:
                other = ids[after]
                if sums[other] == 0:
                    touched[distinct] = other
                    example[other] = position
                    distinct += 1
                sums[other] += 1
            elif after > position:
                keys[longer], where[longer] = key_of(ids, position, after), q
                longer += 1
        for i in range(distinct):
            other = touched[i]
            if sums[other] >= least:
                candidates[n, 0], candidates[n, 1], candidates[n, 2] = example[other], 2, sums[other]
                n += 1
            sums[other] = 0
        order = np.argsort(keys[:longer])
        run = 0
        for i in range(longer):
            run += 1
            if i + 1 == longer or keys[order[i + 1]] != keys[order[i]]:
                if run >= least:
                    q = where[order[i]]
                    position = positions[q] >> 2 * BITS
                    candidates[n, 0], candidates[n, 2] = position, run
                    candidates[n, 1] = end_of(ids, position, positions[q] & MOST_REACH, connectors) - position + 1
                    n += 1
                run = 0
    return n


@compiled
def enter_phrases(
    tokens: npt.NDArray[np.int32],  # the words of all phrases, phrase by phrase
    ends: npt.NDArray[np.int64],  # (P + 1,) where each phrase's words start
    table: npt.NDArray[np.int64],  # (a power of two,) of EMPTY; receives phrase numbers
) -> None:
    """Enter phrases into a hash table."""
    mask = len(table) - 1
    for phrase in range(len(ends) - 1):
        slot = np.int64(key_of(tokens, ends[phrase], ends[phrase + 1] - 1) & np.uint64(mask))
        while table[slot] != EMPTY:
            slot = (slot + 1) & mask
        table[slot] = phrase


@njit(nogil=True)
def _phrase(
    ids: npt.NDArray[np.int32],
    first: int,
    last: int,
    tokens: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int64],
    table: npt.NDArray[np.int64],
) -> int:
    """Return a candidate's phrase number, or EMPTY if it is not a phrase."""
    mask = len(table) - 1
    slot = np.int64(key_of(ids, first, last) & np.uint64(mask))
    while table[slot] != EMPTY:
        begin, end = ends[table[slot]], ends[table[slot] + 1]
        same = end - begin == last - first + 1
        for i in range(last - first + 1):
            same = same and tokens[begin + i] == ids[first + i]
        if same:
            return int(table[slot])
        slot = (slot + 1) & mask
    return EMPTY


@compiled
def join_phrases(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    offsets: npt.NDArray[np.int64],  # (some + 1,) where its sentences begin
    connectors: npt.NDArray[np.bool_],  # (V,)
    tokens: npt.NDArray[np.int32],  # as for `enter_phrases`
    ends: npt.NDArray[np.int64],
    table: npt.NDArray[np.int64],
    out: npt.NDArray[np.int32],  # written: words, V + the number of a phrase, and -1 behind each sentence
    counts: npt.NDArray[np.int64],  # (V + P,) counts, added to
) -> int:
    """Write sentences with phrases as single tokens, from left to right; return the number of entries written."""
    n = 0
    for sentence in range(len(offsets) - 1):
        position, past = offsets[sentence], offsets[sentence + 1]
        while position < past:
            word, after = ids[position], position
            if not connectors[word]:
                after = end_of(ids, position, past - 1 - position, connectors)
            phrase = EMPTY
            if after > position:
                phrase = _phrase(ids, position, after, tokens, ends, table)
            if phrase != EMPTY:
                out[n] = len(connectors) + phrase
                counts[out[n]] += 1
                n += 1
                position = after + 1
            else:  # the word and the connectors after it; connectors start no phrase
                for i in range(position, max(after, position + 1)):
                    out[n] = ids[i]
                    counts[ids[i]] += 1
                    n += 1
                position = max(after, position + 1)
        out[n] = -1
        n += 1
    return n
