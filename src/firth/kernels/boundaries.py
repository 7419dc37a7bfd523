"""Compiled loops of the learned tokeniser: features of places between characters, training and splitting.

A text is an array of code points in lower case; white space separates chunks. After each character that is no white
space one of three labels is chosen, from left to right: the token goes on (INSIDE), ends (END), or ends with its
sentence (LAST). The model is a softmax over sums of weights of hashed features.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.random import draw

INSIDE, END, LAST, LABELS = 0, 1, 2, 3
SPACE, OPENING, CLOSING, QUOTE, OUTSIDE, POINT, FINAL, KINDS = 0, 1, 2, 3, 4, 8, 14, 16  # kinds known to the loops
MAX_FEATURES = 64
LONGEST_WORD = 24  # characters of a dictionary entry
BASE = np.uint64(0x100000001B3)  # of the polynomial hash of substrings
MIX_A, MIX_B, MIX_C = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0x165667B19E3779F9)
LOOK = 12  # characters before a place where a known word may begin that goes over it

Ints = npt.NDArray[np.int32]


class Characters(NamedTuple):
    """A text of n characters as the loops read it.

    Attributes:
        codes: (n + 16,) code points in lower case, with eight zeros before and after.
        kinds: (n + 16,) kinds, likewise; `OUTSIDE` before and after.
        sums: (n + 1,) polynomial hashes of the first i characters.
        powers: (n + 1,) powers of the base.
        first: (n,) where the chunk of a character begins.
        last: (n,) where it ends, exclusive.
        known: (n,) length of the longest known word that begins at a character; 0 for none.
        breaks: (n,) whether a sentence ends after the character whatever the model says: the last before an empty line.
    """

    codes: Ints
    kinds: npt.NDArray[np.uint8]
    sums: npt.NDArray[np.uint64]
    powers: npt.NDArray[np.uint64]
    first: Ints
    last: Ints
    known: npt.NDArray[np.uint8]
    breaks: npt.NDArray[np.bool_]


@njit(nogil=True, inline="always")
def span_hash(
    sums: npt.NDArray[np.uint64],  # (n + 1,)
    powers: npt.NDArray[np.uint64],  # (n + 1,)
    start: int,
    end: int,
) -> Any:
    """Return the hash of the characters from `start` to `end`, exclusive."""
    return sums[end] - sums[start] * powers[end - start]


@compiled
def prefix_hashes(
    codes: Ints,  # (n + 16,)
    sums: npt.NDArray[np.uint64],  # (n + 1,) out
    powers: npt.NDArray[np.uint64],  # (n + 1,) out
) -> None:
    """Compute the polynomial hashes of all prefixes."""
    sums[0], powers[0] = np.uint64(0), np.uint64(1)
    for i in range(len(sums) - 1):
        sums[i + 1] = sums[i] * BASE + np.uint64(codes[i + 8] + 1)
        powers[i + 1] = powers[i] * BASE


@njit(nogil=True, inline="always")
def slot_of(keys: npt.NDArray[np.uint64], key: np.uint64) -> int:
    """Return the slot of a key in a table with open addressing, or of the empty slot where it would stand."""
    mask = np.uint64(len(keys) - 1)
    slot = (key * MIX_A) >> np.uint64(20) & mask
    while keys[slot] != np.uint64(0) and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@compiled
def fill_table(
    hashes: npt.NDArray[np.uint64],  # (words,) not 0
    counts: Ints,  # (words,)
    keys: npt.NDArray[np.uint64],  # (power of 2,) zeros; out
    values: Ints,  # likewise
) -> None:
    """Fill a table of words with their counts."""
    for i in range(len(hashes)):
        slot = slot_of(keys, hashes[i])
        keys[slot], values[slot] = hashes[i], counts[i]


@compiled
def longest_known(
    text: Characters,  # `known` is written
    keys: npt.NDArray[np.uint64],  # the table of `fill_table`
    values: Ints,
    ends: Ints,  # (n,) in training the end of the token that begins there, which counts once less; or 0
) -> None:
    """Find the longest known word that begins at each character."""
    n = len(text.known)
    for start in range(n):
        text.known[start] = 0
        if text.kinds[start + 8] == SPACE:
            continue
        for end in range(start + 1, min(n, start + LONGEST_WORD) + 1):
            if text.kinds[end + 7] != SPACE:
                slot = slot_of(keys, span_hash(text.sums, text.powers, start, end))
                if values[slot] > (1 if ends[start] == end else 0):
                    text.known[start] = end - start
            if text.breaks[end - 1]:
                break


@njit(nogil=True, inline="always")
def hashed(template: int, a: np.uint64, b: np.uint64, mask: np.uint64) -> int:
    """Return the row of a feature: one of a template with two values."""
    z = (a + MIX_C * np.uint64(template + 1)) * MIX_A ^ (b + np.uint64(template)) * MIX_B
    z ^= z >> np.uint64(29)
    z *= MIX_C
    return int((z >> np.uint64(32)) & mask)


@njit(nogil=True)
def features_at(
    text: Characters,
    i: int,  # the character
    start: int,  # where the token begins
    before: np.uint64,  # hash of the token before
    tokens: int,  # tokens of the sentence before this one
    depth: int,  # open brackets, of the sentence so far
    quotes: int,  # quotation marks of the sentence so far
    marks: bool,  # whether there is a feature of final marks
    mask: np.uint64,  # rows - 1
    rows: npt.NDArray[np.int64],  # (MAX_FEATURES,) out
) -> int:
    """Write the features of the place after a character; return their number."""
    codes, kinds, n = text.codes, text.kinds, len(text.first)
    at = i + 8
    k0, k1 = np.uint64(kinds[at]), np.uint64(kinds[at + 1])
    pair = k0 * np.uint64(KINDS) + k1
    count = 0
    # Characters around the place, one to four of them.
    for offset in range(-3, 4):
        rows[count] = hashed(offset + 4, np.uint64(codes[at + offset]), np.uint64(0), mask)
        count += 1
    for size in range(2, 5):
        for offset in range(-size, 2):
            value = np.uint64(0)
            for j in range(size):
                value = value * BASE + np.uint64(codes[at + offset + j] + 1)
            rows[count] = hashed(10 + 8 * size + offset, value, np.uint64(0), mask)
            count += 1
    # Kinds of characters, which also tell capitals.
    kind = np.uint64(0)
    for offset in range(-3, 5):
        kind = kind * np.uint64(KINDS) + np.uint64(kinds[at + offset])
    rows[count] = hashed(50, pair, np.uint64(0), mask)
    rows[count + 1] = hashed(51, kind & np.uint64(0xFFFFFF0), np.uint64(0), mask)
    rows[count + 2] = hashed(52, kind, np.uint64(0), mask)
    rows[count + 3] = hashed(53, kind & np.uint64(0xFFFF0), np.uint64(0), mask)
    count += 4
    # The chunk, what follows it, and what stands before it.
    first, last = text.first[i], text.last[i]
    left = span_hash(text.sums, text.powers, first, i + 1)
    if i + 1 < last:
        right, ahead = span_hash(text.sums, text.powers, i + 1, last), last
        next_kind = k1
    else:
        ahead = last
        while ahead < n and kinds[ahead + 8] == SPACE:
            ahead += 1
        right, next_kind = np.uint64(1), np.uint64(OUTSIDE)
        if ahead < n:
            next_kind = np.uint64(kinds[ahead + 8])
            right = span_hash(text.sums, text.powers, ahead, text.last[ahead])
            ahead = text.last[ahead]
    previous = first - 1
    while previous >= 0 and kinds[previous + 8] == SPACE:
        previous -= 1
    past = span_hash(text.sums, text.powers, text.first[previous], previous + 1) if previous >= 0 else np.uint64(2)
    further = ahead
    while further < n and kinds[further + 8] == SPACE:
        further += 1
    beyond = span_hash(text.sums, text.powers, further, text.last[further]) if further < n else np.uint64(3)
    rows[count] = hashed(60, left, k1, mask)
    rows[count + 1] = hashed(61, right, k0, mask)
    rows[count + 2] = hashed(62, left, right, mask)
    rows[count + 3] = hashed(63, past, left, mask)
    rows[count + 4] = hashed(64, right, beyond, mask)
    rows[count + 5] = hashed(65, left, next_kind * np.uint64(KINDS) + k1, mask)
    rows[count + 6] = hashed(66, next_kind * np.uint64(KINDS * KINDS) + pair, np.uint64(min(i + 1 - first, 5)), mask)
    rows[count + 7] = hashed(67, pair, np.uint64(min(last - i - 1, 6)), mask)
    count += 8
    # The token so far, and the one before it.
    own = span_hash(text.sums, text.powers, start, i + 1)
    rows[count] = hashed(70, own, k1, mask)
    rows[count + 1] = hashed(71, own, right, mask)
    rows[count + 2] = hashed(72, before, own, mask)
    rows[count + 3] = hashed(73, own, np.uint64(codes[at + 1]), mask)
    rows[count + 4] = hashed(74, pair, np.uint64(min(i + 1 - start, 8)), mask)
    count += 5
    # The dictionary: is the token a known word, does a known word go on from here, does one begin behind it?
    length = i + 1 - start
    exact = np.uint64(0)
    over = 0
    for begin in range(max(start, i - LOOK), i + 1):
        size = int(text.known[begin])
        if begin == start and size == length:
            exact = np.uint64(1)
        over = max(over, begin + size - i - 1)
    behind = i + 1
    while behind < n and kinds[behind + 8] == SPACE:
        behind += 1
    following = np.uint64(0)
    if behind < n:
        following = np.uint64(min(int(text.known[behind]), 7))
    goes_on = np.uint64(min(max(over, 0), 7))
    whole = np.uint64(min(max(start + int(text.known[start]) - i - 1, 0), 7))
    rows[count] = hashed(80, exact * np.uint64(8) + goes_on, pair, mask)
    rows[count + 1] = hashed(81, following * np.uint64(2) + exact, pair, mask)
    rows[count + 2] = hashed(82, (whole * np.uint64(8) + following) * np.uint64(8) + goes_on, k1, mask)
    rows[count + 3] = hashed(
        83, (whole * np.uint64(8) + following) * np.uint64(9) + np.uint64(min(length, 8)), exact, mask
    )
    count += 4
    # The sentence so far.
    state = np.uint64(min(depth, 2) * 2 + quotes % 2)
    rows[count] = hashed(90, pair * np.uint64(KINDS) + next_kind, state, mask)
    rows[count + 1] = hashed(91, np.uint64(min(tokens, 20) // 3), next_kind * np.uint64(KINDS * KINDS) + pair, mask)
    count += 2
    if marks and final(k0):  # all final marks together: rare ones behave as the frequent one does
        rows[count] = hashed(92, next_kind, np.uint64(k1 == np.uint64(SPACE)), mask)
        count += 1
    return count


@njit(nogil=True, inline="always")
def final(kind: int) -> bool:
    """Return whether a kind is that of marks at the end of sentences."""
    return kind in (POINT, FINAL)


@njit(nogil=True, inline="always")
def knows_final_marks(allowed: npt.NDArray[np.uint8]) -> Any:  # (KINDS, KINDS) as `possible` reads them
    """Return whether a model was trained with a feature of final marks: it says that no sentence ends outside.

    Models from before have rows of other features where that feature would be.
    """
    return not allowed[SPACE, OUTSIDE] >> LAST & 1


@njit(nogil=True, inline="always")
def possible(
    text: Characters,
    allowed: npt.NDArray[np.uint8],  # (KINDS, KINDS) bits of labels by kinds before and after the place
    i: int,  # the character
) -> Any:
    """Return the bits of the labels that are possible after a character.

    The row of white space, which no token ends with, has the bit of LAST where a sentence may end with a kind wherever
    that stands; with other kinds it ends behind a final mark only, such as with the quotation mark of "Go!".
    """
    kind = text.kinds[i + 8]
    bits = int(allowed[kind, text.kinds[i + 9]])
    if bits >> LAST & 1 and bits != 1 << LAST and not allowed[SPACE, kind] >> LAST & 1:
        before = i - 1
        while before >= 0 and text.kinds[before + 8] == SPACE:
            before -= 1
        if before < 0 or not final(text.kinds[before + 8]):
            bits -= 1 << LAST
    return bits


@njit(nogil=True, inline="always")
def choose(
    weights: npt.NDArray[np.float32],  # (rows, LABELS)
    rows: npt.NDArray[np.int64],
    count: int,
    allowed: int,  # bits of labels
    scores: npt.NDArray[np.float64],  # (LABELS,) out: probabilities
) -> None:
    """Compute the probabilities of the allowed labels."""
    for label in range(LABELS):
        scores[label] = 0.0
    for f in range(count):
        row = rows[f]
        if row >= 0:
            for label in range(LABELS):
                scores[label] += weights[row, label]
    highest = -np.inf
    for label in range(LABELS):
        if allowed >> label & 1:
            highest = max(highest, scores[label])
    total = 0.0
    for label in range(LABELS):
        scores[label] = np.exp(scores[label] - highest) if allowed >> label & 1 else 0.0
        total += scores[label]
    for label in range(LABELS):
        scores[label] /= total


@compiled
def train_sentences(
    text: Characters,
    labels: npt.NDArray[np.uint8],  # (n,) gold
    sentences: Ints,  # (S, 2) start and end of each sentence, in the order of training
    allowed: npt.NDArray[np.uint8],  # (KINDS, KINDS) as `possible` reads them
    weights: npt.NDArray[np.float32],  # (rows, LABELS) in place
    squares: npt.NDArray[np.float32],  # likewise: sums of squared gradients
    rate: float,
    dropped: int,  # random words that are combined by "and" for the features to leave out; 0 for none
    state: npt.NDArray[np.uint64],  # (1,) random state
) -> float:
    """Make one pass of Adagrad; return the sum of losses in nats."""
    mask, marks = np.uint64(len(weights) - 1), knows_final_marks(allowed)
    rows, scores = np.empty(MAX_FEATURES, np.int64), np.empty(LABELS, np.float64)
    loss = 0.0
    for s in range(len(sentences)):
        start, end = sentences[s, 0], sentences[s, 1]
        token, before, tokens, depth, quotes = start, np.uint64(5), 0, 0, 0
        for i in range(start, end):
            kind = text.kinds[i + 8]
            if kind == SPACE:
                if token == i:
                    token = i + 1
                continue
            depth += (kind == OPENING) - (kind == CLOSING)
            quotes += kind == QUOTE
            bits, gold = possible(text, allowed, i), labels[i]
            if not text.breaks[i] and bits & (bits - 1) and bits >> gold & 1:
                count = features_at(text, i, token, before, tokens, max(depth, 0), quotes, marks, mask, rows)
                if dropped:
                    out = draw(state)
                    for _ in range(dropped - 1):
                        out &= draw(state)
                    for f in range(count):
                        if out >> np.uint64(f) & np.uint64(1):
                            rows[f] = -1
                choose(weights, rows, count, bits, scores)
                loss -= np.log(max(scores[gold], 1e-300))
                scores[gold] -= 1.0
                for f in range(count):
                    row = rows[f]
                    if row >= 0:
                        for label in range(LABELS):
                            gradient = np.float32(scores[label])
                            squares[row, label] += gradient * gradient
                            weights[row, label] -= rate * gradient / np.sqrt(squares[row, label] + np.float32(1e-6))
            if gold != INSIDE:
                before = span_hash(text.sums, text.powers, token, i + 1)
                token, tokens = i + 1, tokens + 1
    return loss


@compiled
def split(
    text: Characters,
    allowed: npt.NDArray[np.uint8],  # (KINDS, KINDS) as `possible` reads them
    weights: npt.NDArray[np.float32],  # (rows, LABELS)
    labels: npt.NDArray[np.uint8],  # (n,) out
) -> None:
    """Choose the best label of each place from left to right, given those before it."""
    mask, marks = np.uint64(len(weights) - 1), knows_final_marks(allowed)
    rows, scores = np.empty(MAX_FEATURES, np.int64), np.empty(LABELS, np.float64)
    token, before, tokens, depth, quotes = 0, np.uint64(5), 0, 0, 0
    for i in range(len(labels)):
        kind = text.kinds[i + 8]
        labels[i] = INSIDE
        if kind == SPACE:
            if token == i:
                token = i + 1
            continue
        depth += (kind == OPENING) - (kind == CLOSING)
        quotes += kind == QUOTE
        bits = possible(text, allowed, i)
        if text.breaks[i]:
            best = LAST
        elif not bits & (bits - 1):
            best = 0
            while not bits >> best & 1:
                best += 1
        else:
            count = features_at(text, i, token, before, tokens, max(depth, 0), quotes, marks, mask, rows)
            choose(weights, rows, count, bits, scores)
            best = 0
            for label in range(1, LABELS):
                if scores[label] > scores[best]:
                    best = label
        labels[i] = best
        if best != INSIDE:
            before = span_hash(text.sums, text.powers, token, i + 1)
            token, tokens = i + 1, tokens + 1
        if best == LAST:
            before, tokens, depth, quotes = np.uint64(5), 0, 0, 0
