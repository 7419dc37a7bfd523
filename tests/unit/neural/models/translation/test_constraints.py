"""Terms of a glossary in sources, and forced phrases that a search does not find."""

import warnings

import pytest

import firth
from firth.errors import OptionError
from firth.neural.models.translation.constraints import Glossary
from firth.neural.models.translation.units import learn_units
from tests.unit.neural.models.translation.test_translator import TEXTS, untrained

UNITS = learn_units(["the dog and the sea lion of Paris"], "words", 99)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Ein Hund, zwei Hunde.", ["dog"]),
        ("See und Seelöwe, der Seelöwe", ["sea", "sea lion"]),
        ("der tote See", []),
        ("das tote Meer", ["the sea"]),
        ("Das tote Meer und das Meer", ["the sea"]),
        ("hund", []),
        ("Ich sehe Das tote Meer", []),
        ("Paris! „Das tote Meer, sagt er.", ["the sea"]),
        ("東京と巴里", ["Paris"]),
        ("", []),
    ],
)
def test_terms_are_whole_words_and_the_longest_ones(text, phrases):
    entries = {
        "Hund": "dog", "See": "sea", "Seelöwe": "sea lion", "das tote Meer": "the sea", "tote See": "the sea",
        "der tote": "of", "der tote See": "the sea", "巴里": "Paris",
    }  # fmt: skip
    if text == "der tote See":
        phrases = ["the sea"]
    assert Glossary(entries, UNITS, UNITS).phrases(text) == phrases


def test_models_of_lower_case_find_terms_in_any_case():
    lower = learn_units(["a dog"], "words", 9, lowercase=True)
    assert Glossary({"HUND": "Dog"}, lower, lower).phrases("ein hund") == ["Dog"]


def test_terms_that_cannot_be_written_are_left_out_and_counted():
    with pytest.warns(UserWarning, match="glossary: 2 translations left out, such as 'a cat': the model does not know"):
        terms = Glossary({"Katze": "a cat", "Maus": "mouse", "Hund": "dog"}, UNITS, UNITS)
    assert terms.phrases("Katze Maus Hund") == ["dog"]


def test_translations_have_the_terms_of_their_text_only():
    model = untrained()
    found = model.translate(["a b c", "b"], glossary={"a b": "c a", "c": "b"}, forced=[["b"], []], beam=8)
    assert "c a" in found[0].text
    assert found[1] == model.translate("b", beam=8)
    assert found[0].tokens == model.translate("a b c", forced=["b", "c a"], beam=8).tokens
    both = firth.TranslationEnsemble([model, model])
    assert both.translate("a b c", glossary={"a b": "c a", "c": "b"}, beam=8).tokens == found[0].tokens
    scored = model.test([("a b", "c a")], glossary={"a b": "c a"}, metrics="exact", beam=8)
    assert len(scored.rows) == 1


@pytest.mark.parametrize(
    ("glossary", "message"),
    [
        ({"a": " "}, "glossary: 'a' has no translation"),
        ({"a": 3}, "glossary, an entry={'a': 3}"),
        (["a"], r"glossary=\['a'\] is a list"),
    ],
)
def test_wrong_glossaries_are_refused(glossary, message):
    with pytest.raises((OptionError, TypeError), match=message):
        untrained().translate(TEXTS[:1], glossary=glossary)


def test_results_without_their_phrases_are_counted(monkeypatch):
    from firth.inference import search

    model, options = untrained(), firth.GenerationOptions(max_length=6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.translate(TEXTS[:2], forced=["c a"], beam=6, options=options)
    monkeypatch.setattr(search.Phrases, "met", lambda self, progress: False)
    with pytest.warns(UserWarning, match="2 of 2 texts: no result with all forced phrases was found by beam=6"):
        model.translate(TEXTS[:2], forced=["c a"], beam=6, options=options)
