"""The places of tokens: the same tokens as the rule itself gives, and the text that each was made of."""

import random

import pytest

from firth.text.token_spans import token_finder
from firth.text.tokenise import tokeniser, words_of

ODD = "aIİıßﬁſ\u00ad\u0301\u0307’'‘.,-_ 3東ひ한ᄒ\u1161\u11abΣσςｆ\ufe0feـب\n"


@pytest.mark.parametrize("name", ["words", "words:tr", "words:lt", "words:as-shaped", "unicode", "whitespace", "text8"])
def test_tokens_are_those_of_the_rule(name):
    draw = random.Random(1)
    found, split = token_finder(name), tokeniser(name)
    for _ in range(400):
        text = "".join(draw.choice(ODD) for _ in range(draw.randrange(30)))
        tokens = found.tokens(text)
        assert [word for word, _, _ in tokens] == split(text)
        if found.folded is not None:
            assert all(word.replace("ς", "σ") in found.folded(text) for word, _, _ in tokens)


def test_places_are_those_of_what_was_written():
    text = "“Don’t co\u00adop\u00aderate”, ﬁne cafe\u0301s in İstanbul; 東京. ΟΔΌΣ"
    tokens = token_finder("words").tokens(text)
    written = [text[start:end] for _, start, end in tokens]
    assert written == [
        "Don’t", "co\u00adop\u00aderate", "ﬁne", "cafe\u0301s", "in", "İstanbul", "東", "京", "ΟΔΌΣ"
    ]  # fmt: skip
    assert [words_of(each)[0] for each in written] == [word for word, _, _ in tokens]


def test_tokens_of_functions():
    assert token_finder("cased").tokens("It can't.") == [("It", 0, 2), ("ca", 3, 5), ("n't", 5, 8), (".", 8, 9)]
    made_up = token_finder(lambda text: ["[start]", *text.lower().split()])
    assert made_up.tokens("A  Bee") == [("a", 0, 1), ("bee", 3, 6)]


def test_a_function_that_lowers_case_finds_the_word_in_capitals_first():
    tokens = token_finder(lambda text: text.lower().split()).tokens("The cat and the dog")
    assert tokens == [("the", 0, 3), ("cat", 4, 7), ("and", 8, 11), ("the", 12, 15), ("dog", 16, 19)]
