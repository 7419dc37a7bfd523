"""Segmentation-free vectors: which n-grams are units, and which of them are adjacent."""

from collections import Counter

import numpy as np
import pytest

import firth
from firth.embeddings.ngram import adjacency, characters
from firth.errors import CorpusError, OptionError

TEXT = "thecatsatonthematcats"  # 21 characters


@pytest.fixture
def built(tmp_path):
    return lambda lines: firth.Corpus.build(lines, tokens=characters, min_count=1, cache=tmp_path)


def test_characters_are_folded_and_spaces_left_out():
    assert characters("The Cat\u3000\n sat") == list("thecatsat")


def grams(lines, longest):
    return Counter(line[i : i + n] for line in lines for n in range(1, longest + 1) for i in range(len(line) - n + 1))


@pytest.mark.parametrize("lines", [[TEXT], [TEXT, "cat", "a", "themat" * 3]])
def test_units_are_all_frequent_ngrams(built, lines):
    vocabulary, placed = firth.NgramVectors(max_length=4, min_unit=2).find_units(built(lines))
    wanted = {gram: count for gram, count in grams(lines, 4).items() if count >= 2}
    assert dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)) == wanted
    assert list(vocabulary.words) == sorted(wanted, key=lambda gram: (-wanted[gram], gram))
    text = "".join(lines)
    for length, row in enumerate(placed, 1):
        for place in np.flatnonzero(row >= 0):
            assert vocabulary.words[row[place]] == text[place : place + length]
    few, _ = firth.NgramVectors(max_length=4, min_unit=2, units=3).find_units(built(lines))
    assert list(few.words) == list(vocabulary.words[:3])


def test_pairs_are_adjacent_and_do_not_overlap(built):
    """Of TEXT: `the` ends before `c`, `ca`, `cat` and before `m`, `ma`, `mat`; nothing follows over an end."""
    lines = [TEXT, "mats"]
    corpus = built(lines)
    vocabulary, placed = firth.NgramVectors(max_length=3, min_unit=1).find_units(corpus)
    found = adjacency(corpus, placed, len(vocabulary), 2).toarray()
    wanted = np.zeros_like(found)
    for line in lines:
        for middle in range(1, len(line)):
            for n in range(1, min(3, middle) + 1):
                for m in range(1, min(3, len(line) - middle) + 1):
                    one, other = line[middle - n : middle], line[middle : middle + m]
                    wanted[vocabulary.ids[one], vocabulary.ids[other]] += 1
    np.testing.assert_array_equal(found, wanted)
    the = found[vocabulary.ids["the"]]
    followers = {vocabulary.words[i] for i in np.flatnonzero(the)}
    assert followers == {"c", "ca", "cat", "m", "ma", "mat"}


def test_words_of_one_kind_lie_together(built):
    """Sentences of article, noun and verb without spaces: nouns are near nouns, verbs near verbs."""
    random = np.random.default_rng(0)
    nouns, verbs = ["dog", "cow", "pig", "fox"], ["eats", "sees", "hits", "bites"]
    lines = [f"the{random.choice(nouns)}{random.choice(verbs)}a{random.choice(nouns)}." * 3 for _ in range(800)]
    vectors = firth.NgramVectors(dim=10, max_length=5, min_unit=20).train(built(lines))
    ranked = [word for word, _ in vectors.most_similar("dog", topn=len(vectors) - 1) if word in {*nouns, *verbs}]
    assert set(ranked[:3]) == {"cow", "pig", "fox"}


def test_a_text_without_frequent_characters(built):
    with pytest.raises(CorpusError, match="no character occurs 5 times"):
        firth.NgramVectors().train(built(["abc"]))
    with pytest.raises(OptionError, match="dim=100 for 6 words and 12 contexts: expected at most dim=6"):
        firth.NgramVectors(min_unit=1, max_length=2).train(built(["abca"]))
