"""Counts of n-grams of all orders."""

from collections import Counter

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, OptionError
from firth.language.ngram_counts import SMALL, NgramCounts, count
from firth.language.text import LanguageText, TextRules, training_text
from firth.vocabulary import Vocabulary
from tests.unit.language.ngram_checks import text_of


def counted(text, order):
    """The definition: all stretches of 1 to n words of each sentence, `BOS` before it; lists of all n-grams."""
    found = [Counter() for _ in range(order)]
    for first, last in zip(text.offsets[:-1], text.offsets[1:], strict=True):
        words = [len(text.vocabulary), *text.ids[first:last].tolist()]
        for k in range(1, order + 1):
            found[k - 1].update(tuple(words[i : i + k]) for i in range(len(words) - k + 1))
    for word in range(len(text.vocabulary)):
        found[0].setdefault((word,), 0)
    return found


def check(counts: NgramCounts, text, order):
    rows, expected = [words.tolist() for words in counts.words], counted(text, order)
    assert counts.order == order
    for k in range(order):
        ngrams = [tuple(row) for row in rows[k]]
        assert ngrams == sorted(expected[k])
        assert counts.counts[k].tolist() == [expected[k][ngram] for ngram in ngrams]
        assert counts.firsts()[k].tolist() == [ngram[0] for ngram in ngrams]
        if k:
            assert [tuple(rows[k - 1][i]) for i in counts.contexts[k]] == [ngram[:-1] for ngram in ngrams]
            assert [tuple(rows[k - 1][i]) for i in counts.suffixes[k]] == [ngram[1:] for ngram in ngrams]


def test_two_short_sentences(tmp_path):
    """a b a / a: a 3, </s> 2, b 1, <unk> 0 are the ids 0 to 3, and <s> is 4.

    The stream is 4 0 2 0 1, 4 0 1. Its bigrams, sorted: a</s> twice, ab once, ba once, <s>a twice. Without its first
    word, "b a" is "a", row 0; its context is "b", row 2.
    """
    counts = count(text_of(["a b a", "a"], tmp_path), 3)
    assert counts.counts[0].tolist() == [3, 2, 1, 0, 2]
    assert counts.words[1].tolist() == [[0, 1], [0, 2], [2, 0], [4, 0]]
    assert counts.counts[1].tolist() == [2, 1, 1, 2]
    assert counts.contexts[1].tolist() == [0, 0, 2, 4]
    assert counts.suffixes[1].tolist() == [1, 2, 0, 0]
    assert counts.words[2].tolist() == [[0, 2, 0], [2, 0, 1], [4, 0, 1], [4, 0, 2]]
    assert counts.suffixes[2].tolist() == [2, 0, 0, 1]
    assert (counts.bos_id, counts.unk_id, counts.eos_id) == (4, 3, 1)


@pytest.mark.parametrize("eos", [True, False])
@pytest.mark.parametrize("threads", [1, 3])
def test_random_text_against_the_definition(eos, threads):
    """Runs of all sizes: sorted by insertion, by packing (only few different words a run), and by counting."""
    rng = np.random.default_rng(1)
    size = 2000
    ids = np.minimum(rng.zipf(1.3, 30_000) - 1, size - 1).astype(np.int32)
    offsets = np.unique(np.concatenate([[0, len(ids)], rng.integers(0, len(ids), 3000)])).astype(np.int64)
    words = [f"w{i}" for i in range(size - 2)] + ["<unk>", "</s>"]
    text = LanguageText(Vocabulary(words, np.ones(size, np.int64), size), ids, offsets, TextRules(eos=eos))
    runs = np.bincount(ids, minlength=size)
    assert (runs * 8 >= size).any()
    assert ((runs > SMALL) & (runs * 8 < size)).any()
    check(count(text, 4, threads=threads), text, 4)


def test_an_order_above_every_sentence_has_no_rows(tmp_path):
    counts = count(text_of(["a b"], tmp_path), 6)
    assert [len(rows) for rows in counts.counts] == [5, 3, 2, 1, 0, 0]
    check(counts, text_of(["a b"], tmp_path), 6)


def test_sentences_without_words(tmp_path):
    corpus = firth.Corpus.build(["a", "", "a a"], cache=tmp_path, tokens="whitespace", min_count=1, keep_empty=True)
    for eos in (True, False):
        text = training_text(corpus, eos=eos)
        check(count(text, 3), text, 3)


def test_an_order_below_one_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"order=0: expected at least 1"):
        count(text_of(["a"], tmp_path), 0)


def test_an_empty_text_is_refused():
    vocabulary = Vocabulary(["<unk>"], np.zeros(1, np.int64), 0)
    text = LanguageText(vocabulary, np.zeros(0, np.int32), np.zeros(1, np.int64), TextRules(eos=False))
    with pytest.raises(CorpusError, match="no words"):
        count(text, 2)


def test_real_text_adds_up(english_text, tmp_path):
    """A sentence of L tokens, with `BOS` before them, has L + 2 - k stretches of k."""
    corpus = firth.Corpus.build(english_text, cache=tmp_path, min_count=1)
    text = training_text(corpus)
    lengths = np.diff(text.offsets)
    for k, counts in enumerate(count(text, 5).counts[1:], 2):
        assert counts.sum() == np.maximum(lengths + 2 - k, 0).sum()
