"""Rows of words, and the spellings that are offered for a word that is not there."""

import pytest

from firth.errors import FormatError
from firth.vectors.lexicon import Lexicon

WORDS = ["the", "there", "their", "Paris", "paris", "fortress", "naïve", "東京", "USA", "received", "bicycle"]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("PARIS", "paris"),  # another case
        ("usa", "USA"),
        (" paris", "paris"),  # space around it
        ("recieved", "received"),  # two letters swapped
        ("fortres", "fortress"),  # one too few
        ("theeir", "their"),  # one too many
        ("bycycle", "bicycle"),  # one wrong
        ("naive", "naïve"),
        ("東凉", "東京"),
        ("bicyclette", "bicycle"),  # further away
    ],
)
def test_suggestions(asked, first):
    assert Lexicon(WORDS).suggestions(asked)[0] == first


def test_commoner_words_come_first():
    assert Lexicon(["hat", "cat", "bat", "mat"]).suggestions("rat") == ["hat", "cat", "bat"]


def test_nothing_is_like_it():
    assert Lexicon(WORDS).suggestions("zzzzzzzz") == []
    assert Lexicon(WORDS).suggestions("") == []
    assert Lexicon(WORDS).suggestions("the" * 100_000) == []
    assert Lexicon([]).suggestions("a") == []


@pytest.mark.parametrize(
    ("asked", "known"), [("ΔΡΟΜΟΣ", "δρόμος"), ("homme", "l'homme"), ("Ecole", "l’école"), ("cafe", "café")]
)
def test_words_with_other_accents_or_an_elided_article(asked, known):
    words = ["δρόμος", "l'homme", "l’école", "café", "kosmos"]
    assert Lexicon(words).suggestions(asked) == [known]


def test_suggestions_are_sought_when_the_message_is_read(monkeypatch):
    """A program that catches a million misses does not pay for a million searches."""
    lexicon, asked = Lexicon(WORDS), []
    monkeypatch.setattr(lexicon, "suggestions", lambda word: asked.append(word) or ["there"])
    errors = [lexicon.unknown("ther"), lexicon.unknown("thre")]
    assert asked == []
    assert str(errors[1]) == "'thre' is not in the vocabulary; did you mean there?"
    assert errors[1].suggestions == ["there"]
    assert asked == ["thre"]


def test_suggestions_look_at_few_of_many_words():
    """Letter by letter comparison of all 200,000 would take seconds."""
    lexicon = Lexicon([f"word{i}" for i in range(200_000)])
    assert lexicon.suggestions("wrod7")[0] == "word7"
    assert len(lexicon._alike("worm12345")) == 5_000


def test_repeats_are_found_even_if_nobody_checked():
    lexicon = Lexicon(["a", "b", "b"])
    with pytest.raises(FormatError, match="'b' is word 1 and word 2: expected each word once"):
        lexicon.row_of("a")


def test_extension():
    lexicon = Lexicon.checked(("a", "b"))
    lexicon.extend(["c"])
    assert (len(lexicon), lexicon.row_of("c"), lexicon.words) == (3, 2, ["a", "b", "c"])
