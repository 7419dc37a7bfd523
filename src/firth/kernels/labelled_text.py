"""Labelled texts, from bytes to the feature rows of a classifier, by the rules of fastText's classifier.

A line holds tokens separated by white space, and its end is the token `</s>`. A token that starts with the prefix is a
label. The features of a line are its words, their character n-grams, and word n-grams; n-grams are numbered by their
hash (`firth.kernels.ngram_hash`).

White space is that of the C locale (space, tab, line feed, vertical tab, form feed, carriage return) and NUL.

Tokens are stored in an arena and a hash table as in `firth.kernels.hash_words`. Lookups compare with the text in place,
so that several threads can read one table.
"""

import math

import numpy as np
import numpy.typing as npt
from numba import njit

from firth.kernels.compiled import compiled
from firth.kernels.hash_words import home, key_of, same_word
from firth.kernels.native_calls import prefetch_row
from firth.kernels.ngram_hash import OFFSET, ROW_PRIME, character_ngrams, hash_byte
from firth.kernels.vector_ir import LINE

END = b"</s>"  # the token of a line's end; number 0 in every table
END_NUMBER = 0
PADDING = 16  # readable bytes after a text
LINE_FEED = 10
AHEAD = 8  # rows between the prefetch of a row and its addition

# Entries of the state of `scan_lines`.
POSITION, TOKENS, ARENA, WRITTEN, LINES, STATE_SIZE = range(6)

UNKNOWN, DROPPED = -1, -(2**31)  # instead of a row: a word outside the vocabulary; a removed label
SHARES, PATHS, EACH = range(3)  # probabilities from a softmax; from a tree; independent for each label
EMPTY, REMOVED = -1, -2  # instead of a bucket's row: its vector is zero; it is ignored


@njit(nogil=True, inline="always")
def is_space(byte: int) -> bool:
    """Return whether a byte ends a token."""
    return byte == 32 or (byte >= 9 and byte <= 13) or byte == 0


@njit(nogil=True, inline="always")
def begins_with(text: npt.NDArray[np.uint8], start: int, n: int, prefix: npt.NDArray[np.uint8]) -> bool:
    """Return whether a token of n bytes starts with a non-empty prefix."""
    if prefix.size == 0 or n < prefix.size:
        return False
    same = 0
    for i in range(prefix.size):
        same += text[start + i] == prefix[i]
    return same == prefix.size


@njit(nogil=True, inline="always")
def find_token(
    slots: npt.NDArray[np.uint64],  # (2 x slots,): key and number
    arena: npt.NDArray[np.uint8],  # the tokens' bytes
    starts: npt.NDArray[np.int64],  # where each token starts in the arena
    key: np.uint64,  # hash of the token
    text: npt.NDArray[np.uint8],  # the text with the token
    start: int,
    n: int,
) -> int:
    """Return the slot that holds a token, or the empty one where it belongs."""
    mask = slots.size // 2 - 1
    s = home(key) & mask
    while True:
        entry = slots[2 * s]
        if entry == np.uint64(0):
            return s
        if entry == key and (n <= 8 or same_word(arena, starts, np.int64(slots[2 * s + 1]), text, start, n)):
            return s
        s = (s + 1) & mask


@compiled
def scan_lines(
    text: npt.NDArray[np.uint8],  # whole lines, then PADDING bytes
    size: int,  # bytes of the lines
    one_a_line: bool,  # whether `</s>` inside a line hides the rest of it instead of ending it
    prefix: npt.NDArray[np.uint8],  # prefix of labels
    slots: npt.NDArray[np.uint64],  # hash table
    arena: npt.NDArray[np.uint8],  # room for `size` more bytes and as many line feeds
    starts: npt.NDArray[np.int64],  # (limit + 1,)
    hashes: npt.NDArray[np.uint32],  # (limit,) of each token, see firth.kernels.ngram_hash
    labels: npt.NDArray[np.bool_],  # (limit,) whether each token is a label
    counts: npt.NDArray[np.int64],  # (limit,)
    tokens: npt.NDArray[np.int32],  # receives numbers; room for size + 1
    ends: npt.NDArray[np.int64],  # receives the end of each line in `tokens`; room for size + 1
    state: npt.NDArray[np.int64],  # (STATE_SIZE,)
) -> bool:
    """Number the tokens of lines; return True if the table is full: grow it and call again."""
    i, n_tokens, arena_end = state[POSITION], state[TOKENS], state[ARENA]
    n_written, lines = state[WRITTEN], state[LINES]
    full = False
    while i < size:
        if is_space(text[i]):
            if text[i] == LINE_FEED:
                counts[END_NUMBER] += 1
                tokens[n_written] = END_NUMBER
                n_written += 1
                ends[lines] = n_written
                lines += 1
            i += 1
            continue
        start, h = i, OFFSET
        while i < size and not is_space(text[i]):
            h = hash_byte(h, text[i])
            i += 1
        n = i - start
        key = key_of(text, start, n)
        slot = find_token(slots, arena, starts, key, text, start, n)
        if slots[2 * slot] == np.uint64(0):
            if n_tokens == counts.size:
                i, full = start, True
                break
            slots[2 * slot], slots[2 * slot + 1] = key, np.uint64(n_tokens)
            arena[arena_end : arena_end + n] = text[start:i]
            arena[arena_end + n] = LINE_FEED
            arena_end += n + 1
            starts[n_tokens + 1] = arena_end
            hashes[n_tokens], labels[n_tokens] = h, begins_with(text, start, n, prefix)
            n_tokens += 1
        token = np.int64(slots[2 * slot + 1])
        if token == END_NUMBER and one_a_line:
            while i < size and text[i] != LINE_FEED:
                i += 1
            continue
        counts[token] += 1
        tokens[n_written] = token
        n_written += 1
        if token == END_NUMBER:
            ends[lines] = n_written
            lines += 1
    state[POSITION], state[TOKENS], state[ARENA] = i, n_tokens, arena_end
    state[WRITTEN], state[LINES] = n_written, lines
    return full


@compiled
def character_features(
    arena: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.int64],  # (T + 1,)
    has_ngrams: npt.NDArray[np.bool_],  # (T,) whether a token has character n-grams
    min_n: int,
    max_n: int,
    buckets: int,
    out: npt.NDArray[np.int64],  # receives buckets
    out_starts: npt.NDArray[np.int64],  # (T + 1,) the first bucket of each token
) -> None:
    """List the buckets of the character n-grams of every token."""
    end = 0
    for token in range(has_ngrams.size):
        out_starts[token] = end
        if has_ngrams[token]:
            end = character_ngrams(arena, starts[token], starts[token + 1] - 1, min_n, max_n, buckets, out, end)
    out_starts[has_ngrams.size] = end


@compiled
def features_of_lines(
    tokens: npt.NDArray[np.int32],  # (N,) from scan_lines
    ends: npt.NDArray[np.int64],  # (lines,) from scan_lines
    rows: npt.NDArray[np.int32],  # (T,) row of a word, UNKNOWN, -2 - label, or DROPPED
    hashes: npt.NDArray[np.uint32],  # (T,)
    pieces: npt.NDArray[np.int64],  # buckets of character n-grams
    piece_starts: npt.NDArray[np.int64],  # (T + 1,)
    longest: int,  # maximum words per n-gram
    words: int,  # V: the first row of buckets
    bucket_rows: npt.NDArray[np.int32],  # (buckets,) EMPTY for a bucket without a row; updated
    bucket_count: int,  # number of buckets with rows
    grow: bool,  # whether a bucket without a row gets one
    line_hashes: npt.NDArray[np.uint32],  # room for the longest line
    features: npt.NDArray[np.int32],  # receives rows, EMPTY for a row of zeros
    labels: npt.NDArray[np.int32],  # receives labels
    feature_ends: npt.NDArray[np.int64],  # (lines,) receives the end of each line's features
    label_ends: npt.NDArray[np.int64],  # (lines,) receives the end of each line's labels
) -> int:
    """Turn lines of numbered tokens into features and labels; return the number of buckets with rows."""
    buckets = np.uint64(max(bucket_rows.size, 1))
    position, f, g = 0, 0, 0
    for line in range(ends.size):
        count = 0
        while position < ends[line]:
            token = tokens[position]
            position += 1
            row = rows[token]
            if row < UNKNOWN:
                if row != DROPPED:
                    labels[g] = -2 - row
                    g += 1
                continue
            line_hashes[count] = hashes[token]
            count += 1
            if row >= 0:
                features[f] = row
                f += 1
            for p in range(piece_starts[token], piece_starts[token + 1]):
                f, bucket_count = _add_bucket(pieces[p], words, bucket_rows, bucket_count, grow, features, f)
        for first in range(count if longest > 1 else 0):
            h = np.uint64(np.int64(np.int32(line_hashes[first])))
            for i in range(first + 1, min(count, first + longest)):
                h = h * ROW_PRIME + np.uint64(np.int64(np.int32(line_hashes[i])))
                f, bucket_count = _add_bucket(
                    np.int64(h % buckets), words, bucket_rows, bucket_count, grow, features, f
                )
        feature_ends[line], label_ends[line] = f, g
    return bucket_count


@njit(nogil=True, inline="always")
def _add_bucket(
    bucket: int, words: int, bucket_rows: npt.NDArray[np.int32], bucket_count: int, grow: bool,
    features: npt.NDArray[np.int32], f: int,
) -> tuple[int, int]:  # fmt: skip
    row = bucket_rows[bucket]
    if row == EMPTY and grow:
        row = words + bucket_count
        bucket_rows[bucket] = row
        bucket_count += 1
    if row != REMOVED:
        features[f] = row
        f += 1
    return f, bucket_count


@compiled
def mean_rows(
    features: npt.NDArray[np.int32],  # rows, EMPTY for a row of zeros
    feature_ends: npt.NDArray[np.int64],  # (lines,)
    inputs: npt.NDArray[np.float32],  # (R, D)
    hidden: npt.NDArray[np.float32],  # (lines, D) zeros, written
) -> None:
    """Write the mean of each line's rows; a line without features keeps its zeros."""
    start, dim, stride = 0, inputs.shape[1], inputs.strides[0]
    base, size = inputs.ctypes.data, -(-4 * dim // LINE) * LINE
    for line in range(feature_ends.size):
        m = feature_ends[line] - start
        for i in range(start, feature_ends[line]):
            if i + AHEAD < features.size:
                prefetch_row(base + max(0, features[i + AHEAD]) * np.int64(stride), size)
            if features[i] >= 0:
                row, own = np.uint64(features[i]), np.uint64(line)  # unsigned: no check for negative indices
                for d in range(dim):
                    hidden[own, d] += inputs[row, d]
        start = feature_ends[line]
        for d in range(dim if m > 0 else 0):
            hidden[line, d] /= np.float32(m)


@compiled
def mean_codes(
    features: npt.NDArray[np.int32],  # as for mean_rows
    feature_ends: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint8],  # (R, parts)
    centroids: npt.NDArray[np.float32],  # (256 D,) part by part
    width: int,  # numbers per part; the last may be narrower
    lengths: npt.NDArray[np.float32],  # (R,) factor of each row, or (0,)
    hidden: npt.NDArray[np.float32],  # (lines, D) zeros, written
) -> None:
    """Write the mean of each line's rows like `mean_rows`, for rows that are codes of a product quantiser."""
    start, dim = 0, hidden.shape[1]
    for line in range(feature_ends.size):
        m = feature_ends[line] - start
        for i in range(start, feature_ends[line]):
            row = features[i]
            if row < 0:
                continue
            scale = lengths[row] if lengths.size else np.float32(1)
            for part in range(codes.shape[1]):
                first = part * width
                last = min(first + width, dim)
                centroid = 256 * first + np.int64(codes[row, part]) * (last - first)
                for d in range(first, last):
                    hidden[line, d] += scale * centroids[centroid + d - first]
        start = feature_ends[line]
        for d in range(dim if m > 0 else 0):
            hidden[line, d] /= np.float32(m)


@compiled
def mean_scores(
    features: npt.NDArray[np.int32],  # as for mean_rows
    feature_ends: npt.NDArray[np.int64],
    row_scores: npt.NDArray[np.float32],  # (R, L) the label scores of each row
    scores: npt.NDArray[np.float64],  # (lines, L) zeros, written
) -> None:
    """Write the mean of the label scores of each line's rows."""
    start, labels = 0, row_scores.shape[1]
    for line in range(feature_ends.size):
        m = feature_ends[line] - start
        for i in range(start, feature_ends[line]):
            if features[i] >= 0:
                row, own = np.uint64(features[i]), np.uint64(line)
                for o in range(labels):
                    scores[own, o] += row_scores[row, o]
        start = feature_ends[line]
        for o in range(labels if m > 0 else 0):
            scores[line, o] /= m


@compiled
def label_scores(
    hidden: npt.NDArray[np.float32],  # (lines, D)
    outputs: npt.NDArray[np.float32],  # (D, L) output rows, transposed
    scores: npt.NDArray[np.float64],  # (lines, L) zeros, written
) -> None:
    """Write the score of every label for every line."""
    for line in range(hidden.shape[0]):
        for d in range(hidden.shape[1]):
            h, own = np.float64(hidden[line, d]), np.uint64(line)
            for o in range(outputs.shape[1]):
                scores[own, o] += h * outputs[d, o]


@compiled
def label_probabilities(
    scores: npt.NDArray[np.float64],  # (lines, L)
    kind: int,  # SHARES, PATHS or EACH
    children: npt.NDArray[np.int64],  # (L - 1, 2) for PATHS, see firth.kernels.trees
    logs: npt.NDArray[np.float64],  # (2 L - 1,) workspace of PATHS
    probabilities: npt.NDArray[np.float64],  # (lines, L) written
) -> None:
    """Write the probability of every label for every line."""
    labels = probabilities.shape[1]
    for line in range(scores.shape[0]):
        if kind == EACH:
            for o in range(labels):
                probabilities[line, o] = 1 / (1 + math.exp(-scores[line, o]))
        elif kind == SHARES:
            highest, total = scores[line].max(), 0.0
            for o in range(labels):
                probabilities[line, o] = math.exp(scores[line, o] - highest)
                total += probabilities[line, o]
            for o in range(labels):
                probabilities[line, o] /= total
        else:
            logs[2 * labels - 2] = 0
            for node in range(labels - 2, -1, -1):
                # log sigma(s) and log sigma(-s), stable for either sign of s
                small = math.log1p(math.exp(-abs(scores[line, node])))
                for side, sign in ((0, 1.0), (1, -1.0)):
                    z = sign * scores[line, node]
                    logs[children[node, side]] = logs[labels + node] + min(z, 0.0) - small
            for o in range(labels):
                probabilities[line, o] = math.exp(logs[o])


@compiled
def best_labels(
    probabilities: npt.NDArray[np.float64],  # (lines, L)
    best: npt.NDArray[np.int32],  # (lines, k) written: the likeliest first; of equal ones, the lower number
) -> None:
    """Find the k labels of highest probability of every line."""
    k = best.shape[1]
    for line in range(probabilities.shape[0]):
        for label in range(probabilities.shape[1]):
            p = probabilities[line, label]
            i = min(label, k)
            while i > 0 and probabilities[line, best[line, i - 1]] < p:
                i -= 1
            if i < k:
                for j in range(min(label, k - 1), i, -1):
                    best[line, j] = best[line, j - 1]
                best[line, i] = label
