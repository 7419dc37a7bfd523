"""Training neural language models on a text whose next word follows from the two before it."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError
from firth.language.text import training_text
from tests.unit.neural.models.language.tiny import EVERY, QUICK, corpus

LEARNS = {
    "feedforward": firth.FeedForwardLM(dim=16, hidden=48, order=4, dropout=0.0, bptt=27),
    "log-bilinear": firth.LogBilinearLM(dim=48, order=4, bptt=27),
    "lstm": firth.RecurrentLM(cell="lstm", dim=24, hidden=48, layers=1, dropout=0.0, bptt=27),
    "rnn": firth.RecurrentLM(cell="rnn", dim=24, hidden=48, layers=1, dropout=0.0, bptt=27),
}
MANY = firth.TrainingOptions(epochs=100, batch_size=1, lr=0.02, clip_norm=1.0, schedule="linear")


@pytest.mark.parametrize("name", LEARNS)
def test_a_small_text_is_learned_by_heart(name, tmp_path):
    """Twelve sentences of nine tokens, all of which the tokens before decide; an untrained model has 14 to choose from.

    A model with no hidden layer cannot learn them all.
    """
    text = corpus(tmp_path, sentences=12)
    model = LEARNS[name].train(text, training=MANY, progress=False)
    assert model.perplexity(text).value < (2.0 if name == "log-bilinear" else 1.1)


@pytest.mark.parametrize("name", EVERY)
def test_a_seed_decides_every_bit(name, tmp_path):
    text = corpus(tmp_path, sentences=20)
    one, again, other = (
        EVERY[name].train(text, training=QUICK, seed=seed, progress=False).log_probs(training_text(text))
        for seed in (1, 1, 2)
    )
    assert (one == again).all()
    assert (one != other).any()


def test_the_best_on_held_out_text_is_what_comes_back(tmp_path):
    """At a rate that spoils it later on, the model is the one of the least held-out loss, as its metadata tells."""
    text = training_text(corpus(tmp_path))
    training = dataclasses.replace(QUICK, epochs=6, lr=0.3, batch_size=2)
    learned, judged = text.part(0, 60), text.part(100, len(text))
    model = EVERY["feedforward"].train(learned, held_out=judged, training=training, progress=False)
    told = model.metadata["training"]
    losses = [row["held_out_loss"] for row in told["rows"]]
    assert told["best"]["held_out_loss"] == min(losses)
    assert min(losses) < losses[-1]
    assert -model.log_probs(judged).mean() == pytest.approx(min(losses), abs=0.1)
    assert told["interrupted"] is False


def test_it_goes_on_from_a_checkpoint_of_the_same_text_and_options_alone(tmp_path):
    text = corpus(tmp_path / "cache")
    how = EVERY["gru"]
    first = how.train(text, training=QUICK, checkpoint=tmp_path / "run", progress=False)
    again = how.train(text, training=QUICK, checkpoint=tmp_path / "run", progress=False)
    assert (first.log_probs(training_text(text)) == again.log_probs(training_text(text))).all()
    other = corpus(tmp_path / "cache", words=11)
    for changed, what in ((EVERY["rnn"], text), (how, other)):
        with pytest.raises(firth.FirthError, match="checkpoint"):
            changed.train(what, training=QUICK, checkpoint=tmp_path / "run", progress=False)


def test_without_ends_what_stands_before_a_text_is_the_unknown_word(tmp_path):
    text = training_text(corpus(tmp_path), eos=False)
    model = EVERY["lstm"].train(text, training=QUICK, progress=False)
    assert model.module.bos == text.unk_id
    assert model.rules.eos is False
    assert np.exp(model.start([[]])[0]).sum() == pytest.approx(1.0, abs=1e-5)


def test_more_words_than_text_are_refused(tmp_path):
    text = firth.Corpus.build(["a b c"], min_count=1, tokens="whitespace", cache=tmp_path)
    with pytest.raises(CorpusError, match="a vocabulary of 5 words for a text of 4: expected more text than words"):
        EVERY["lstm"].train(text, progress=False)
