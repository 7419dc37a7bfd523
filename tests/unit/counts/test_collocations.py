"""Collocations: figures by hand, and windows counted one by one."""

import math
import random
from collections import Counter

import numpy as np
import pytest

import firth
from firth.counts.counting import window_row
from firth.errors import CorpusError, OptionError, UnknownWordError

TEXTS = ["red wine tastes", "red wine", "white wine", "red car goes fast"]


def test_figures_by_hand():
    """11 words; windows of 1 around wine: red twice, white and tastes once, so 4 words in all."""
    rows = {row.word: row for row in firth.collocations(TEXTS, "Wine", window=1, min_count=1, progress=False)}
    assert {word: row.count for word, row in rows.items()} == {"red": 2, "white": 1, "tastes": 1}
    red = rows["red"]
    assert (red.total, red.documents) == (3, 2)
    assert red.expected == pytest.approx(4 * 3 / 11)
    assert red.pmi == pytest.approx(math.log2(2 / (12 / 11)))
    assert red.t == pytest.approx((2 - 12 / 11) / math.sqrt(2))
    assert red.log_dice == pytest.approx(14 + math.log2(2 * 2 / (3 + 3)))
    assert red.dispersion == pytest.approx((abs(1 / 2 - 3 / 11) + abs(1 / 2 - 2 / 11) + 2 / 11 + 4 / 11) / 2)


def test_order_and_limits():
    def words(**options):
        return [row.word for row in firth.collocations(TEXTS, "wine", progress=False, **options)]

    assert words(window=1, min_count=1) == ["red", "tastes", "white"]
    assert words(window=1, min_count=1, sort="pmi") == ["tastes", "white", "red"]
    assert words(window=1, min_count=1, sort="t", limit=1) == ["red"]
    assert words(window=1, min_count=2) == ["red"]
    with pytest.raises(OptionError, match="sort='far'"):
        words(sort="far")


def test_windows_are_counted_as_one_by_one(tmp_path):
    draw = random.Random(2)
    sentences = [[draw.choice("abcde") for _ in range(draw.randrange(1, 9))] for _ in range(200)]
    corpus = firth.Corpus.build(sentences, min_count=1, cache=tmp_path, progress=False)
    near = window_row(corpus, corpus.vocabulary.ids["c"], 3)
    expected = Counter()
    for words in sentences:
        for i, word in enumerate(words):
            if word == "c":
                expected.update(words[max(0, i - 3) : i] + words[i + 1 : i + 4])
    counted = {corpus.vocabulary.words[i]: n for i, n in zip(near.columns, near.counts.tolist(), strict=True)}
    assert counted == expected
    assert near.size == expected.total()
    ids = np.concatenate([corpus.ids[positions] for positions in near.pairs()])
    assert Counter(corpus.vocabulary.words[i] for i in ids) == expected


def test_documents_of_files_and_sentences(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One honour. Two\nhonours here.\n\nOne honour!\n", encoding="utf-8")
    lines = firth.collocations(path, "honour", min_count=1, window=2, progress=False)
    assert {row.word: row.count for row in lines} == {"one": 2, "two": 1, "honours": 1}
    assert lines.facts["unit"] == "paragraphs"
    sentences = firth.collocations(path, "honour", min_count=1, sentences="punctuation", progress=False)
    assert [(row.word, row.count) for row in sentences] == [("one", 2)]


def test_mistakes():
    with pytest.raises(UnknownWordError, match="did you mean wine"):
        firth.collocations(TEXTS, "wines", progress=False)
    with pytest.raises(CorpusError, match="stands alone"):
        firth.collocations(["one", "two two"], "one", progress=False)
    with pytest.raises(OptionError, match="window=0"):
        firth.collocations(TEXTS, "wine", window=0)


def test_words_outside_the_vocabulary_are_in_no_window():
    """A text of "a" and "b" alone has "b" near "a" as often as chance has it, whatever was left out."""
    texts = ["a the b", "b the a", "a the a", "b the b"] * 10
    kept = firth.collocations(["a b", "b a", "a a", "b b"] * 10, "a", window=1, progress=False)
    left_out = firth.collocations(texts, "a", window=1, stop_words=["the"], progress=False)
    assert [(row.word, row.pmi, row.t) for row in left_out] == [(row.word, row.pmi, row.t) for row in kept]
    corpus = firth.Corpus.build([[*text.split(), f"rare{n}"] for n, text in enumerate(texts)], min_count=5)
    rows = {row.word: row.expected for row in firth.collocations(corpus, "a", window=1, progress=False)}
    near = 10 * (1 + 1 + 2)  # words next to "a": "the" alone
    assert rows == {"the": near * 40 / corpus.num_tokens}
