"""Training of translators and summarizers: what of the data is not read is said."""

import warnings

import pytest

import firth
from firth.errors import CorpusError

ONE = firth.TrainingOptions(epochs=1, batch_size=40)
PAIRS = [("a b c", "x y"), ("b c", "y z"), ("c a", "z x")] * 10
LONG = " ".join(f"w{i}" for i in range(30_000))
KINDS = {
    "translator": firth.Translator(
        source_units="words", target_units="words", hidden=4, dim=4, min_count=1, source_size=20, target_size=20
    ),
    "summarizer": firth.Summarizer(hidden=4, dim=4, min_count=1, size=20),
}


def trained(kind, pairs, held_out=PAIRS[:3], **how):
    """The facts of a training and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = KINDS[kind].train(pairs, held_out=held_out, training=ONE, **how)
    return model.metadata["training"], [str(each.message) for each in caught]


def test_a_summarizer_says_how_many_texts_it_read_in_part():
    facts, said = trained("summarizer", [*PAIRS, (LONG, "x"), ("a " * 101, LONG)], held_out=[(LONG, "x"), ("a", "y")])
    assert facts["truncated"] == {"sources": 2, "targets": 1}
    advice = "have more than 100 tokens: the rest of them is not read; give a higher max_length="
    assert said[:3] == [f"{few} {advice}" for few in ("2 of 32 sources", "1 of 32 targets", "1 of 2 held-out sources")]


def test_a_translator_says_how_many_pairs_are_too_long():
    facts, said = trained("translator", [*PAIRS, (LONG, "x")], held_out=[("a", LONG), ("a", "y")])
    assert facts["dropped"] == {"long": 1}
    advice = "have more than 100 tokens: they are left out; give a higher max_length="
    assert said == [f"1 of 31 pairs {advice}", f"1 of 2 held-out pairs {advice}"]


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_without_a_side_are_counted(kind):
    facts, said = trained(kind, [*PAIRS, ("a", " "), ("", ""), ("", "b")])
    assert facts["dropped"] == {"empty": 3}
    assert said == ["pairs: 2 of 33 pairs left out, because one side is empty; the first is pair 31"]


@pytest.mark.parametrize("kind", KINDS)
def test_held_out_pairs_of_another_language_are_noticed(kind):
    _, said = trained(kind, PAIRS, held_out=[("der die das", "et ce que")] * 5)
    advice = "are unknown to the model; expected text of the language that it is trained on"
    assert said == [f"15 of 15 tokens of the held-out {side} {advice}" for side in ("sources", "targets")]


@pytest.mark.parametrize("kind", KINDS)
def test_one_pair_is_not_enough_and_a_second_is_plenty_of_time(kind):
    with pytest.raises(CorpusError, match="1 pair; expected at least two, one of them to select the model by, or held"):
        KINDS[kind].train(PAIRS[:1])
    facts, said = trained(kind, PAIRS[:1])
    assert (facts["ended"], said) == ("epochs", [])
    brief = firth.TrainingOptions(epochs=10_000, minutes=0.005, batch_size=40)
    model = KINDS[kind].train(PAIRS, held_out=PAIRS[:3], training=brief)
    assert model.metadata["training"]["ended"] == "minutes"


def test_texts_of_another_language_are_noticed():
    model = KINDS["translator"].train(PAIRS, held_out=PAIRS[:3], training=ONE)
    with pytest.warns(UserWarning, match="12 of 13 tokens of the texts are unknown to the model; expected text of the"):
        model.translate(["der die das"] * 4 + ["a"])
