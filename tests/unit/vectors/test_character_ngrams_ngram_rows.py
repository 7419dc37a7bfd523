"""Sums of the rows of n-grams, by hand."""

import numpy as np
import pytest

from firth.kernels.ngram_hash import hash_word
from firth.vectors.character_ngrams import Hashing, NgramRows

HOW = Hashing(3, 3, 1000)  # <ab> has <ab and ab>


def bucket(gram: str) -> int:
    text = np.frombuffer(gram.encode(), dtype=np.uint8)
    return int(hash_word.py_func(text, 0, len(text))) % 1000


def table(pruned: bool = False) -> NgramRows:
    """Rows for <ab, (1, 2), and abc, (10, 20)."""
    rows = {bucket("<ab"): (1, 2), bucket("abc"): (10, 20)}
    used = np.array(sorted(rows))
    return NgramRows(HOW, np.array([rows[b] for b in used.tolist()], dtype=np.float32), used, pruned)


def test_missing_rows_count_as_zeros():
    """ab: <ab ab>, one of which has a row. abc: <ab abc bc>, two. xyz: none of three."""
    sums, counts, known = table().sums(["ab", "abc", "xyz"])
    assert sums.tolist() == [[1, 2], [11, 22], [0, 0]]
    assert counts.tolist() == [2, 3, 3]
    assert known.tolist() == [True, True, False]


def test_pruned_rows_count_for_nothing():
    assert table(pruned=True).sums(["ab", "abc", "xyz"])[1].tolist() == [1, 2, 0]


def test_an_n_gram_that_repeats_counts_each_time():
    """aaaa: <aa aaa aaa aa>."""
    rows = NgramRows(HOW, np.array([[5.0]], dtype=np.float32), np.array([bucket("aaa")]))
    assert rows.sums(["aaaa"])[0].tolist() == [[10]]


def test_a_row_for_every_bucket():
    rows = NgramRows(HOW, np.arange(1000, dtype=np.float32)[:, None])
    assert rows.sums(["ab"])[0].tolist() == [[bucket("<ab") + bucket("ab>")]]
    assert rows.positions(np.array([3, 999])).tolist() == [3, 999]


def test_no_rows_at_all():
    rows = NgramRows(HOW, np.zeros((0, 2), dtype=np.float32), np.zeros(0, dtype=np.int64))
    sums, counts, known = rows.sums(["ab"])
    assert (sums.tolist(), counts.tolist(), known.tolist()) == ([[0, 0]], [2], [False])
    assert rows.sums([])[0].shape == (0, 2)


def test_more_words_than_are_gathered_at_once(monkeypatch):
    words = ["ab", "abc", "xyz", "a", "abcabc"]
    whole = table().sums(words)
    monkeypatch.setattr("firth.vectors.character_ngrams.TOGETHER", 2)
    for one, other in zip(whole, table().sums(words), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("hashes", [1, 4])
def test_rows_of_a_table_of_florets(hashes):
    """The word between its marks and two n-grams, each in so many rows of ones."""
    rows = NgramRows(Hashing(3, 3, 50, hashes), np.ones((50, 1), dtype=np.float32))
    sums, counts, _ = rows.sums(["ab"])
    assert sums.tolist() == [[3 * hashes]]
    assert counts.tolist() == [3 * hashes]
