"""Training that starts from a trained model: what it keeps, what it reports, what it refuses."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from firth.language.text import training_text
from tests.unit.neural.models.language.tiny import EVERY, QUICK, corpus

STILL = dataclasses.replace(QUICK, lr=1e-30)  # nothing is learned
NAMES = ["lstm", "gru", "log-bilinear-tree", "feedforward-direct", "transformer", "char-aware", "log-bilinear-adaptive"]


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def train(how, text, training=QUICK, **more):
    return how.train(text, training=training, progress=False, **more)


@pytest.mark.parametrize("name", NAMES)
def test_it_begins_with_the_parameters_and_words_of_the_start(name, cache, tmp_path):
    old, new = corpus(cache), corpus(cache, sentences=20, words=11)
    train(EVERY[name], old).save(tmp_path / "start")
    start = firth.load(tmp_path / "start")
    text = start.read(new)
    still = train(EVERY[name], new, STILL, start=start)
    np.testing.assert_array_equal(still.log_probs(text), start.log_probs(text))
    assert list(still.vocabulary.words) == list(start.vocabulary.words)
    assert still.rules == start.rules
    learned = train(EVERY[name], new, start=tmp_path / "start")
    assert learned.perplexity(new).value < start.perplexity(new).value
    again = train(EVERY[name], new, start=start)
    np.testing.assert_array_equal(again.log_probs(text), learned.log_probs(text))
    assert learned.metadata["start"]["training"]["options"] == start.metadata["training"]["options"]


def test_a_learned_tree_stays(cache):
    how = dataclasses.replace(EVERY["log-bilinear-tree"], output="tree:tree=learned:bootstrap=1")
    start = train(how, corpus(cache))
    text = start.read(corpus(cache, sentences=20))
    still = train(how, corpus(cache, sentences=20), STILL, start=start)
    np.testing.assert_array_equal(still.log_probs(text), start.log_probs(text))


@pytest.mark.parametrize("changes", [{"dropout": 0.5}, {"dropout_kind": "weights"}, {"zoneout": 0.1, "bptt": 9}])
def test_dropout_and_bptt_may_change(changes, cache):
    start = train(EVERY["lstm"], corpus(cache))
    model = train(dataclasses.replace(EVERY["lstm"], **changes), corpus(cache), start=start)
    assert all(getattr(model.options, name) == value for name, value in changes.items())


def test_what_is_forgotten_is_reported(cache):
    old, new = corpus(cache), corpus(cache, sentences=40, words=5)
    start = train(EVERY["lstm"], old, dataclasses.replace(QUICK, epochs=10))
    model = train(EVERY["lstm"], new, dataclasses.replace(QUICK, epochs=10), start=start, old_held_out=old)
    told = model.metadata["old_held_out"]
    assert told["before"] == start.perplexity(old).described()
    assert told["after"] == model.perplexity(old).described()
    assert told["after"]["perplexity"] > told["before"]["perplexity"]


def test_text_is_read_like_that_of_the_start(cache, monkeypatch):
    """In its subwords, so that no character of the new text is unknown."""
    pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    monkeypatch.setenv("FIRTH_CACHE", str(cache))
    how = firth.RecurrentLM(dim=6, hidden=6, layers=1)
    start = train(how, ["The old house, by the river."] * 20)
    model = train(how, ["Das alte Häuschen am Fluß!"] * 20, start=start)
    found = model.perplexity(["Das alte Häuschen am Fluß!"])
    assert (found.unit, found.unknown, found.characters) == ("subwords", 0, 27)
    assert found.value < start.perplexity(["Das alte Häuschen am Fluß!"]).value
    with pytest.raises(
        OptionError, match="min_count=2, tokens='unicode' with start: the text is read like that of the"
    ):
        train(how, ["a text"], start=start, min_count=2, tokens="unicode")
    with pytest.raises(OptionError, match="the corpus has other tokens than the start"):
        train(how, corpus(cache), start=start)


def test_contradictions_are_named(cache, tmp_path):
    old = corpus(cache)
    start = train(EVERY["lstm"], old)
    wider = dataclasses.replace(EVERY["lstm"], hidden=9, tie_weights=False)
    with pytest.raises(
        OptionError, match=r"hidden=9, tie_weights=False with a start that has hidden=8, tie_weights=True"
    ):
        train(wider, old, start=start)
    with pytest.raises(OptionError, match="RecurrentLM with a start that is a TransformerLM"):
        train(EVERY["lstm"], old, start=train(EVERY["transformer"], old))
    with pytest.raises(OptionError, match="start=3 is an int; expected a neural language model"):
        train(EVERY["lstm"], old, start=3)
    firth.NgramLM(order=2, discount_fallback=True).train(old, progress=False).save(tmp_path / "counts")
    with pytest.raises(OptionError, match="counts holds an n-gram model, expected a neural language model"):
        train(EVERY["lstm"], old, start=tmp_path / "counts")
    with pytest.raises(OptionError, match="old_held_out without start"):
        train(EVERY["lstm"], old, old_held_out=old)
    other = firth.Corpus.build(["x y z"] * 5, min_count=1, tokens="whitespace", cache=cache)
    with pytest.raises(CorpusError, match="none of the 3 words of the text, such as"):
        train(EVERY["lstm"], other, start=start)


def test_checkpoints_of_another_start_are_refused(cache, tmp_path):
    old = corpus(cache)
    one, other = (train(EVERY["gru"], old, seed=seed) for seed in (0, 1))
    new = corpus(cache, sentences=20)
    first = train(EVERY["gru"], new, start=one, checkpoint=tmp_path / "run")
    again = train(EVERY["gru"], new, start=one, checkpoint=tmp_path / "run")
    text = training_text(old)
    np.testing.assert_array_equal(first.log_probs(text), again.log_probs(text))
    with pytest.raises(OptionError, match="checkpoint"):
        train(EVERY["gru"], new, start=other, checkpoint=tmp_path / "run")
