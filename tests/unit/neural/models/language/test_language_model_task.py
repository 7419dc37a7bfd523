"""The task of predicting the next word: every word once, losses summed and not means of means."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.language.language_model import EVAL_STREAMS, language_task
from tests.unit.neural.models.language.tiny import text_of, untrained


@pytest.fixture
def text(tmp_path):
    return text_of(tmp_path)


def test_an_epoch_predicts_every_word_once(text):
    model = untrained(firth.LogBilinearLM(dim=4, order=2), text)
    task = language_task(model.module, text, batch_size=7, bptt=6)
    state, nats, predictions = None, 0.0, 0
    for batch in task.batches.epoch(0):
        outcome = task.step(batch, state, None)
        state = outcome.state
        nats, predictions = nats + outcome.nats.item(), predictions + outcome.predictions
    assert predictions == len(text)
    assert nats == pytest.approx(-model.log_probs(text).sum(), rel=1e-5)  # a bigram model loses nothing at a border
    assert task.evaluate() == {}


def test_the_held_out_loss_is_the_mean_over_all_words(text):
    """A part of 107 words goes into 20 streams of 5 or 6; a mean of batch means would weigh the last ones more."""
    model = untrained(firth.LogBilinearLM(dim=4, order=2), text)
    part = text.part(0, 5 * EVAL_STREAMS + 7)
    task = language_task(model.module, text, part, batch_size=20, bptt=35)
    figures = task.evaluate()
    assert figures["loss"] == pytest.approx(-model.log_probs(part).mean(), rel=1e-6)
    assert figures["perplexity"] == pytest.approx(math.exp(figures["loss"]))


def test_gradients_stop_at_the_border_of_a_batch(text):
    """The state that a second batch starts from is cut off by the loop: its own graph holds the first batch's."""
    model = untrained(firth.RecurrentLM(dim=4, hidden=4, layers=1, dropout=0.0), text)
    task = language_task(model.module, text, batch_size=2, bptt=3)
    batch = next(iter(task.batches.epoch(0)))
    outcome = task.step(batch, None, None)
    assert outcome.loss.requires_grad
    assert not outcome.nats.requires_grad
    assert outcome.nats.dtype == torch.float64
    assert outcome.loss.item() == pytest.approx(outcome.nats.item() / outcome.predictions, rel=1e-6)
