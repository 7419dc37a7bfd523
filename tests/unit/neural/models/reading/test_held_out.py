"""Evaluations of readers under a limit in minutes: on as many held-out questions as the limit leaves time for."""

import dataclasses

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.reading import held_out
from tests.unit.neural.models.reading.test_predict_reading_model import QUICK, made_questions

SMALL = firth.Reader(dim=4, hidden=3, layers=1, dropout=0.0, max_answer_length=3)


@pytest.fixture
def slow(clock, monkeypatch):
    """Answers that take a second each; returns how many questions every evaluation reads."""
    asked, search = [], held_out.found_spans

    def answer(module, tokens, windows, **options):
        clock.sleep(len(windows))
        asked.append(len(windows))
        return search(module, tokens, windows, **options)

    monkeypatch.setattr(held_out, "found_spans", answer)
    return asked


def test_evaluations_that_would_take_most_of_the_limit_read_a_sample(slow, clock):
    """200 questions would take 200 of 600 seconds, at each of three epochs; 64 take more than 30 seconds."""
    questions, training = made_questions(200), dataclasses.replace(QUICK, epochs=3, minutes=10)
    with pytest.warns(UserWarning, match=r"evaluations read 64 of 200 held-out questions, chosen at random"):
        model = SMALL.train(questions[:40], held_out=questions, training=training, progress=False)
    facts = model.metadata["training"]
    assert (slow, facts["held_out_questions"], len(facts["rows"])) == ([64] * 3, 64, 3)


@pytest.mark.parametrize("minutes", [None, 600])
def test_other_evaluations_read_every_question(slow, minutes):
    questions, training = made_questions(80), dataclasses.replace(QUICK, epochs=1, minutes=minutes)
    model = SMALL.train(questions[:40], held_out=questions, training=training, progress=False)
    assert (sum(slow), model.metadata["training"]["held_out_questions"]) == (80, 80)
