"""Search by TF-IDF of hashed words and word pairs, against the formula."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError
from firth.text.tokenise import unicode_tokens

TEXTS = [
    "The tower of London stands on the Thames.",
    "Paris has a tower. The tower is of iron.",
    "Rome has seven hills, and London two.",
    "Nothing here.",
    "",
    "The hills of Rome are low.",
]


def terms(text):
    words = unicode_tokens(text)
    return Counter([*words, *pairwise(words)])


def expected(query, text):
    bags = [terms(each) for each in TEXTS]

    def idf(term):
        found = sum(term in bag for bag in bags)
        return max(0.0, math.log((len(bags) - found + 0.5) / (found + 0.5)))

    one, other = terms(query), terms(text)
    return sum(math.log1p(one[t]) * math.log1p(other[t]) * idf(t) ** 2 for t in one.keys() & other.keys())


@pytest.mark.parametrize("query", ["the tower of Rome", "iron tower tower", "London"])
def test_scores_are_those_of_the_formula(query):
    found = firth.TfidfIndex(TEXTS).search(query, 10)
    scores = {row: expected(query, text) for row, text in enumerate(TEXTS)}
    assert {match.row for match in found} == {row for row, score in scores.items() if score > 0}
    for match in found:
        assert match.score == pytest.approx(scores[match.row], rel=1e-5)
        assert match.text == TEXTS[match.row]
    assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)


def test_of_tied_texts_the_first_rows_are_found():
    index = firth.TfidfIndex(["London", "the hills of Rome", "Rome, Rome", "Rome hills", "London"] * 40)
    every = index.search("Rome", 200)
    assert [each.row for each in every] == [*range(2, 200, 5), *sorted([*range(1, 200, 5), *range(3, 200, 5)])]
    for topn in (1, 7, 40, 41, 100, 119):
        assert index.search("Rome", topn) == every[:topn]


def test_of_few_texts_every_shared_word_counts():
    index = firth.TfidfIndex(["Bob lives in Oslo.", "Ann lives in Rome."])
    assert [match.row for match in index.search("Where does Ann live in?", 1)] == [1]
    assert firth.TfidfIndex(["Bob lives in Oslo."]).search("Bob")[0].row == 0


def test_lists_of_queries_and_queries_without_a_known_word():
    index = firth.TfidfIndex(TEXTS)
    assert index.search(["Thames", "xyz", ""], 1) == [index.search("Thames", 1), [], []]
    assert len(index) == 6
    assert repr(index).startswith("<TfidfIndex: 6 texts, ")


def test_hashes_of_few_bits_still_find_the_text():
    index = firth.TfidfIndex(TEXTS, bits=6)
    assert len(index._terms) <= 64
    assert np.isfinite([match.score for match in index.search("Thames", 3)]).all()


def test_wrong_arguments():
    with pytest.raises(CorpusError, match="no text with a word"):
        firth.TfidfIndex(["", "..."])
    with pytest.raises(ArgumentTypeError, match="texts"):
        firth.TfidfIndex("a text")
    with pytest.raises(OptionError, match="topn=0"):
        firth.TfidfIndex(TEXTS).search("a", 0)
    with pytest.raises(OptionError, match="bits=33"):
        firth.TfidfIndex(TEXTS, bits=33)
    with pytest.raises(OptionError, match="bits"):
        firth.TfidfIndex(TEXTS, hash_size=9)
    with pytest.raises(AttributeError, match=r"use search\(queries\)"):
        firth.TfidfIndex(TEXTS).most_similar("a")
    with pytest.raises(AttributeError, match="made anew"):
        firth.TfidfIndex(TEXTS).save("x")
