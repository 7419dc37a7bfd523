"""Text to word numbers in one pass: decodes, classifies, folds, hashes and counts, from bytes to int32.

A tokeniser's rules are a table with one 64-bit entry per character (`corpus.scan_tables` builds it from the reference
tokenisers). The input is a block of text. The output is word numbers in text order, -1 at the end of a sentence, and
-2 - k for the k-th *hard stretch*: a run of characters that only the reference can handle, because one of them is not
in normal form, folds to something long, or is a capital sigma in a rare place. The caller tokenises hard stretches and
inserts the result.

A *boundary* is a separator that no normalisation crosses. The text between two boundaries is processed as a whole: if
the text or the room for words ends in between, its words are undone and the caller repeats it with more of either.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.hash_words import find, home, key_of, key_of_two
from firth.kernels.scan_memory import first_byte, folded_run, load8, store8

PADDING = 16  # readable bytes after the text, and writable bytes after the arena's last word

# An entry: folded UTF-8 in bits 0-39, then its length, the character's kind, canonical combining class, and flags.
LENGTH, KIND, CCC = 40, 43, 46
HARD = 1 << 54  # only the reference can handle it
MAYBE = 1 << 55  # may compose with a character before it
FIRST = 1 << 56  # may compose with a character after it
BOUNDARY = 1 << 57  # a separator that no normalisation crosses
CASED = 1 << 58  # a letter that shows whether a capital sigma beside it ends a word
SIGMA = 1 << 59  # a capital sigma, folded to σ

# Kinds, in the order of `text.characters`. A run of LETTER, DIGIT and MARK is the inside of a word.
SEPARATOR, LETTER, DIGIT, MARK, IDEOGRAPH, APOSTROPHE, CONNECTOR, POINT = range(8)

# What `scan` returns in `state`.
USED, WORDS, WRITTEN, CONSUMED, HARD_COUNT, FULL, BLANK = range(7)
STATE_SIZE = 7

_BYTE, _FOLDED = np.uint64(255), np.uint64((1 << LENGTH) - 1)
_LENGTH, _KIND, _CCC = np.uint64(LENGTH), np.uint64(KIND), np.uint64(CCC)
_HARD, _MAYBE, _FIRST, _BOUNDARY = np.uint64(HARD), np.uint64(MAYBE), np.uint64(FIRST), np.uint64(BOUNDARY)
_CASED, _SIGMA, _TO_FINAL = np.uint64(CASED), np.uint64(SIGMA), np.uint64(0x100)  # σ is CF 83, ς is CF 82
_PRIME, _SENTENCE = np.uint64(0x100000001B3), np.uint64(1 << 63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_0, _7 = np.uint64(0), np.uint64(7)


@njit(nogil=True, inline="always")
def _kind_of(entry: np.uint64) -> np.int64:
    return np.int64((entry >> _KIND) & _7)


@njit(nogil=True, inline="always")
def _length_of(entry: np.uint64) -> np.int64:
    return np.int64((entry >> _LENGTH) & _7)


@njit(nogil=True, inline="always")
def _decode(text: npt.NDArray[np.uint8], p: int, size: int) -> tuple[np.int64, int]:
    """Return (code point, width) at p; (-1, 1) for invalid bytes, (-1, 0) if the block ends too early."""
    b = np.int64(text[p])
    if b < 0xC2 or b > 0xF4:
        return np.int64(-1), 1
    width = 2 if b < 0xE0 else (3 if b < 0xF0 else 4)
    if p + width > size:
        return np.int64(-1), 0
    code = b & (0x7F >> width)
    for i in range(1, width):
        c = np.int64(text[p + i])
        if c & 0xC0 != 0x80:
            return np.int64(-1), 1
        code = code << 6 | c & 0x3F
    least = 0x80 if width == 2 else (0x800 if width == 3 else 0x10000)
    if code < least or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return np.int64(-1), 1
    return code, width


@njit(nogil=True, inline="always")
def _sigma(
    text: npt.NDArray[np.uint8],
    p: int,  # behind the sigma
    size: int,
    table: npt.NDArray[np.uint64],
    sigma: np.uint64,
    in_word: bool,  # whether it goes on a word
    before: np.uint64,  # entry of the character before it
) -> np.uint64:
    """Return the entry of a capital sigma where it stands: of σ, or of ς at the end of a word; hard if in doubt."""
    if not in_word:
        return sigma
    if before & _CASED == _0:
        return sigma | _HARD
    code = _decode(text, p, size)[0] if text[p] >= 128 else np.int64(text[p])
    after = table[code] if code >= 0 else _BOUNDARY
    kind = _kind_of(after)
    if after & _HARD != _0 or kind in (DIGIT, MARK, APOSTROPHE, CONNECTOR):
        return sigma | _HARD
    if kind == LETTER:
        return sigma if after & _CASED != _0 else sigma | _HARD
    return sigma ^ _TO_FINAL


@njit(nogil=True, inline="always")
def _line_is_blank(text: npt.NDArray[np.uint8], end: int, before: bool) -> bool:
    """Return whether the line that ends at `end` is blank; `before`: whether its part before this block is."""
    for p in range(end - 1, -1, -1):
        if text[p] == 10:
            return True
        if text[p] > 32:
            return False
    return before


@njit(nogil=True, inline="always")
def _append_run(
    text: npt.NDArray[np.uint8],
    p: int,  # where to read
    size: int,
    bytewise: bool,
    digits: bool,
    arena: npt.NDArray[np.uint8],
    out: int,  # where to write
) -> int:
    """Copy and fold the bytes from p on that are inside a word; return their number."""
    n = 0
    while True:
        x, stop = folded_run(load8(text, p + n), bytewise, digits)
        store8(arena, out + n, x)
        n += first_byte(stop)
        if stop != _0 or p + n >= size:
            return min(n, size - p)


@njit(nogil=True, inline="always")
def _scan_plain(
    text: npt.NDArray[np.uint8],
    p: int,  # where to read; no word is in hand
    size: int,
    table: npt.NDArray[np.uint64],
    bytewise: bool,
    digits: bool,
    slots: npt.NDArray[np.uint64],
    arena: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    out: npt.NDArray[np.int32],
    position: int,  # where to write
) -> tuple[int, int]:
    """Scan known words of up to 15 ASCII bytes that end at a boundary; return the positions in text and output.

    Most words are of this kind. The result equals that of `scan` with a fifth of the instructions.
    """
    mask = slots.size // 2 - 1
    while True:
        x, stop = folded_run(load8(text, p), bytewise, digits)
        n = first_byte(stop)
        last = x
        if n == 8:
            second, stop = folded_run(load8(text, p + 8), bytewise, digits)
            more = first_byte(stop)
            n += more
            if 0 < more < 8:
                last = (x >> np.uint64(8 * more)) | (second << np.uint64(64 - 8 * more))
        if n == 0 or n == 16 or p + n >= size:
            return p, position
        after = text[p + n]
        if after == 10 or after >= 128 or table[after] & _BOUNDARY == _0:
            return p, position
        key = x & (_ALL >> np.uint64(64 - 8 * n)) if n <= 8 else key_of_two(x, last, n)
        s = home(key) & mask
        while True:
            entry = slots[2 * s]
            if entry == _0:
                return p, position
            word = np.int64(slots[2 * s + 1])
            if entry == key:
                other = starts[word]
                if n <= 8:
                    break
                if (
                    starts[word + 1] - other == n + 1
                    and load8(arena, other) == x
                    and load8(arena, other + n - 8) == last
                ):
                    break
            s = (s + 1) & mask
        counts[word] += 1
        out[position] = word
        position += 1
        p += n + 1


@compiled
def scan(
    text: npt.NDArray[np.uint8],  # (B + PADDING,)
    size: int,  # B: bytes of it that are text
    table: npt.NDArray[np.uint64],  # (0x110000,) entries; (256,) where bytewise
    bytewise: bool,  # whether every byte is a character and words are separated by spaces
    digits: bool,  # whether words may contain ASCII digits
    paragraphs: bool,  # whether a sentence ends at a blank line rather than at every line feed
    slots: npt.NDArray[np.uint64],  # (2 x slots,) hash table, see `hash_words`; updated in place
    arena: npt.NDArray[np.uint8],  # (A,) the words; room for 5 B + PADDING more. Updated in place
    starts: npt.NDArray[np.int64],  # (W+1,) where each word starts in the arena; updated in place
    counts: npt.NDArray[np.int64],  # (W,) updated in place
    limit: int,  # capacity of slots, starts and counts in words
    out: npt.NDArray[np.int32],  # (B,) the result
    hard: npt.NDArray[np.int32],  # (B, 2) start and end of each hard stretch
    state: npt.NDArray[np.int64],  # (STATE_SIZE,) see the names above; updated in place
) -> None:
    """Scan a block of text up to its last boundary, or until the room for words is full."""
    arena_end, words, blank = state[USED], state[WORDS], bool(state[BLANK])
    n_written = hard_count = 0
    p = chunk = chunk_written = 0  # the text since the last boundary starts at text[chunk] and out[chunk_written]
    is_hard = full = False
    starter = ccc_before = (
        _0  # of the characters since the boundary: the last starter's entry, the last combining class
    )
    kind = SEPARATOR  # of the current token: LETTER for a word, IDEOGRAPH, or SEPARATOR for none
    after_digit = False  # whether its last character is a digit
    pending = _0  # an apostrophe, connector or point; part of the word if a suitable character follows
    n = 0  # bytes of the token in hand, which stand at arena[used:]
    while p < size:
        if kind == SEPARATOR and not is_hard:
            q, n_written = _scan_plain(
                text, p, size, table, bytewise, digits, slots, arena, starts, counts, out, n_written
            )
            if q > p:
                p = chunk = q
                chunk_written = n_written
                starter = ccc_before = _0
                if p >= size:
                    break
        if kind <= LETTER and pending == _0:
            run = _append_run(text, p, size, bytewise, digits, arena, arena_end + n)
            if run > 0:
                kind = LETTER
                n += run
                p += run
                after_digit = text[p - 1] < 58
                starter, ccc_before = (
                    _FIRST,
                    _0,
                )  # almost always right; otherwise the reference is called without need
                if p >= size:
                    break
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
            if entry & _SIGMA != _0:
                before = starter if pending == _0 and ccc_before == _0 else _0
                entry = _sigma(text, p + width, size, table, entry, kind == LETTER, before)
            composes = entry & _MAYBE != _0 and starter & _FIRST != _0
            if entry & _HARD != _0 or composes or (ccc != _0 and ccc < ccc_before):
                is_hard = True
            ccc_before = ccc
            if ccc == _0:
                starter = entry
        now = _kind_of(entry)

        goes_on = False
        if kind == LETTER:
            if pending != _0:
                joiner = _kind_of(pending)
                goes_on = (now == LETTER and joiner != POINT) or (now == DIGIT and joiner != APOSTROPHE)
            elif now >= APOSTROPHE and (now != POINT or after_digit):
                pending = entry
                p += width
                continue
            else:
                goes_on = LETTER <= now <= MARK
        elif kind == IDEOGRAPH:
            goes_on = now == MARK

        if not goes_on:
            if kind != SEPARATOR and not is_hard:
                key = key_of(arena, arena_end, n)
                slot = find(slots, arena, starts, key, arena_end, n)
                if slots[2 * slot] == _0:
                    if words >= limit:
                        full = True
                        break
                    slots[2 * slot], slots[2 * slot + 1] = key, np.uint64(words)
                    arena[arena_end + n] = 10
                    arena_end += n + 1
                    words += 1
                    starts[words] = arena_end
                word = np.int64(slots[2 * slot + 1])
                counts[word] += 1
                out[n_written] = word
                n_written += 1
            n = 0
            pending = _0
            kind = LETTER if now in (LETTER, DIGIT) else (IDEOGRAPH if now == IDEOGRAPH else SEPARATOR)

        p += width
        if kind != SEPARATOR:
            if pending != _0:
                store8(arena, arena_end + n, pending & _FOLDED)
                n += _length_of(pending)
                pending = _0
            store8(arena, arena_end + n, entry & _FOLDED)
            n += _length_of(entry)
            after_digit = now == DIGIT
        elif entry & _BOUNDARY != _0:
            if is_hard:
                for i in range(chunk_written, n_written):
                    counts[out[i]] -= 1
                hard[hard_count, 0], hard[hard_count, 1] = chunk, p - width
                hard_count += 1
                out[chunk_written] = -1 - hard_count
                n_written = chunk_written + 1
                is_hard = False
            if b == 10 and (not paragraphs or _line_is_blank(text, p - 1, blank)):
                out[n_written] = -1
                n_written += 1
            chunk, chunk_written = p, n_written
            starter = ccc_before = _0
    # The text after the last boundary is scanned again with the next block.
    for i in range(chunk_written, n_written):
        counts[out[i]] -= 1
    state[USED], state[WORDS], state[WRITTEN], state[CONSUMED] = arena_end, words, chunk_written, chunk
    state[HARD_COUNT], state[FULL] = hard_count, full
    state[BLANK] = blank if chunk == 0 else _line_is_blank(text, chunk, blank)


@compiled
def renumber(
    spilled: npt.NDArray[np.int32],  # (B,) what `scan` wrote, hard stretches spliced in
    rank: npt.NDArray[np.int32],  # (W,) the final id of each word, -1 for a removed word
    ids: npt.NDArray[np.int32],  # (B,) the result
    ends: npt.NDArray[np.int64],  # (B,) the ends of this block's sentences, counted from the start of the corpus
    first: int,  # ids written before this block
    last_end: int,  # the end of the previous sentence
    keep_empty: bool,  # whether to keep sentences without words
    digest: npt.NDArray[np.uint64],  # (1,) of all ids and ends so far (FNV-1a, a number at a time); updated in place
) -> tuple[int, int]:
    """Write a block's final ids without removed words; return (ids written, sentences ended)."""
    n = sentences = 0
    h = digest[0]
    for i in range(spilled.size):
        word = spilled[i]
        if word >= 0:
            final = rank[word]
            if final >= 0:
                ids[n] = final
                n += 1
                h = (h ^ np.uint64(final)) * _PRIME
        elif keep_empty or first + n > last_end:
            last_end = first + n
            ends[sentences] = last_end
            sentences += 1
            h = (h ^ np.uint64(last_end) ^ _SENTENCE) * _PRIME
    digest[0] = h
    return n, sentences


@compiled
def count_ids(
    ids: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],  # (V,) updated in place
) -> int:
    """Count the occurrences of each id; return the index of the first one out of range, or the number of ids."""
    for position in range(ids.size):
        word = ids[position]
        if word < 0 or word >= counts.size:
            return position
        counts[word] += 1
    return ids.size
