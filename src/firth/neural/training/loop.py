"""The training loop of every neural model: batches, steps and evaluations.

The loop knows no model and no kind of data. A `firth.neural.training.task.Task` supplies batches and losses, a
`RunConfig` the options.
"""

import dataclasses
import functools
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from firth.errors import DivergenceError, OptionError, warn_caller
from firth.neural.layers.scratch import reuse_arrays
from firth.neural.training.checkpoints import Checkpointer
from firth.neural.training.devices import (
    Runtime,
    deterministic,
    no_subnormals,
    preserve_rng,
    seeded_rng,
    select_runtime,
    torch_threads,
)
from firth.neural.training.monitor import History
from firth.neural.training.options import RunConfig
from firth.neural.training.processes import (
    Group,
    SingleProcess,
    check_fabric,
    group_of_one_per_machine,
    launch,
    working_processes,
)
from firth.neural.training.run import Run, new_run
from firth.neural.training.stopping import restore_weights, weights_of
from firth.neural.training.task import Task
from firth.progress import Report, Status, reporting
from firth.signals import StopRequest, ignoring_interrupts, stopping
from firth.storage.checkpoints import FILE, reading_state, write_state
from firth.timing import Stopwatch, running_clock
from firth.workers import Workers, lent

CHECK_EVERY = 0.2  # seconds between two checks of the loss


def fit_model(
    task: Task, options: Any, config: RunConfig, data: Mapping[str, Any], *, facts: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Train the task's module as `fit` does, and return the facts of the training for the model's metadata.

    Args:
        data: what a checkpoint must agree with, besides options and seed: JSON values.
        facts: other facts about the data: JSON values.
    """
    described = {"model": type(options).__name__, **dataclasses.asdict(options)}
    identity = {"options": described, "seed": config.seed, **data}
    history = fit(task, config, identity=identity)
    return {**identity, **(facts or {}), **dataclasses.asdict(config.training), **history.described()}


def fit(task: Task, config: RunConfig, *, identity: Mapping[str, Any]) -> History:
    """Train the task's module. Its final weights are those of the best evaluation, or the last without held-out data.

    With one thread, the same seed gives the same bits, in one go or resumed from a checkpoint any number of times. A
    run that is interrupted (Ctrl-C, SIGTERM), or that diverges after an evaluation, keeps what it has learned and
    warns. A limit in minutes counts from the start of `firth.timing.running_clock`, or from this call.

    Args:
        task: the module, its data and its loss.
        identity: what a checkpoint must agree with, besides training options, seed and threads: the model's options,
            its vocabulary, the text. JSON can represent it.

    Returns:
        Training history.

    Raises:
        OptionError: the device is missing, or the checkpoint is of another run; the message says what differs.
    """
    training, runtime = config.training, select_runtime(config.training)
    with running_clock() as clock, torch_threads(config.threads) as threads, deterministic(runtime):
        if threads > 1 and training.processes > 1:
            raise OptionError(f"threads={threads} with processes={training.processes}: each process has one thread")
        facts = {**identity, "seed": config.seed, "threads": threads}
        work = functools.partial(
            _work, task=task, runtime=runtime, facts=facts, elapsed=clock.since.lap(), later=clock.evaluations
        )
        if training.processes == 1:
            history = work(SingleProcess(), config)
        elif (workers := lent()) is not None:
            history = _fit_on_workers(work, task, config, runtime, workers)
        else:
            history = _fit_in_processes(lambda group: work(group, config), task, training.processes, runtime.device)
        clock.since.lap()
    if history.interrupted:
        epochs_done = history.steps * training.accumulate / max(task.batches.count(0), 1)
        warn_caller(
            f"training was interrupted in epoch {int(epochs_done) + 1} of {training.epochs}: the model is kept as is"
        )
    if history.error:
        warn_caller(f"{history.error}. The best model, of step {(history.best or {}).get('step', 0):,}, is kept")
    return history


def _work(
    group: Group,
    config: RunConfig,
    *,
    task: Task,
    runtime: Runtime,
    facts: Mapping[str, Any],
    elapsed: float,
    later: int,
) -> History:
    """Train in one process of a group."""
    first = group.rank == 0
    stream = "training" if first else f"training {group.rank}"
    with (
        seeded_rng(config.seed, stream, runtime),
        no_subnormals(),
        reuse_arrays(),
        stopping() as signals,
        reporting(config.progress if first else False) as report,
    ):
        run = new_run(task, config, runtime, group)
        checkpointer = None if config.checkpoint is None else Checkpointer(run, facts)
        run.other_seconds, run.later_evaluations = run.other_seconds + group.broadcast(elapsed), later
        return _train(run, signals, report, checkpointer)


def _fit_on_workers(
    work: Callable[[Group, RunConfig], History], task: Task, config: RunConfig, runtime: Runtime, workers: Workers
) -> History:
    """Train on the workers of a cluster; the weights of the first return as arrays."""
    check_fabric()
    if workers.count != config.training.processes:
        raise OptionError(
            f"processes={config.training.processes}: the cluster lends {workers.count} workers, expected a process for "
            "each"
        )
    some_unused = getattr(task, "some_unused", False)

    def train(rank: int, config: RunConfig, asked: Callable[[], bool]) -> tuple[History, dict[str, Any]]:
        device = runtime.device
        with torch_threads(1), deterministic(runtime):
            group = group_of_one_per_machine(rank, config.training.processes, device, asked, some_unused=some_unused)
            history = work(group, config)
        arrays = weights_of(task.module) if rank == 0 else {}
        return history, {name: tensor.cpu().numpy() for name, tensor in arrays.items()}

    arrays: dict[str, Any]
    history: History
    with reporting(config.progress) as report, stopping() as signals:
        history, arrays = workers.train(
            train, replace(config, progress=report), runtime.device.type, lambda: signals.stop
        )
    restore_weights(task.module, {name: torch.tensor(array) for name, array in arrays.items()})
    return history


def _fit_in_processes(work: Callable[[Group], History], task: Task, count: int, device: torch.device) -> History:
    """Train in several processes; the weights of the first return through a file."""
    with tempfile.TemporaryDirectory() as folder, stopping(working_processes):
        path = Path(folder) / FILE

        def work_and_write(group: Group) -> None:
            with ignoring_interrupts():  # a terminal's Ctrl-C reaches all: the parent passes it on as SIGTERM
                history = work(group)
            if group.rank == 0:
                arrays = {name: tensor.cpu().numpy() for name, tensor in weights_of(task.module).items()}
                write_state(path, arrays, {"identity": {}, "history": dataclasses.asdict(history)})

        launch(work_and_write, count, device, some_unused=getattr(task, "some_unused", False))
        with reading_state(path, {}) as (facts, file):
            names = file.keys()
            restore_weights(task.module, {name: torch.from_numpy(file.get_tensor(name)) for name in names})
            return History(**facts["history"])


def _train(run: Run, signals: StopRequest, report: Report, checkpointer: Checkpointer | None) -> History:
    """Train and evaluate until the run has ended."""
    try:
        while not run.ended:
            _train_until_evaluation(run, signals, report, checkpointer)
            if run.stop_requested:
                run.ended = "interrupted"
            elif run.evaluation_due:
                row = _evaluate(run, report)
                for callback in run.config.callbacks if run.group.rank == 0 else ():
                    callback(row)
            if checkpointer is not None:
                checkpointer.save_after_evaluation()
    except DivergenceError as error:
        if run.best is None:
            raise
        run.ended, run.error = "diverged", str(error)
    except KeyboardInterrupt:  # a second signal, or one that Python heard outside the main thread's handler
        run.ended = "interrupted"
    return run.finish()


def _train_until_evaluation(run: Run, signals: StopRequest, report: Report, checkpointer: Checkpointer | None) -> None:
    if run.evaluation_due:  # the run resumes just before an evaluation
        return
    run.task.module.train()
    watch, checked = Stopwatch(), run.seconds
    for batch in run.batches.epoch(run.epoch, run.batch_index):
        run.learn(batch)
        run.add_time(watch.lap(), signals.stop)
        if run.seconds - checked >= CHECK_EVERY:
            checked = run.seconds
            report(run.status(run.check_loss()))
            if checkpointer is not None:
                checkpointer.save_at_intervals()
            watch.lap()
        if run.stop_requested or run.evaluation_due:
            break
    run.check_loss(last=True)


def _evaluate(run: Run, report: Report) -> dict[str, Any]:
    """Evaluate on held-out data in the first process; the random state of training is kept."""
    watch = Stopwatch()
    figures: dict[str, float] = {}
    if run.group.rank == 0:
        report(Status(stage="evaluating", unit=run.task.unit, figures={"loss": run.loss_meter.mean()}))
        run.task.module.eval()
        with preserve_rng(run.runtime), torch.no_grad(), run.runtime.autocast():
            figures = dict(run.task.evaluate())
    return run.record_evaluation(*run.group.broadcast((figures, watch.lap())))
