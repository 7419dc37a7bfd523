"""Phrases among word ids: counting which words follow which, and joining those that belong together.

A candidate is a word, any connectors ("of", "the") behind it, and the next word that is none.
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
    for place in range(first, last + 1):
        h = (h ^ np.uint64(ids[place])) * MULTIPLIER
        h ^= h >> SHIFT
    return h


@njit(nogil=True, inline="always")
def end_of(
    ids: npt.NDArray[np.int32],
    first: int,  # a word that is no connector
    reach: int,  # words behind it that may belong to the candidate
    connectors: npt.NDArray[np.bool_],  # (V,)
) -> int:
    """Return the place of a candidate's last word, or `first` where there is no candidate."""
    place = first + 1
    while place <= first + reach and connectors[ids[place]]:
        place += 1
    return place if place <= first + reach else first


@compiled
def count_candidates(
    ids: npt.NDArray[np.int32],  # (N,) the corpus
    first: int,  # the first word whose candidates are counted
    last: int,  # one past the last
    base: int,  # the word that `starts` begins with
    starts: npt.NDArray[np.int64],  # where each word's places begin
    places: npt.NDArray[np.int64],  # as `firth.kernels.cooccurrence.find_places` writes them
    connectors: npt.NDArray[np.bool_],  # (V,)
    least: int,  # fewest times that a candidate must stand in the corpus
    found: npt.NDArray[np.int64],  # (some, 3) written: where one such stands, its words, its count
) -> int:
    """Write the candidates that begin with some words; return how many there are."""
    sums, example = np.zeros(len(connectors), np.int32), np.zeros(len(connectors), np.int64)
    touched = np.empty(len(connectors), np.int32)
    n = 0
    for word in range(first, last):
        if connectors[word]:
            continue
        begin, end = starts[word - base], starts[word - base + 1]
        keys, where = np.empty(end - begin, np.uint64), np.empty(end - begin, np.int64)
        seen = longer = 0
        for q in range(begin, end):
            place = places[q] >> 2 * BITS
            after = end_of(ids, place, places[q] & MOST_REACH, connectors)
            if after == place + 1:
                other = ids[after]
                if sums[other] == 0:
                    touched[seen] = other
                    example[other] = place
                    seen += 1
                sums[other] += 1
            elif after > place:
                keys[longer], where[longer] = key_of(ids, place, after), q
                longer += 1
        for i in range(seen):
            other = touched[i]
            if sums[other] >= least:
                found[n, 0], found[n, 1], found[n, 2] = example[other], 2, sums[other]
                n += 1
            sums[other] = 0
        order = np.argsort(keys[:longer])
        run = 0
        for i in range(longer):
            run += 1
            if i + 1 == longer or keys[order[i + 1]] != keys[order[i]]:
                if run >= least:
                    q = where[order[i]]
                    place = places[q] >> 2 * BITS
                    found[n, 0], found[n, 2] = place, run
                    found[n, 1] = end_of(ids, place, places[q] & MOST_REACH, connectors) - place + 1
                    n += 1
                run = 0
    return n


@compiled
def enter_phrases(
    tokens: npt.NDArray[np.int32],  # the words of all phrases, one after the other
    ends: npt.NDArray[np.int64],  # (P + 1,) where each phrase's words begin
    table: npt.NDArray[np.int64],  # (a power of two,) of EMPTY, filled: numbers of phrases
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
    """Return the number of the phrase that a candidate is, or EMPTY."""
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
    joined: npt.NDArray[np.int32],  # written: words, V + the number of a phrase, and -1 behind each sentence
    counts: npt.NDArray[np.int64],  # (V + P,) how often each stands there, added to
) -> int:
    """Write sentences in which phrases are one token each, from left to right; return how many numbers were written."""
    n = 0
    for sentence in range(len(offsets) - 1):
        place, past = offsets[sentence], offsets[sentence + 1]
        while place < past:
            word, after = ids[place], place
            if not connectors[word]:
                after = end_of(ids, place, past - 1 - place, connectors)
            phrase = EMPTY
            if after > place:
                phrase = _phrase(ids, place, after, tokens, ends, table)
            if phrase != EMPTY:
                joined[n] = len(connectors) + phrase
                counts[joined[n]] += 1
                n += 1
                place = after + 1
            else:  # the word, and the connectors behind it, which begin no phrase
                for i in range(place, max(after, place + 1)):
                    joined[n] = ids[i]
                    counts[ids[i]] += 1
                    n += 1
                place = max(after, place + 1)
        joined[n] = -1
        n += 1
    return n
