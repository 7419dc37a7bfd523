import warnings

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.inference.generation_options import GenerationOptions
from firth.inference.search import BeamSearch
from firth.language.text import EOS, UNK, TextRules
from tests.unit.language.toys import TableModel, random_model


def test_by_hand():
    """From the beginning a (.6), b (.5), and then a and the end are even (.4): the first, a, and round it goes.

    A third occurrence is forbidden by blocking pairs: after a b a, b would write "a b" again, and the end is likeliest.
    """
    model = TableModel()
    assert model.generate(search="greedy", options=GenerationOptions(max_length=5)) == ["a b a b a"]
    assert model.generate(search="greedy", options=GenerationOptions(no_repeat_ngram=2)) == ["a b a"]
    zero = GenerationOptions(max_length=5, temperature=0)
    assert model.generate(search="greedy", options=zero) == ["a b a b a"]
    assert model.generate("b b", search="greedy", options=GenerationOptions(max_length=2)) == ["b b a b"]


def test_beam_search_finds_likelier_sentences():
    """ "a" and the end have .6 x .3 = .18; "a b" and the end .6 x .5 x .4 = .12; the empty sentence .1."""
    how = BeamSearch(beams=9, length_normalisation="none")
    best, *others = TableModel().generate(n=3, search=how, options=GenerationOptions(max_length=3))
    assert best == "a"
    assert set(others) == {"a b", "a b a"}  # "a b a", which is cut off, has .6 x .5 x .4 as well


def test_drawn_texts_differ_and_come_again():
    model = random_model(0)
    texts = model.generate("a", n=20, seed=1)
    assert len(set(texts)) > 5
    assert texts == model.generate("a", n=20, seed=1) != model.generate("a", n=20, seed=2)
    assert texts[:3] == model.generate("a", n=3, seed=1)
    assert all(text.startswith("a") for text in texts)


def test_unknown_words_are_written_only_where_wanted():
    model = random_model(0)
    assert not any("<unk>" in text for text in model.generate(n=50))
    assert any("<unk>" in text for text in model.generate(n=50, unknown=True))


def test_a_model_without_ends_writes_on():
    (text,) = random_model(3, ["a", "b", "<unk>"]).generate(options=GenerationOptions(max_length=30))
    assert len(text.split()) == 30


def test_unknown_words_of_a_prompt_are_warned_of():
    with pytest.warns(UserWarning, match=r"prompt: 'x', 'y', 'z', \.\.\. not in the vocabulary") as warned:
        (text,) = TableModel().generate("a x y x z w", search="greedy", options=GenerationOptions(max_length=1))
    assert text.startswith("a <unk> <unk> <unk> <unk> <unk>")
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TableModel().generate("a b")


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"search": "best"}, "search='best': expected one of sample, greedy, beam"),
        ({"n": 0}, "n=0: expected at least 1"),
        ({"n": 2, "search": "greedy"}, "n=2 with search='greedy': greedy search gives one"),
        ({"search": "greedy", "options": GenerationOptions(temperature=0.5)}, "temperature.* with search='greedy'"),
        (
            {"search": "beam", "options": GenerationOptions(top_k=2)},
            "with search='beam': these are options of sampling",
        ),
        ({"options": GenerationOptions(temperature=0)}, "temperature=0 with search='sample': expected search='greedy'"),
        ({"search": "beam", "options": GenerationOptions(temperature=0)}, "temperature=0 with search='beam'"),
        ({"search": BeamSearch(beams=2), "n": 3}, "n=3: expected from 1 to beams=2"),
    ],
)
def test_what_a_search_cannot_do_is_refused(how, told):
    with pytest.raises(OptionError, match=told):
        TableModel().generate("a", **how)


def test_forced_phrases_are_in_every_text():
    """Without them the likeliest text is "a"; with "b b" it is "a b b", and no text with "b a" lacks it."""
    how = {"search": BeamSearch(beams=9, length_normalisation="none"), "options": GenerationOptions(max_length=5)}
    assert TableModel().generate(**how) == ["a"]
    assert TableModel().generate(**how, forced=["b b"]) == ["a b b"]
    found = TableModel().generate(n=3, search="beam", options=how["options"], forced=["b a", "b"])
    assert len(found) == 3
    assert all("b a" in text for text in found)


def test_forced_subwords_begin_words():
    """Ġ is the space: "ab" does not contain the forced "b"."""
    subwords = firth.Subwords.train(["a b ab"] * 3, 300)
    model = random_model(0, [*subwords.tokenize("a b ab"), "c", EOS, UNK], rules=TextRules(tokens=subwords.rules))
    (text,) = model.generate(search="beam", forced=["b"], options=GenerationOptions(max_length=6))
    assert " b" in text


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"search": "sample"}, r"forced=\['b x'\] with search='sample': expected search='beam' or a BeamSearch"),
        ({}, "forced phrase 'b x': 'x' is not in the vocabulary; expected words that the model can write"),
        ({"forced": [" "]}, "forced phrase ' ': it has no words"),
        (
            {"forced": ["b b"], "options": GenerationOptions(no_repeat_ngram=1)},
            "forced phrase 'b b': it repeats 1 word",
        ),
        ({"forced": ["<unk>"]}, "forced phrase '<unk>': it has a word that is never generated"),
        ({"forced": ["a b a"], "options": GenerationOptions(max_length=3)}, "need up to 4 words with the end"),
    ],
)
def test_phrases_that_cannot_be_forced_are_refused(how, told):
    with pytest.raises(OptionError, match=told):
        TableModel().generate(**{"search": "beam", "forced": ["b x"], **how})


def test_forced_phrases_that_are_not_found_are_warned_of():
    """After "b a" nothing may follow that writes "a b", and "a b" not "b a": no word comes twice."""
    options = GenerationOptions(no_repeat_ngram=1, max_length=6)
    with pytest.warns(UserWarning, match="no text with all of these found"):
        TableModel().generate(search="beam", forced=["a b", "b a"], options=options)


def test_as_many_answers_as_asked_for_need_as_many_beams():
    assert len(TableModel().generate(n=8, search="beam")) == 8


def test_next_words_by_hand():
    assert TableModel().next_words("b", 2) == [("a", pytest.approx(0.4)), ("</s>", pytest.approx(0.4))]
    assert np.isclose(TableModel().next_words(topn=1)[0][1], 0.6)


def test_next_subwords_are_shown_as_text():
    rules = TextRules(tokens=firth.Subwords.train(["läuft nicht"] * 4, 290).rules)
    model = TableModel(words=["lÃ¤uft", "Ġnicht", EOS, UNK], rules=rules)
    assert [word for word, _ in model.next_words("läuft", 3)] == ["nicht", EOS, "·läuft"]
