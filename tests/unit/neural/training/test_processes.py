"""Several processes do what one does with the whole batch, stop together, and go on together."""

import os
import signal
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import DivergenceError, MissingExtraError, OptionError
from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.processes import launch
from tests.unit.neural.training.tiny import Line, Stream

TRAINING = {"epochs": 2, "lr": 0.02, "clip_norm": 1.0}


@pytest.fixture
def fabric():
    pytest.importorskip("lightning_fabric", reason="Fabric is not installed: pip install 'firth[distributed]'")
    if not hasattr(os, "fork"):
        pytest.skip("processes are copies of this one by POSIX's fork")


def train(task, processes, folder=None, **training):
    config = RunConfig(TrainingOptions(**training, processes=processes), progress=False, checkpoint=folder)
    return fit(task, config, identity={})


def flat(task):
    return torch.cat([p.detach().flatten() for p in task.module.parameters()])


def test_two_processes_do_what_one_does(fabric):
    """Five streams of unequal length: one process has two of them, the other three; the last batch is ragged."""
    one, two = Stream(tokens=403, dropout=0.0), Stream(tokens=403, dropout=0.0)
    expected, found = train(one, 1, **TRAINING), train(two, 2, **TRAINING)
    assert found.predictions == expected.predictions == 2 * 322
    for ours, theirs in zip(found.rows, expected.rows, strict=True):
        assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-5)
        assert ours["held_out_loss"] == pytest.approx(theirs["held_out_loss"], rel=1e-5)
    torch.testing.assert_close(flat(two), flat(one), rtol=1e-3, atol=1e-5)


def test_asked_to_stop_they_stop_together_and_go_on_to_the_same_bits(fabric, tmp_path):
    whole = Stream(tokens=300)
    train(whole, 2, **TRAINING)
    task, parent = Stream(tokens=300), os.getpid()
    usual, steps = task.step, []

    def step(batch, state, progress):
        steps.append(batch)
        if len(steps) == 3 and len(batch.inputs) == 2:  # the first process, which has two of the five streams
            os.kill(parent, signal.SIGTERM)
        return usual(batch, state, progress)

    task.step = step
    with pytest.warns(UserWarning, match="interrupted in epoch"):
        assert 3 <= train(task, 2, tmp_path, **TRAINING).steps < 14
    ended = Stream(tokens=300)
    train(ended, 2, tmp_path, **TRAINING)
    assert flat(ended).numpy().tobytes() == flat(whole).numpy().tobytes()


def test_an_error_comes_as_it_is(fabric):
    with pytest.raises(DivergenceError, match="lr=50"):
        train(Line(), 2, optimiser="sgd", lr=50.0, epochs=50)


def test_threads_and_processes_are_not_mixed():
    with pytest.raises(OptionError, match="each process has one thread"):
        fit(Line(), RunConfig(TrainingOptions(processes=2), threads=2, progress=False), identity={})


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightning_fabric", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[distributed\]"):
        launch(lambda group: None, 2, torch.device("cpu"))
