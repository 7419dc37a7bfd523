"""Text -> word numbers in one pass: decode, classify, fold, hash and count, from bytes to int32.

The rules of a tokeniser are a table: one 64-bit entry a character (`corpus.scan_tables` builds them from the reference
tokenisers). A block of text goes in; numbers come out in the order in which the words stand, -1 where a sentence ends, and
-2 - k in the place of the k-th *hard stretch*: a run of characters that only the reference can treat, because one of them
is not in normal form or folds to something long. The caller tokenises those and splices the result in.

A *boundary* is a separator that no normalisation reaches across. What stands between two boundaries is treated whole or
not at all: where the text or the room for words ends in the middle, its words are taken back and the caller comes again
with more of either.

Words live in an arena, one after the other, each followed by a line feed. The hash table holds (key, number) pairs: a word
of up to 8 bytes is its own key; a longer one has a 56-bit hash above a zero byte, which no short word starts with, and its
bytes are compared.
"""

import numpy as np
from numba import njit

# An entry: folded UTF-8 in bits 0-39, then its length, the character's kind, canonical combining class, and flags.
LENGTH, KIND, CCC = 40, 43, 46
HARD = 1 << 54  # only the reference can treat it
MAYBE = 1 << 55  # may compose with a character before it
FIRST = 1 << 56  # may compose with a character after it
BOUNDARY = 1 << 57  # a separator that no normalisation reaches across

# Kinds, in the order of `text.characters`. A run of LETTER, DIGIT and MARK is the inside of a word.
SEPARATOR, LETTER, DIGIT, MARK, IDEOGRAPH, APOSTROPHE, CONNECTOR, POINT = range(8)

# What `scan` returns in `state`.
USED, WORDS, WRITTEN, CONSUMED, HARD_COUNT, FULL, BLANK = range(7)
STATE_SIZE = 7

MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: neighbouring keys land far apart
_M = np.uint64(MULTIPLIER)
_PRIME = np.uint64(0x100000001B3)
_BYTE = np.uint64(255)
_LENGTH, _KIND, _CCC = np.uint64(LENGTH), np.uint64(KIND), np.uint64(CCC)
_HARD, _MAYBE, _FIRST, _BOUNDARY = np.uint64(HARD), np.uint64(MAYBE), np.uint64(FIRST), np.uint64(BOUNDARY)
_7, _8, _32 = np.uint64(7), np.uint64(8), np.uint64(32)
_0, _1 = np.uint64(0), np.uint64(1)


@njit(cache=True, nogil=True)
def _decode(text, p, size):  # type: ignore[no-untyped-def]
    """Return (code point, width) at p; (-1, 1) where the bytes are invalid, (-1, 0) where the block ends too early."""
    b = np.int64(text[p])
    if b < 0xC2 or b > 0xF4:
        return -1, 1
    width = 2 if b < 0xE0 else (3 if b < 0xF0 else 4)
    if p + width > size:
        return -1, 0
    code = b & (0x7F >> width)
    for i in range(1, width):
        c = np.int64(text[p + i])
        if c & 0xC0 != 0x80:
            return -1, 1
        code = code << 6 | c & 0x3F
    least = 0x80 if width == 2 else (0x800 if width == 3 else 0x10000)
    if code < least or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return -1, 1
    return code, width


@njit(cache=True, nogil=True)
def _line_is_blank(text, end, before):  # type: ignore[no-untyped-def]
    """Return whether the line that ends at `end` holds nothing; `before` tells it of what came before the block."""
    for p in range(end - 1, -1, -1):
        if text[p] == 10:
            return True
        if text[p] > 32:
            return False
    return before


@njit(cache=True, nogil=True)
def scan(  # type: ignore[no-untyped-def]
    text,  # (B,) uint8
    size,  # bytes of it that are text
    table,  # (0x110000,) uint64 entries; (256,) where bytewise
    inside,  # (256,) uint8: the folded byte of an ASCII letter or digit, 0 for all others
    bytewise,  # whether every byte is a character
    paragraphs,  # whether a sentence ends at a blank line, rather than at every line feed
    slots,  # (2 x slots,) uint64: key and word number; key 0 is an empty slot. Updated in place
    arena,  # (A,) uint8: the words' bytes. Room for 5 x size more. Updated in place
    starts,  # (W+1,) int64: where each word starts in the arena. Updated in place
    counts,  # (W,) int64, updated in place
    limit,  # words that slots, starts and counts may come to hold
    out,  # (>= size,) int32: the result
    hard,  # (size, 2) int32: where the hard stretches start and end
    state,  # (STATE_SIZE,) int64: see the names above. Updated in place
):
    mask = np.int64(slots.size // 2 - 1)
    used, words = state[USED], state[WORDS]
    blank = state[BLANK] != 0
    written = hard_count = 0
    p = chunk = chunk_written = 0  # what stands since the last boundary starts at text[chunk] and out[chunk_written]
    is_hard = full = False
    starter = ccc_before = _0  # of the characters since the boundary: the last starter's entry, the last combining class
    kind = last = 0  # of the token in hand: LETTER for a word, IDEOGRAPH, or SEPARATOR for none; its last character's kind
    pending = _0  # an apostrophe, connector or point that belongs to the word if the right character follows
    n = 0  # bytes of the token in hand, which stand at arena[used:]
    key = tail = _0
    while p < size:
        b = text[p]
        width = 1
        if b < 128 or bytewise:
            entry = table[b]
            starter, ccc_before = entry, _0
        else:
            code, width = _decode(text, p, size)
            if width == 0:
                break
            entry = table[code] if code >= 0 else _BOUNDARY
            ccc = (entry >> _CCC) & _BYTE
            composes = entry & _MAYBE != _0 and starter & _FIRST != _0
            if entry & _HARD != _0 or composes or (ccc != _0 and ccc < ccc_before):
                is_hard = True
            ccc_before = ccc
            if ccc == _0:
                starter = entry
        now = np.int64((entry >> _KIND) & _7)

        if kind == LETTER:
            if pending != _0:
                joiner = np.int64((pending >> _KIND) & _7)
                goes_on = now == LETTER if joiner == APOSTROPHE else (now == DIGIT or (now == LETTER and joiner != POINT))
            elif now >= APOSTROPHE and (now != POINT or last == DIGIT):
                pending = entry
                p += width
                continue
            else:
                goes_on = LETTER <= now <= MARK
        else:
            goes_on = kind == IDEOGRAPH and now == MARK

        if not goes_on:
            if kind != SEPARATOR and not is_hard:
                if n > 8:
                    tail = (tail ^ key) * _M
                    key = ((tail ^ (tail >> _32)) | _1) << _8
                h = (key ^ (key >> _32)) * _M
                s = np.int64((h ^ (h >> _32)) & np.uint64(0x7FFFFFFF)) & mask
                while True:
                    found = slots[2 * s]
                    if found == key:
                        word = np.int64(slots[2 * s + 1])
                        if n <= 8:
                            break
                        i = starts[word]
                        if starts[word + 1] - i == n + 1:
                            j = 0
                            while j < n and arena[i + j] == arena[used + j]:
                                j += 1
                            if j == n:
                                break
                    elif found == _0:
                        word = words
                        if words >= limit:
                            full = True
                            break
                        slots[2 * s], slots[2 * s + 1] = key, np.uint64(words)
                        arena[used + n] = 10
                        counts[words] = 0
                        words += 1
                        used += n + 1
                        starts[words] = used
                        break
                    s = (s + 1) & mask
                if full:
                    break
                counts[word] += 1
                out[written] = word
                written += 1
            pending = _0
            n = 0
            key = tail = _0
            kind = SEPARATOR
            if now == LETTER or now == DIGIT:
                kind = LETTER
            elif now == IDEOGRAPH:
                kind = IDEOGRAPH

        if kind != SEPARATOR:
            while pending != _0 or entry != _0:  # append the joiner, where one waits, then the character
                folded = pending if pending != _0 else entry
                for _ in range((folded >> _LENGTH) & _7):
                    byte = folded & _BYTE
                    folded >>= _8
                    arena[used + n] = byte
                    if n < 8:
                        key |= byte << np.uint64(8 * n)
                    else:
                        tail = (tail ^ byte) * _PRIME
                    n += 1
                if pending == _0:
                    break
                pending = _0
            last = now
            p += width
            if kind == LETTER:  # the rest of a run of ASCII letters and digits, which most text is made of
                start = p
                while p < size:
                    folded_byte = inside[text[p]]
                    if folded_byte == 0:
                        break
                    arena[used + n] = folded_byte
                    if n < 8:
                        key |= np.uint64(folded_byte) << np.uint64(8 * n)
                    else:
                        tail = (tail ^ np.uint64(folded_byte)) * _PRIME
                    n += 1
                    p += 1
                if p > start:
                    starter, ccc_before = table[text[p - 1]], _0
                    last = np.int64((starter >> _KIND) & _7)
            continue

        p += width
        if entry & _BOUNDARY != _0:
            if is_hard:
                for i in range(chunk_written, written):
                    counts[out[i]] -= 1
                hard[hard_count, 0], hard[hard_count, 1] = chunk, p - width
                hard_count += 1
                out[chunk_written] = -1 - hard_count
                written = chunk_written + 1
                is_hard = False
            if b == 10 and (not paragraphs or _line_is_blank(text, p - 1, blank)):
                out[written] = -1
                written += 1
            chunk, chunk_written = p, written
            starter = ccc_before = _0
    for i in range(chunk_written, written):
        counts[out[i]] -= 1
    state[USED], state[WORDS], state[WRITTEN], state[CONSUMED] = used, words, chunk_written, chunk
    state[HARD_COUNT], state[FULL] = hard_count, full
    state[BLANK] = chunk > 0 and _line_is_blank(text, chunk, blank) or (chunk == 0 and blank)


@njit(cache=True, nogil=True)
def renumber(  # type: ignore[no-untyped-def]
    spilled,  # (B,) int32: what `scan` wrote, hard stretches spliced in
    rank,  # (W,) int32: the final id of each word, -1 for a word that was left out
    ids,  # (B,) int32: the result
    ends,  # (B,) int64: where the sentences end that ended in this block, counted from the corpus's start
    first,  # ids written before this block
    last_end,  # where the last sentence ended
):
    """Write the final ids of a block, without the words that were left out; return (ids written, sentences ended)."""
    n = sentences = 0
    for i in range(spilled.size):
        word = spilled[i]
        if word >= 0:
            final = rank[word]
            if final >= 0:
                ids[n] = final
                n += 1
        elif first + n > last_end:
            last_end = first + n
            ends[sentences] = last_end
            sentences += 1
    return n, sentences
