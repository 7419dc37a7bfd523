"""Words, phrases and patterns as a user writes them."""

import fnmatch
import itertools

import pytest

from firth.corpus.word_query import word_query
from firth.errors import CorpusError
from firth.text.token_spans import token_finder


def found(written, *words, tokens="words"):
    query = word_query(written, tokens)
    return [all(part(word) for part, word in zip(query.matchers(), words.split(), strict=True)) for words in words]


def test_words_and_phrases():
    assert word_query("Honour", "words").word == "honour"
    assert word_query("Honour", "cased").word == "Honour"
    assert found("Sense of HONOUR", "sense of honour", "sense of humour") == [True, False]
    assert found("well-known", "well known") == [True]
    assert found("東京", "東 京") == [True]


def test_patterns():
    assert found("Hono*r*", "honor", "honour", "honourable", "dishonour") == [True, True, True, False]
    assert found("wom?n", "woman", "women", "womn") == [True, True, False]
    assert found("wom?n|man", "woman", "man", "men") == [True, True, False]
    assert found("sense of * honour", "sense of true honour") == [True]
    assert found(r"a\*", "a*", "ab", tokens="whitespace") == [True, False]
    assert found("a*", "a*", "ab", tokens="text8") == [True, True]
    assert found("don’t*", "don't", "don'ts") == [True, True]


def test_patterns_are_those_of_shells():
    words = ["".join(letters) for n in range(1, 6) for letters in itertools.product("ab", repeat=n)]
    for n in range(1, 5):
        for pattern in map("".join, itertools.product("ab*?", repeat=n)):
            if pattern in ("*", "?"):
                continue
            (matches,) = word_query(pattern, "words").matchers()
            assert [word for word in words if matches(word)] == fnmatch.filter(words, pattern)


def test_many_stars_take_no_time():
    (matches,) = word_query(f"{'*a' * 30}b", "words").matchers()
    assert not matches("a" * 2_000)
    assert matches("ba" * 30 + "b")


def test_a_quick_look_never_misses():
    places = token_finder("words")
    for written, text in [
        ("sense of hono*r", "Sense of ﬂ HONOR"),
        ("*", "x"),
        ("straß?|x", "STRAẞE X"),
        ("ΟΔΌΣ", "ὁδός ὁδόσ"),
    ]:
        assert word_query(written, "words").may_match(text.replace("ὁ", "ο"), places)
    assert not word_query("hono*r", "words").may_match("dishes", places)
    assert not word_query("a hono*r|honesty", "words").may_match("a hon", places)


@pytest.mark.parametrize("written", ["", "  ", "...", None])
def test_no_word(written):
    with pytest.raises(CorpusError, match="expected a word"):
        word_query(written, "words")


@pytest.mark.parametrize("written", ["|", "||", "honour | honesty"])
def test_an_or_without_words(written):
    with pytest.raises(CorpusError, match=r"\| without words; expected them next to it, such as honour\|honesty"):
        word_query(written, "words")


def test_alternatives_are_single_words():
    with pytest.raises(CorpusError, match=r"between single words; the corpus reads well kn\*, x"):
        word_query("well-kn*|x", "words")
