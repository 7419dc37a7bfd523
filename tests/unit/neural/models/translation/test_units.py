"""Tokens of a side: words, subwords, and how they are joined and shown."""

import pytest

from firth.errors import CorpusError
from firth.neural.models.translation.units import BOS, EOS, SPECIAL, UNKNOWN, learn_units

TEXTS = ["Die Häuser, die Häuser!", "ein Haus."] * 3


@pytest.mark.parametrize("kind", ["words", "subwords", "characters"])
def test_texts_come_back(kind):
    units = learn_units(TEXTS, kind, 300)
    assert tuple(units.words[:3]) == SPECIAL
    assert (UNKNOWN, BOS, EOS) == (0, 1, 2)
    assert units.counts[EOS] == len(TEXTS)
    for text in (*TEXTS, "", "  Haus   die "):
        tokens = units.split(text)
        assert units.tokens(units.ids(tokens)) == tokens
        assert units.text(tokens) == (" ".join(text.split()) if kind != "subwords" else text.strip())
    assert learn_units(TEXTS, kind, 300, lowercase=True).split("Die") == units.split("die")


def test_words_have_counts_and_rare_ones_are_unknown():
    units = learn_units(["b a a", "a c"], "words", 100, min_count=2)
    assert (list(units.words[3:]), units.counts.tolist()) == (["a"], [2, 0, 2, 3])
    assert units.ids(["a", "b"]).tolist() == [3, UNKNOWN]
    with pytest.raises(CorpusError, match="no word occurs 9 times"):
        learn_units(["a"], "words", 100, min_count=9)


def test_subwords_are_shown_as_text():
    units = learn_units(TEXTS, "subwords", 300)
    shown = units.shown([*units.split("Haus."), "</s>"])
    assert "".join(shown).replace("·", "") == "Haus.</s>"
    assert shown[0][0] == "H"
    assert shown[-2].startswith("·")
    assert learn_units(TEXTS, "words", 9).shown(["a", "￭."]) == ["a", "·."]
