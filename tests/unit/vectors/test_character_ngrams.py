"""N-grams of many words at once: those that the compiled bricks find, word by word."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firth.kernels import ngram_hash
from firth.vectors.character_ngrams import Hashing

WORDS = ["", "a", "where", "naïve", "東京都", "a𝄞b", "\u0301x", "<", "ab" * 40, "\udce9t\udce9", "\ud800"]


def one_by_one(words: list[str], min_n: int, max_n: int, buckets: int) -> list[list[int]]:
    rows = []
    for word in words:
        token = word.encode("utf-8", "surrogateescape" if "\ud800" not in word else "surrogatepass")
        text = np.frombuffer(token, dtype=np.uint8)
        found = np.zeros(ngram_hash.most_ngrams(len(text), min_n, max_n), dtype=np.int64)
        end = ngram_hash.character_ngrams(text, 0, len(text), min_n, max_n, buckets, found, 0)
        rows.append(found[:end].tolist())
    return rows


def together(words: list[str], min_n: int, max_n: int, buckets: int) -> list[list[int]]:
    starts, ids = Hashing(min_n, max_n, buckets).buckets_of(words)
    return [ids[a:b].tolist() for a, b in itertools.pairwise(starts)]


@pytest.mark.parametrize(("min_n", "max_n"), [(1, 1), (1, 4), (3, 6), (2, 2), (1, 0), (5, 3)])
def test_same_as_one_by_one(min_n, max_n):
    assert together(WORDS, min_n, max_n, 1000) == one_by_one(WORDS, min_n, max_n, 1000)


@settings(deadline=None)  # the first call may compile
@given(
    words=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), max_size=8),
    min_n=st.integers(1, 4),
    more=st.integers(0, 3),
    buckets=st.integers(1, 5000),
)
def test_any_words(words, min_n, more, buckets):
    assert together(words, min_n, min_n + more, buckets) == one_by_one(words, min_n, min_n + more, buckets)


def test_more_words_than_are_taken_together(monkeypatch):
    monkeypatch.setattr("firth.vectors.character_ngrams.TOGETHER", 2)
    assert together(WORDS, 2, 3, 77) == one_by_one(WORDS, 2, 3, 77)


def test_no_words_and_no_buckets():
    assert together([], 3, 6, 100) == []
    assert together(["word", "other"], 3, 6, 0) == [[], []]
