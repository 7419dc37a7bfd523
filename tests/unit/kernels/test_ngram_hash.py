"""Hashes of n-grams, by hand and compared with plain Python."""

import numpy as np
import pytest
from numba import njit

from firth.kernels import ngram_hash
from firth.kernels.ngram_hash import character_ngrams, most_ngrams, word_ngrams

BUCKETS = 2_000_000


@njit
def hash_of(text):
    return ngram_hash.hash_word(text, 0, len(text))


def fnv(text: bytes) -> int:
    h = 2166136261
    for byte in text:
        h = (h ^ (byte if byte < 128 else byte + 0xFFFFFF00)) * 16777619 % 2**32
    return h


def found_in(word: str, min_n: int, max_n: int, buckets: int = BUCKETS) -> list[int]:
    text = np.frombuffer(b"xx" + word.encode() + b"yy", dtype=np.uint8)
    found = np.full(most_ngrams(len(text) - 4, min_n, max_n) + 1, -1, dtype=np.int64)
    end = character_ngrams(text, 2, len(text) - 2, min_n, max_n, buckets, found, 1)
    assert (found[end:] == -1).all()
    return found[1:end].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"", 2166136261), (b"a", 0xE40C292C), (b"foobar", 0xBF9CF968)],  # the latter two stand in the FNV paper's tables
)
def test_hash_of_ascii_is_fnv_1a(text, expected):
    assert hash_of(np.frombuffer(text, dtype=np.uint8)) == expected


def test_bytes_are_signed():
    """s(0xE9) = 0xFFFFFFE9 takes part in the product; 0xE9 alone gives another."""
    assert hash_of(np.array([0xE9], dtype=np.uint8)) == (2166136261 ^ 0xFFFFFFE9) * 16777619 % 2**32
    assert hash_of(np.array([0xE9], dtype=np.uint8)) != (2166136261 ^ 0xE9) * 16777619 % 2**32


def test_n_grams_of_a_short_word():
    """<ab> with n from 2 to 3: <a <ab ab ab> b>; marks alone are none."""
    assert found_in("ab", 2, 3) == [fnv(gram) % BUCKETS for gram in (b"<a", b"<ab", b"ab", b"ab>", b"b>")]


def test_a_mark_alone_is_no_n_gram_but_a_letter_is():
    """<<> with n = 1: the two outer marks are left out, the letter between them stays."""
    assert found_in("<", 1, 1) == [fnv(b"<") % BUCKETS]
    assert found_in("ab", 1, 1) == [fnv(b"a") % BUCKETS, fnv(b"b") % BUCKETS]


@pytest.mark.parametrize("word", ["", "a", "where", "naïve", "東京都", "a𝄞b", "\u0301x", "ab" * 40])
@pytest.mark.parametrize(("min_n", "max_n"), [(1, 1), (1, 4), (3, 6), (2, 2), (1, 0)])
def test_n_grams_are_of_characters(word, min_n, max_n):
    marked = f"<{word}>"
    expected = [
        marked[i : i + n]
        for i in range(len(marked))
        for n in range(min_n, max_n + 1)
        if i + n <= len(marked) and not (n == 1 and i in (0, len(marked) - 1))
    ]
    assert found_in(word, min_n, max_n, 1000) == [fnv(gram.encode()) % 1000 for gram in expected]


def test_n_grams_of_words():
    """Of three words, up to three in a row: 12 123 23, each G = (g_1 * P + g_2) * P + g_3 with signed g."""
    words = [b"alpha", b"beta", "gämma".encode()]
    signed = [(h := fnv(word)) - (h >> 31 << 32) for word in words]
    assert min(signed) < 0 < max(signed)  # so that signs matter
    hashes = np.array([fnv(word) for word in words], dtype=np.uint32)
    found = np.full(6, -1, dtype=np.int64)

    def row(*g: int) -> int:
        total = 0
        for one in g:
            total = (total * 116049371 + one) % 2**64
        return total % BUCKETS

    end = word_ngrams(hashes, 3, 3, BUCKETS, found, 0)
    assert found.tolist() == [row(*signed[:2]), row(*signed), row(*signed[1:]), -1, -1, -1]
    assert end == 3
    assert word_ngrams(hashes, 3, 1, BUCKETS, found, 0) == 0
