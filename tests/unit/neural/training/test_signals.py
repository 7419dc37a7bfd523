"""Signals: the first is a flag, the second an interruption; what is ignored stays ignored."""

import signal
import threading

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.training.loop import fit
from firth.neural.training.options import Training
from firth.neural.training.signals import ignoring_interrupts, stopping
from tests.unit.neural.training.tiny import Line

SGD = Training(optimiser="sgd", lr=0.1, epochs=3)


def test_the_first_is_a_flag_and_the_second_interrupts():
    with stopping() as asked:
        assert not asked.stop
        signal.raise_signal(signal.SIGTERM)
        assert asked.stop
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopping() as asked:
            signal.raise_signal(signal.SIGINT)
            assert not asked.stop
    finally:
        signal.signal(signal.SIGINT, before)
    with ignoring_interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


def test_signals_are_passed_on_to_those_who_do_the_work(monkeypatch):
    told = []
    monkeypatch.setattr("os.kill", lambda process, number: told.append((process, number)))
    with stopping(lambda: [7, 8]) as asked:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)  # it waits for them, whatever comes
    assert asked.stop
    assert told == [(process, signal.SIGTERM) for process in (7, 8, 7, 8)]


def test_a_second_signal_does_not_wait_for_an_evaluation():
    task = Line()

    def evaluate():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the evaluation went on")

    task.evaluate = evaluate
    with pytest.warns(UserWarning, match="interrupted in epoch"):
        history = fit(task, SGD, seed=0, identity={}, progress=False)
    assert (history.interrupted, history.steps, history.rows) == (True, 1, [])
    assert task.module.weight.item() == pytest.approx(1.7)


def test_training_in_a_thread_hears_none_and_learns():
    ended = []
    task = Line()
    thread = threading.Thread(target=lambda: ended.append(fit(task, SGD, seed=0, identity={}, progress=False)))
    thread.start()
    thread.join(60)
    assert [history.steps for history in ended] == [3]
