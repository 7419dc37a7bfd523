"""Boards get the rows: TensorBoard's file is read back; the others are met at the border of their packages."""

import importlib.machinery
import importlib.util
import sys
import types

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import MissingExtraError
from firth.neural.training.callbacks import MLflow, TensorBoard, WeightsAndBiases, figures
from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig, TrainingOptions
from tests.unit.neural.training.tiny import Line


def rows(callback):
    training = TrainingOptions(optimiser="sgd", lr=0.1, epochs=2)
    task = Line(held_out=lambda n: 1.0 / n)
    return fit(task, RunConfig(training, progress=False, callbacks=[callback]), identity={}).rows


def test_a_board_draws_numbers_only():
    row = {"step": 3, "loss": 1.5, "predictions": 8, "held_out_loss": None}
    assert figures(row) == {"loss": 1.5, "predictions": 8.0}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what TensorBoard itself imports
def test_tensorboard_reads_what_was_written(tmp_path):
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'firth[tensorboard]'")
    told = rows(TensorBoard(tmp_path))
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    board = EventAccumulator(str(tmp_path))
    board.Reload()
    assert {"loss", "held_out_loss", "lr"} <= set(board.Tags()["scalars"])
    losses = [(event.step, event.value) for event in board.Scalars("loss")]
    assert losses == [(row["step"], pytest.approx(row["loss"])) for row in told]


@pytest.fixture
def fake(monkeypatch):
    def install(name: str, **names: object) -> None:
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, name, module)

    return install


def test_weights_and_biases(fake):
    logged, begun = [], []
    run = types.SimpleNamespace(log=lambda values, step: logged.append((step, values)))
    fake("wandb", init=lambda **settings: (begun.append(settings), run)[1])
    told = rows(WeightsAndBiases(project="words", mode="offline"))
    assert begun == [{"project": "words", "mode": "offline"}]
    assert logged == [(row["step"], figures(row)) for row in told]


def test_mlflow(fake):
    logged = []
    fake("mlflow", log_metrics=lambda values, step: logged.append((step, values)))
    assert logged == []
    told = rows(MLflow())
    assert logged == [(row["step"], figures(row)) for row in told]


@pytest.mark.parametrize(
    ("make", "package"), [(lambda: TensorBoard("x"), "tensorboard"), (WeightsAndBiases, "wandb"), (MLflow, "mlflow")]
)
def test_what_is_missing_is_said_at_once(make, package, monkeypatch):
    usual = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == package else usual(name, *rest)
    )
    with pytest.raises(MissingExtraError, match=rf"pip install .*\[{package}\]"):
        make()
