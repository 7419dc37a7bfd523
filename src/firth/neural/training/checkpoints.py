"""Keeping a run on disk, so that one that was killed goes on to the same bits.

A checkpoint holds everything that the next step depends on: weights, the optimiser's statistics, the place in the data,
the state carried over the text, torch's random state, the best model so far and what evaluations have shown. Schedules
and the order of the data are functions of the place and have no state of their own.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt
import torch

from firth.neural.layers.state import State
from firth.neural.training.monitor import Tally, write_metrics
from firth.neural.training.run import Run
from firth.neural.training.stopping import Snapshot, put_back, set_statistics, statistics, weights_of
from firth.storage.checkpoints import FILE, make_folder, reading_state, write_state
from firth.timing import Stopwatch

INTERVAL = 300.0  # seconds of training between two checkpoints inside an epoch
SHARE = 20  # times as long as keeping the state takes is trained before it is kept after an evaluation again
PLACE = (
    "epoch",
    "index",
    "step",
    "predictions",
    "seconds",
    "aside",
    "pace",
    "looking",
    "judged",
    "untrained",
    "rows",
    "ended",
    "trouble",
)
Arrays = dict[str, npt.NDArray[Any]]


class Keeper:
    """Keeps a run in a folder; making one brings the run to the state that the folder holds.

    Args:
        folder: where to; it is made where it is missing.
        run: at its start.
        identity: what must be equal for a checkpoint to belong to the run, besides its training options.

    Raises:
        OptionError: the folder holds the state of another run, and the message names what differs; or it cannot be a
            folder.
        FormatError: the file is damaged.
    """

    def __init__(self, folder: Path, run: Run, identity: Mapping[str, Any]) -> None:
        self._folder, self._run = folder, run
        self._identity = {**identity, "training": dataclasses.asdict(run.training)}
        self._cost = 0.0
        make_folder(folder)
        if (folder / FILE).exists():
            with reading_state(folder / FILE, self._identity) as (facts, file):
                names = file.keys()
                _load(run, facts, {name: file.get_tensor(name) for name in names})
        self._kept = run.seconds

    def keep_soon(self) -> None:
        """Keep the run after an evaluation, unless it was kept a moment ago; always when it has ended."""
        if self._run.ended or self._run.seconds - self._kept >= SHARE * self._cost:
            self.keep()

    def keep_at_times(self) -> None:
        """Keep the run where the last time is long ago."""
        if self._run.seconds - self._kept >= INTERVAL:
            self.keep()

    def keep(self) -> None:
        """Keep the run now, and its rows as `metrics.jsonl` beside it.

        Raises:
            OSError: the disk is full or the folder is gone; the checkpoint before is still whole.
        """
        watch, group = Stopwatch(), self._run.group
        parts = group.gathered(_own(self._run))
        if group.rank == 0:
            arrays, facts = _common(self._run)
            for part, _ in parts:
                arrays |= part
            facts |= {"identity": self._identity, "states": [form for _, form in parts]}
            write_state(self._folder / FILE, arrays, facts)
            if self._run.rows:
                write_metrics(self._run.rows, self._folder)
        self._kept, self._cost = self._run.seconds, group.told(watch.lap())
        self._run.aside += self._cost


def _own(run: Run) -> tuple[Arrays, Any]:
    """What each of several processes has for itself: random state, and the state that its part of the data carries."""
    place = f"process/{run.group.rank}"
    arrays: Arrays = {f"{place}/random": torch.get_rng_state().numpy()}
    if run.machine.device.type == "cuda":
        arrays[f"{place}/random-cuda"] = torch.cuda.get_rng_state(run.machine.device).numpy()
    return arrays, _flat_state(run.state, f"{place}/state", arrays)


def _common(run: Run) -> tuple[Arrays, dict[str, Any]]:
    arrays, numbers = _flat("optimiser", statistics(run.optimiser))
    arrays |= {f"weights/{name}": _array(tensor) for name, tensor in weights_of(run.task.module).items()}
    facts: dict[str, Any] = {name: getattr(run, name) for name in PLACE}
    facts |= {
        "optimiser": numbers,
        "scaler": run.scaler.state_dict(),
        "watch": dataclasses.asdict(run.watch),
        "tally": [float(run.tally.nats), run.tally.predictions],
        "glance": [float(run.glance.nats), run.glance.predictions],
        "best": None,
    }
    if run.best is not None:
        facts["best"] = run.best.row
        arrays |= {f"best/{name}": _array(tensor) for name, tensor in run.best.weights.items()}
        kept, facts["best_optimiser"] = _flat("best-optimiser", run.best.optimiser)
        arrays |= kept
    return arrays, facts


def _load(run: Run, facts: dict[str, Any], arrays: Arrays) -> None:
    device = run.machine.device
    tensors = {name: torch.from_numpy(array.copy()).to(device) for name, array in arrays.items()}
    put_back(run.task.module, _below("weights", tensors))
    set_statistics(run.optimiser, _statistics("optimiser", tensors, facts["optimiser"]))
    if facts["best"] is not None:
        kept = _statistics("best-optimiser", tensors, facts["best_optimiser"])
        run.best = Snapshot(_below("best", tensors), kept, facts["best"])
    run.scaler.load_state_dict(facts["scaler"])
    run.watch = dataclasses.replace(run.watch, **facts["watch"])
    run.tally, run.glance = Tally(*facts["tally"]), Tally(*facts["glance"])
    run.state = _state(facts["states"][run.group.rank], tensors)
    for name in PLACE:
        setattr(run, name, facts[name])
    if run.ended == "interrupted":
        run.ended = ""
    place = f"process/{run.group.rank}"
    torch.set_rng_state(torch.from_numpy(arrays[f"{place}/random"].copy()))
    if device.type == "cuda":
        torch.cuda.set_rng_state(torch.from_numpy(arrays[f"{place}/random-cuda"].copy()), device)


def _array(tensor: torch.Tensor) -> npt.NDArray[Any]:
    return tensor.detach().cpu().numpy()


def _flat(prefix: str, state: dict[int, dict[str, Any]]) -> tuple[Arrays, dict[str, dict[str, Any]]]:
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


def _flat_state(state: State, name: str, arrays: Arrays) -> Any:
    """Put a state's tensors among the arrays, and return its form: None, lists, or a tensor's name and type."""
    if state is None:
        return None
    if isinstance(state, tuple):
        return [_flat_state(part, f"{name}/{place}", arrays) for place, part in enumerate(state)]
    # NumPy has no bfloat16: half precisions go as float32, which holds them all exactly.
    half = state.dtype in (torch.bfloat16, torch.float16)
    arrays[name] = _array(state.float() if half else state)
    return {"name": name, "type": str(state.dtype).removeprefix("torch.")}


def _state(form: Any, tensors: dict[str, torch.Tensor]) -> State:
    if form is None:
        return None
    if isinstance(form, list):
        return tuple(_state(part, tensors) for part in form)
    return tensors[form["name"]].to(getattr(torch, form["type"]))
