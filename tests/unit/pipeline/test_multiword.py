"""Multiword tokens: rules, and where they hold."""

import numpy as np
import pytest

from firth.pipeline.multiword import MultiwordTokens, rule_of, words_by
from firth.pipeline.raw_text import raw_text
from tests.unit.pipeline.treebanks import treebank


def made_words(seed):
    """Return 300 lists of two to four words of a few letters."""
    random = np.random.default_rng(seed)
    letters = list("abdelno'")
    return [
        ["".join(random.choice(letters, size=random.integers(1, 6))) for _ in range(random.integers(2, 5))]
        for _ in range(300)
    ]


def test_a_rule_gives_the_words_that_it_was_made_of():
    for words in made_words(1):
        assert words_by(rule_of("".join(words), words), "".join(words)) == tuple(words)


def test_a_rule_of_other_letters_gives_them_too():
    for (token, *_), words in zip(made_words(2), made_words(3), strict=True):
        assert words_by(rule_of(token, words), token) == tuple(words)


@pytest.mark.parametrize(
    ("token", "words"), [("Du", ("De", "le")), ("DU", ("DE", "LE")), ("du", ("de", "le")), ("D", ())]
)
def test_case_follows_the_token(token, words):
    assert words_by(rule_of("du", ["de", "le"]), token) == (words or ("E", "le"))


def test_a_rule_that_does_not_fit_gives_no_words():
    assert words_by(("cut", (), (3,)), "n't") == ()
    assert words_by(("replace", 5, "e", ("le",)), "du") == ()


def test_forms_of_the_treebank_are_expanded_and_others_are_not():
    multiword = MultiwordTokens.learn(raw_text(treebank(60)))
    words = multiword.words(["M.", "Durand", "voit", "le", "chat", "des", "parcs", "."])
    assert words == [("M.",), ("Durand",), ("voit",), ("le",), ("chat",), ("de", "les"), ("parcs",), (".",)]
    assert multiword.words(["Au", "parc"]) == [("À", "le"), ("parc",)]


def test_a_treebank_without_multiword_tokens_has_nothing_to_decide():
    sentences = [type(sentence)(tuple(row for row in sentence.rows if "-" not in row[0])) for sentence in treebank(5)]
    assert MultiwordTokens.learn(raw_text(sentences)).words(["du", "parc"]) == [("du",), ("parc",)]
