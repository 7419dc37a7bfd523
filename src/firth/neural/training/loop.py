"""The one loop: batches to steps to evaluations, until there is no more to learn or somebody asks for an end.

It knows no model and no kind of data: `firth.neural.training.task.Task` brings the loss, `Training` says how to go.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from firth.errors import DivergenceError
from firth.neural.training.checkpoints import Keeper
from firth.neural.training.devices import chosen_machine, deterministic, kept_randomness, own_randomness, torch_threads
from firth.neural.training.monitor import Callback, History
from firth.neural.training.options import Training
from firth.neural.training.run import Run, Stopwatch, new_run
from firth.neural.training.signals import Asked, stopping
from firth.neural.training.task import Task
from firth.progress import Progress, Report, Status, reporting

LOOK = 0.2  # seconds between two looks at the loss


def fit(
    task: Task,
    training: Training,
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

    Args:
        task: the module, its data, its losses.
        training: how.
        seed: of what the module draws at random in training; its weights and batches have their own.
        threads: of PyTorch, on a processor; None is one, as `firth.neural.training.devices.torch_threads` explains.
        progress: how to show progress; see `firth.progress`.
        checkpoint: a folder to keep the state of the run in, and to go on from where it holds one.
        identity: what must be equal for that state to belong to this run, besides `training`, `seed` and `threads`:
            the model's options, its vocabulary, the text. A value that JSON holds.
        callbacks: called with a row (a plain dict, see `History.rows`) after each evaluation.

    Returns:
        What came of it.

    Raises:
        DivergenceError: the loss left all bounds before any evaluation; the message names the step.
        OptionError: the device is not there, or the checkpoint is of another run; the message says what differs.
        FormatError: the checkpoint is damaged.
    """
    machine = chosen_machine(training)
    with (
        torch_threads(threads) as used,
        deterministic(machine),
        own_randomness(seed, "training", machine),
        stopping() as asked,
        reporting(progress) as report,
    ):
        run = new_run(task, training, machine)
        facts = {**identity, "seed": seed, "threads": used}
        keeper = None if checkpoint is None else Keeper(Path(checkpoint), run, facts)
        try:
            _train(run, asked, report, keeper, callbacks)
        except KeyboardInterrupt:  # a second signal, or one that Python heard outside the main thread's handler
            run.ended = "interrupted"
        history = run.finish()
    if history.interrupted:
        _warn(f"training was interrupted in epoch {run.epoch + 1} of {training.epochs}: what was learned is kept")
    return history


def _train(run: Run, asked: Asked, report: Report, keeper: Keeper | None, callbacks: Sequence[Callback]) -> None:
    """Go from evaluation to evaluation until the run has ended."""
    try:
        while not run.ended:
            _go_on(run, asked, report, keeper)
            if run.due and not asked.stop:
                row = _evaluate(run, report)
                for callback in callbacks:
                    callback(row)
            elif asked.stop:
                run.ended = "interrupted"
            if keeper is not None:
                keeper.keep_soon()
    except DivergenceError as error:
        if run.best is None:
            raise
        run.ended = "diverged"
        _warn(f"{error}. The best model, of step {run.best.row['step']:,}, is kept")


def _go_on(run: Run, asked: Asked, report: Report, keeper: Keeper | None) -> None:
    """Train until an evaluation is due or somebody asks for an end."""
    if run.due:  # where a run goes on that was stopped just before an evaluation
        return
    run.task.module.train()
    watch, looked = Stopwatch(), run.seconds
    for batch in run.task.batches.epoch(run.epoch, run.index):
        run.learn(batch)
        run.seconds += watch.lap()
        if run.seconds - looked >= LOOK:
            looked = run.seconds
            report(run.status(run.look()))
            if keeper is not None:
                keeper.keep_at_times()
            watch.lap()
        if asked.stop or run.due:
            break
    run.look()


def _evaluate(run: Run, report: Report) -> dict[str, Any]:
    """Look at held-out data; what that draws at random leaves training as it was."""
    report(Status(stage="evaluating", unit=run.task.unit, figures={"loss": run.tally.mean()}))
    run.task.module.eval()
    with kept_randomness(run.machine), torch.no_grad(), run.machine.arithmetic():
        figures = dict(run.task.evaluate())
    return run.judge(figures)


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=4)
