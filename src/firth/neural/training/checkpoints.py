"""Checkpoints: a run that was killed resumes to the same bits.

A checkpoint holds everything that the next step depends on: weights, optimiser statistics, the position in the data,
carried state, torch's random state, the best model so far and the state of early stopping. Schedules and the order of
the data are functions of the position and have no state.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
import torch

from firth.neural.layers.state import State
from firth.neural.training.monitor import LossMeter, write_metrics
from firth.neural.training.run import Run
from firth.neural.training.stopping import (
    Snapshot,
    optimiser_statistics,
    restore_weights,
    set_optimiser_statistics,
    weights_of,
)
from firth.storage.checkpoints import FILE, Checkpoint, checkpoint_of, restore_state, write_state
from firth.timing import Stopwatch

COST_RATIO = 20  # after an evaluation, train at least this many times as long as the last checkpoint took
FIELDS = {  # names in the file -> attributes of a run
    "epoch": "epoch",
    "index": "batch_index",
    "step": "step",
    "predictions": "predictions",
    "seconds": "seconds",
    "aside": "other_seconds",
    "looking": "evaluation_seconds",
    "judged": "evaluated_step",
    "untrained": "initial_loss",
    "rows": "rows",
    "ended": "ended",
    "trouble": "error",
}
Arrays = dict[str, npt.NDArray[Any]]


class Checkpointer:
    """Saves a run to the folder of its configuration; the constructor restores the state that the folder holds.

    Args:
        run: at its start.
        identity: what a checkpoint must agree with, besides the training options.

    Raises:
        OptionError: the folder holds the state of another run, and the message names the difference; or the path cannot
            be a folder.
        FormatError: the file is damaged.
    """

    def __init__(self, run: Run, identity: Mapping[str, Any]) -> None:
        checkpoint = checkpoint_of(run.config.checkpoint) or Checkpoint(".")
        self._folder, self._interval, self._run = Path(checkpoint), checkpoint.interval, run
        self._identity = {**identity, "training": dataclasses.asdict(run.training)}
        self._cost = 0.0
        restore_state(self._folder, self._identity, self._restore)
        self._saved_at = run.seconds

    def _restore(self, facts: dict[str, Any], file: Any) -> None:
        names = file.keys()
        _restore(self._run, facts, {name: file.get_tensor(name) for name in names})

    def save_after_evaluation(self) -> None:
        """Save the run, unless it was saved a moment ago and continues."""
        if self._run.ended or self._run.seconds - self._saved_at >= COST_RATIO * self._cost:
            self.save()

    def save_at_intervals(self) -> None:
        """Save the run if the last checkpoint is old."""
        if self._run.seconds - self._saved_at >= self._interval:
            self.save()

    def save(self) -> None:
        """Save the run, with its rows as `metrics.jsonl`."""
        watch, group = Stopwatch(), self._run.group
        parts = group.gather(_process_state(self._run))
        if group.rank == 0:
            arrays, facts = _shared_state(self._run)
            for part, _ in parts:
                arrays |= part
            facts |= {"identity": self._identity, "states": [form for _, form in parts]}
            write_state(self._folder / FILE, arrays, facts)
            if self._run.rows:
                write_metrics(self._run.rows, self._folder)
        self._saved_at, self._cost = self._run.seconds, group.broadcast(watch.lap())
        self._run.other_seconds += self._cost


def _process_state(run: Run) -> tuple[Arrays, Any]:
    """Random state and carried state of one process."""
    prefix = f"process/{run.group.rank}"
    arrays: Arrays = {f"{prefix}/random": torch.get_rng_state().numpy()}
    if run.runtime.device.type == "cuda":
        arrays[f"{prefix}/random-cuda"] = torch.cuda.get_rng_state(run.runtime.device).numpy()
    return arrays, _flatten_state(run.state, f"{prefix}/state", arrays)


def _shared_state(run: Run) -> tuple[Arrays, dict[str, Any]]:
    """State that all processes share."""
    arrays, numbers = _flatten_statistics("optimiser", optimiser_statistics(run.optimiser))
    arrays |= {f"weights/{name}": _array(tensor) for name, tensor in weights_of(run.task.module).items()}
    facts: dict[str, Any] = {name: getattr(run, attribute) for name, attribute in FIELDS.items()}
    stopping = run.early_stopping
    facts |= {
        "optimiser": numbers,
        "scaler": run.scaler.state_dict(),
        "watch": {"best": stopping.best, "waited": stopping.waited, "factor": stopping.lr_factor},
        "tally": [float(run.loss_meter.nats), run.loss_meter.predictions],
        "glance": [float(run.recent_loss.nats), run.recent_loss.predictions],
        "losses_above": run.losses_above,
        "first_seconds": run.first_seconds,
        "best": None,
    }
    if run.best is not None:
        facts["best"] = run.best.row
        arrays |= {f"best/{name}": _array(tensor) for name, tensor in run.best.weights.items()}
        statistics, facts["best_optimiser"] = _flatten_statistics("best-optimiser", run.best.optimiser)
        arrays |= statistics
    return arrays, facts


def _restore(run: Run, facts: dict[str, Any], arrays: Arrays) -> None:
    device = run.runtime.device
    tensors = {name: torch.from_numpy(array.copy()).to(device) for name, array in arrays.items()}
    restore_weights(run.task.module, _below("weights", tensors))
    set_optimiser_statistics(run.optimiser, _statistics("optimiser", tensors, facts["optimiser"]))
    if facts["best"] is not None:
        statistics = _statistics("best-optimiser", tensors, facts["best_optimiser"])
        run.best = Snapshot(_below("best", tensors), statistics, facts["best"])
    run.scaler.load_state_dict(facts["scaler"])
    stopping = facts["watch"]
    run.early_stopping = dataclasses.replace(
        run.early_stopping, best=stopping["best"], waited=stopping["waited"], lr_factor=stopping["factor"]
    )
    run.loss_meter, run.recent_loss = LossMeter(*facts["tally"]), LossMeter(*facts["glance"])
    run.losses_above = facts["losses_above"]
    run.first_seconds = facts.get("first_seconds", 0.0)  # older checkpoints lack it
    run.state = _state(facts["states"][run.group.rank], tensors)
    for name, attribute in FIELDS.items():
        setattr(run, attribute, facts[name])
    if run.ended == "interrupted":
        run.ended = ""
    prefix = f"process/{run.group.rank}"
    torch.set_rng_state(torch.from_numpy(arrays[f"{prefix}/random"].copy()))
    if device.type == "cuda":
        torch.cuda.set_rng_state(torch.from_numpy(arrays[f"{prefix}/random-cuda"].copy()), device)


def _array(tensor: torch.Tensor) -> npt.NDArray[Any]:
    return tensor.detach().cpu().numpy()


def _flatten_statistics(prefix: str, state: dict[int, dict[str, Any]]) -> tuple[Arrays, dict[str, dict[str, Any]]]:
    """Split statistics into arrays and plain numbers."""
    arrays: Arrays = {}
    numbers: dict[str, dict[str, Any]] = {}
    for number, values in state.items():
        tensors = {name: value for name, value in values.items() if isinstance(value, torch.Tensor)}
        arrays |= {f"{prefix}/{number}/{name}": _array(tensor) for name, tensor in tensors.items()}
        numbers[str(number)] = {name: value for name, value in values.items() if name not in tensors}
    return arrays, numbers


def _statistics(prefix: str, tensors: dict[str, torch.Tensor], numbers: dict[str, Any]) -> dict[int, dict[str, Any]]:
    state: dict[int, dict[str, Any]] = {int(number): dict(values) for number, values in numbers.items()}
    for name, tensor in _below(prefix, tensors).items():
        number, field = name.split("/")
        state[int(number)][field] = tensor
    return state


def _below(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(f"{prefix}/"): t for name, t in tensors.items() if name.startswith(f"{prefix}/")}


def _flatten_state(state: State, name: str, arrays: Arrays) -> Any:
    """Add a state's tensors to the arrays and return its form: None, a list, or the name and type of a tensor."""
    if state is None:
        return None
    if isinstance(state, tuple):
        return [_flatten_state(part, f"{name}/{i}", arrays) for i, part in enumerate(state)]
    # NumPy has no bfloat16. float32 holds both half precisions exactly.
    half = state.dtype in (torch.bfloat16, torch.float16)
    arrays[name] = _array(state.float() if half else state)
    return {"name": name, "type": str(state.dtype).removeprefix("torch.")}


def _state(form: Any, tensors: dict[str, torch.Tensor]) -> State:
    if form is None:
        return None
    if isinstance(form, list):
        return tuple(_state(part, tensors) for part in form)
    return tensors[form["name"]].to(getattr(torch, form["type"]))
