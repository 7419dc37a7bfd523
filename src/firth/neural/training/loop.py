"""The one loop: batches to steps to evaluations, until there is no more to learn or somebody asks for an end.

It knows no model and no kind of data: `firth.neural.training.task.Task` brings the loss, `TrainingOptions` the rest.
"""

import dataclasses
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from firth.errors import DivergenceError, OptionError
from firth.neural.layers.scratch import kept_arrays
from firth.neural.training.checkpoints import Keeper
from firth.neural.training.devices import (
    Machine,
    chosen_machine,
    deterministic,
    kept_randomness,
    no_subnormals,
    own_randomness,
    torch_threads,
)
from firth.neural.training.monitor import Callback, History
from firth.neural.training.options import TrainingOptions
from firth.neural.training.processes import Alone, Group, launch, working_processes
from firth.neural.training.run import Run, new_run
from firth.neural.training.stopping import put_back, weights_of
from firth.neural.training.task import Task
from firth.progress import Progress, Report, Status, reporting
from firth.signals import Asked, ignoring_interrupts, stopping
from firth.storage.checkpoints import FILE, reading_state, write_state
from firth.timing import Stopwatch, counted

LOOK = 0.2  # seconds between two looks at the loss


@dataclass(frozen=True)
class _Order:
    """What `fit` was asked for."""

    task: Task
    training: TrainingOptions
    seed: int
    threads: int
    progress: Progress
    checkpoint: Path | None
    identity: dict[str, Any]
    callbacks: Sequence[Callback]
    machine: Machine
    aside: float  # seconds that were spent before, and count against `minutes`
    later: int  # evaluations that come afterwards, and count too


def fit(
    task: Task,
    training: TrainingOptions,
    *,
    seed: int,
    threads: int | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
    identity: Mapping[str, Any],
    callbacks: Sequence[Callback] = (),
) -> History:
    """Train a module; it then has the weights of its best evaluation, or its last where there is no held-out data.

    The same seed gives the same bits in one thread, in one go or resumed from a checkpoint, however often. A run that
    is interrupted (Ctrl-C, SIGTERM) or that diverges after an evaluation returns what it had learned, with a warning.
    A limit in minutes counts from the beginning of `firth.timing.counted`, or from here.

    Args:
        task: the module, its data, its losses.
        training: how.
        seed: of what the module draws at random in training; its weights and batches have their own.
        threads: of PyTorch, on a processor; None is one, as `firth.neural.training.devices.torch_threads` explains.
        progress: how to show progress; see `firth.progress`. Of several processes, the first calls a function.
        checkpoint: a folder to keep the state of the run in, and to go on from where it holds one.
        identity: what must be equal for that state to belong to this run, besides `training`, `seed` and `threads`:
            the model's options, its vocabulary, the text. A value that JSON holds.
        callbacks: called with a row (a plain dict, see `History.rows`) after each evaluation, by the first process.

    Returns:
        What came of it.

    Raises:
        DivergenceError: the loss left all bounds before any evaluation; the message names the step.
        OptionError: the device is not there, or the checkpoint is of another run; the message says what differs.
        FormatError: the checkpoint is damaged.
    """
    machine = chosen_machine(training)
    with counted() as clock, torch_threads(threads) as used, deterministic(machine):
        if used > 1 and training.processes > 1:
            raise OptionError(f"threads={used} with processes={training.processes}: processes have a thread each")
        facts = {**identity, "seed": seed, "threads": used}
        folder = None if checkpoint is None else Path(checkpoint)
        spent = clock.since.lap()
        order = _Order(
            task, training, seed, used, progress, folder, facts, callbacks, machine, spent, clock.evaluations
        )
        history = _fit(order, Alone()) if training.processes == 1 else _fit_together(order)
        clock.since.lap()
    if history.interrupted:
        done = history.steps / max(task.batches.count(0), 1)
        _warn(f"training was interrupted in epoch {int(done) + 1} of {training.epochs}: what was learned is kept")
    if history.trouble:
        _warn(f"{history.trouble}. The best model, of step {(history.best or {}).get('step', 0):,}, is kept")
    return history


def _fit_together(order: _Order) -> History:
    """Train in several processes, and bring what the first has learned into this one by a file."""
    with tempfile.TemporaryDirectory() as folder, stopping(working_processes):
        path = Path(folder) / FILE

        def work(group: Group) -> None:
            with ignoring_interrupts():  # a terminal's Ctrl-C reaches all: the parent passes it on as SIGTERM
                history = _fit(order, group)
            if group.rank == 0:
                arrays = {name: tensor.cpu().numpy() for name, tensor in weights_of(order.task.module).items()}
                write_state(path, arrays, {"identity": {}, "history": dataclasses.asdict(history)})

        launch(work, order.training.processes, order.machine.device)
        with reading_state(path, {}) as (facts, file):
            names = file.keys()
            put_back(order.task.module, {name: torch.from_numpy(file.get_tensor(name)) for name in names})
            return History(**facts["history"])


def _fit(order: _Order, group: Group) -> History:
    """Train, as one process of a group."""
    first = group.rank == 0
    with (
        own_randomness(order.seed, "training" if first else f"training {group.rank}", order.machine),
        no_subnormals(),
        kept_arrays(),
        stopping() as asked,
        reporting(order.progress if first else False) as report,
    ):
        run = new_run(order.task, order.training, order.machine, group)
        keeper = None if order.checkpoint is None else Keeper(order.checkpoint, run, order.identity)
        run.aside, run.later = run.aside + group.told(order.aside), order.later
        try:
            _train(run, asked, report, keeper, order.callbacks if first else ())
        except KeyboardInterrupt:  # a second signal, or one that Python heard outside the main thread's handler
            run.ended = "interrupted"
        return run.finish()


def _train(run: Run, asked: Asked, report: Report, keeper: Keeper | None, callbacks: Sequence[Callback]) -> None:
    """Go from evaluation to evaluation until the run has ended."""
    try:
        while not run.ended:
            _go_on(run, asked, report, keeper)
            if run.stopping:
                run.ended = "interrupted"
            elif run.due:
                row = _evaluate(run, report)
                for callback in callbacks:
                    callback(row)
            if keeper is not None:
                keeper.keep_soon()
    except DivergenceError as error:
        if run.best is None:
            raise
        run.ended, run.trouble = "diverged", str(error)


def _go_on(run: Run, asked: Asked, report: Report, keeper: Keeper | None) -> None:
    """Train until an evaluation is due or somebody asks for an end."""
    if run.due:  # where a run goes on that was stopped just before an evaluation
        return
    run.task.module.train()
    watch, looked = Stopwatch(), run.seconds
    for batch in run.batches.epoch(run.epoch, run.index):
        run.learn(batch)
        run.spent(watch.lap(), asked.stop)
        if run.seconds - looked >= LOOK:
            looked = run.seconds
            report(run.status(run.look()))
            if keeper is not None:
                keeper.keep_at_times()
            watch.lap()
        if run.stopping or run.due:
            break
    run.look()


def _evaluate(run: Run, report: Report) -> dict[str, Any]:
    """Look at held-out data; what that draws at random leaves training as it was."""
    watch = Stopwatch()
    figures: dict[str, float] = {}
    if run.group.rank == 0:
        report(Status(stage="evaluating", unit=run.task.unit, figures={"loss": run.tally.mean()}))
        run.task.module.eval()
        with kept_randomness(run.machine), torch.no_grad(), run.machine.arithmetic():
            figures = dict(run.task.evaluate())
    return run.judge(*run.group.told((figures, watch.lap())))


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)
