"""Taggers choose training and width by the number of sentences; what is given wins; spelling is read."""

import dataclasses
import logging

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tagging.size_defaults import tagger_defaults
from tests.unit.neural.models.tagging.tiny import SIZES, sentences


def test_few_sentences_are_read_more_often_in_smaller_batches():
    chosen = [tagger_defaults(size) for size in (20, 100, 300, 1_000, 3_000, 30_000)]
    for name, ascending in (("batch_size", True), ("hidden", True), ("epochs", False), ("lr", False)):
        values = [options[name] for options in chosen]
        assert values == sorted(values, reverse=not ascending), name
    assert [options["patience"] > 0 for options in chosen] == [False] * 4 + [True] * 2


def test_training_follows_the_rule_and_says_so(caplog):
    caplog.set_level(logging.INFO, logger="firth")
    given = {name: value for name, value in SIZES.items() if name != "hidden"}
    tagger = firth.Tagger(targets="ner", **given)
    model = tagger.train(sentences(20), training=dataclasses.replace(tagger.training, epochs=1), progress=False)
    rule, facts = tagger_defaults(20), model.metadata["training"]
    assert (facts["epochs"], facts["batch_size"], facts["patience"]) == (1, rule["batch_size"], rule["patience"])
    assert (model.options.hidden, facts["options"]["hidden"]) == (rule["hidden"], rule["hidden"])
    assert list(model.reader.columns) == ["capitals", "suffix", "long_suffix"]
    (told,) = [message for message in caplog.messages if "chosen for" in message]
    assert told.startswith(f"hidden={rule['hidden']}, batch_size=")
    assert "epochs" not in told
    assert "20 sentences" in told


def test_too_few_held_out_sentences_select_no_epoch():
    """Ten sentences say little: the last epoch is kept, unless they are given or training goes by them."""
    tagger = firth.Tagger(targets="ner", **SIZES)
    training = dataclasses.replace(tagger.training, epochs=3, lr=0.03)
    kept = {}
    for name, how in {
        "last": {},
        "given": {"held_out": sentences(3, 1)},
        "patience": {"training": dataclasses.replace(training, patience=2)},
    }.items():
        facts = tagger.train(sentences(20), progress=False, **{"training": training, **how}).metadata["training"]
        kept[name] = facts["best"]
        assert "held_out_error" in facts["best"]
    assert kept["last"]["epoch"] == 3
    assert "held_out_loss" not in kept["last"]
    assert "held_out_loss" in kept["given"]
    assert "held_out_loss" in kept["patience"]


def test_a_tagger_that_learns_nothing_is_told_of():
    source, judged = [(["a", "b"], ["X", "X"]), (["c"], ["Y"])] * 2, [(["a", "b"], ["X", "X"])]
    said = r"no better than the most frequent label, 'X': accuracy .* on 1 held-out sentence, without a model 100\.0"
    with pytest.warns(UserWarning, match=said):
        firth.Tagger(**SIZES).train(source, held_out=judged, training=firth.TrainingOptions(epochs=1), progress=False)
