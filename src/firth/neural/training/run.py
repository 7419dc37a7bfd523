"""State of a training run: the task, its progress, and one step."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch

from firth.errors import DivergenceError
from firth.neural.layers.state import State, detached
from firth.neural.training.batching import Accumulated
from firth.neural.training.devices import Runtime
from firth.neural.training.monitor import History, LossMeter, plain
from firth.neural.training.optimisers import FACTOR, make_optimiser
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.processes import Group, Step
from firth.neural.training.row_updates import clip_norm
from firth.neural.training.schedules import TrainingProgress, lr_factor
from firth.neural.training.stopping import (
    EarlyStopping,
    Snapshot,
    copy_tensors,
    optimiser_statistics,
    restore_weights,
    set_optimiser_statistics,
    weights_of,
)
from firth.neural.training.task import Batches, Task
from firth.progress import Status

LONG_EVALUATION = 0.25  # fraction of a limit in minutes; a longer evaluation is warned of
TIMED_FROM = 3  # step from which on the time per step is typical
EVALUATION_COST = 1.0  # seconds per prediction of an evaluation that nobody has timed, by those of training
OVERTIME = 0.1  # fraction of a limit that is warned of, if it is
LEAST_OVERTIME = 10.0  # seconds or more
MIN_SECONDS = 1e-3  # of training that a limit leaves: one step
DIVERGED = 3.0  # times the initial loss; with a suitable rate the ratio stays below 1, after a bad start below 2
TIE = 1e-7  # weight of the loss among models of the same error
MIN_PREDICTIONS = 100  # for a loss that is compared
SPIKE = 3  # losses above the limit in a row that are a divergence: Adam's first updates may overshoot, and come back


@dataclass(kw_only=True)
class Run:
    """A training run and its state.

    Attributes:
        task: the module and its data.
        config: options and circumstances.
        group: the processes that train together.
        step_fn: the task's step, wrapped by the group.
        batches: the group's part of the data, in groups for one update each.
        runtime: device and precision.
        optimiser: with its statistics.
        scaler: loss scaling, for fp16.
        early_stopping: record of evaluations.
        best: snapshot of the best model; None before the first evaluation on held-out data.
        epoch: current epoch, from 0.
        batch_index: updates of it that are done.
        step: updates done.
        predictions: in all updates.
        seconds: spent on updates.
        other_seconds: spent on everything else under the limit in minutes: reading, evaluations, checkpoints.
        later_evaluations: evaluations after training that the limit includes.
        first_seconds: spent on the first updates, which take longer than later ones.
        evaluation_seconds: of the longest evaluation so far.
        evaluated_step: step of the last evaluation.
        initial_loss: mean loss of the first batch, before learning from it.
        state: initial state of the next batch.
        loss_meter: losses since the last evaluation.
        recent_loss: losses since they were last checked.
        losses_above: checks in a row whose loss was far above the initial one.
        rows: one per evaluation.
        ended: why training ended; "" before.
        error: the error that ended training, if any.
        stop_requested: whether any process was asked to stop.
    """

    task: Task
    config: RunConfig
    group: Group
    step_fn: Step
    batches: Batches
    runtime: Runtime
    optimiser: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    early_stopping: EarlyStopping
    best: Snapshot | None = None
    epoch: int = 0
    batch_index: int = 0
    step: int = 0
    predictions: int = 0
    seconds: float = 0.0
    other_seconds: float = 0.0
    later_evaluations: int = 0
    first_seconds: float = 0.0
    evaluation_seconds: float = 0.0
    evaluated_step: int = 0
    initial_loss: float | None = None
    state: State = None
    loss_meter: LossMeter = field(default_factory=LossMeter)
    recent_loss: LossMeter = field(default_factory=LossMeter)
    losses_above: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    ended: str = ""
    error: str = ""
    stop_requested: bool = False
    _epoch_size: tuple[int, int] = (-1, 0)  # an epoch and its number of batches, which may need a plan of the epoch

    @property
    def training(self) -> TrainingOptions:
        """The options of the loop."""
        return self.config.training

    @property
    def progress(self) -> TrainingProgress:
        """Position in the run."""
        epoch = self.step / max(self.total_steps / self.training.epochs, 1)
        return TrainingProgress(self.step, self.expected_steps, epoch, self.fraction)

    @property
    def lr(self) -> float:
        """Learning rate of the next update, without the batch's own factor."""
        return self._lr_at(self.progress)

    def _lr_at(self, progress: TrainingProgress) -> float:
        t = self.training
        factor = lr_factor(t.schedule, progress, warmup=t.warmup, decay=t.lr_decay)
        return t.lr * self.early_stopping.lr_factor * factor

    @property
    def budget(self) -> float:
        """Seconds for updates: the limit without the time for everything else."""
        if self.training.minutes is None:
            return math.inf
        remaining = 60 * self.training.minutes - self.other_seconds
        least = 0.0 if self.rows else remaining / 2  # for updates before the first evaluation, however long that takes
        return max(remaining - self._reserved, least, MIN_SECONDS)

    @property
    def _reserved(self) -> float:
        """Seconds for the last evaluation and later ones, by the longest so far or by the speed of training.

        A pass without gradients takes a third of a step's time per prediction; many evaluations make two, or search,
        and all run in one process. Where the guess is too high, the first comes early, is timed, and training goes on.
        """
        pace = self.seconds_per_step * self.step / max(self.predictions, 1)
        expected = EVALUATION_COST * self.task.eval_predictions * pace * self.group.count
        return (1 + self.later_evaluations) * (self.evaluation_seconds or expected)

    @property
    def seconds_per_step(self) -> float:
        """Mean time of an update, without the first ones; 0 before it is known."""
        timed = self.step - TIMED_FROM + 1
        return (self.seconds - self.first_seconds) / timed if timed > 0 else 0.0

    @property
    def expected_steps(self) -> int:
        """Updates at the end of the run: those of all epochs, or fewer where a limit in minutes ends it before."""
        pace = self.seconds_per_step
        if self.training.minutes is None or not pace:
            return self.total_steps
        return min(self.total_steps, self.step + math.ceil(max(self.budget - self.seconds, 0.0) / pace))

    @cached_property
    def total_steps(self) -> int:
        """Updates of all epochs, if each is as long as the first; otherwise schedules end a little off."""
        return max(1, self.training.epochs * self.batches.count(0))

    @property
    def fraction(self) -> float:
        """Fraction of the updates of the run that are done, from 0 to 1."""
        return min(self.step / self.expected_steps, 1.0)

    @property
    def epoch_size(self) -> int:
        """Number of batches of the current epoch."""
        if self._epoch_size[0] != self.epoch:
            self._epoch_size = self.epoch, self.batches.count(self.epoch)
        return self._epoch_size[1]

    @property
    def epoch_done(self) -> bool:
        """Whether all batches of the current epoch are done."""
        return self.batch_index >= self.epoch_size

    @property
    def evaluation_due(self) -> bool:
        """Whether to evaluate now."""
        every = self.training.evaluate_every
        now = self.epoch_done or self.seconds >= self.budget or (every > 0 and self.step % every == 0)
        return now and self.evaluated_step < self.step

    def learn(self, batches: Sequence[Any]) -> None:
        """Make one update from one batch, or from several whose gradients are added up."""
        progress = self.progress
        lr = self._lr_at(progress) * sum(batch.scale for batch in batches) / len(batches)
        for group in self.optimiser.param_groups:
            group["lr"] = lr * group.get(FACTOR, 1.0)
        self.optimiser.zero_grad(set_to_none=True)
        parts: list[tuple[torch.Tensor, int]] = []
        for batch in batches:
            parts.append(self._add_gradients(batch, progress, parts[0][1] if parts else 0))
        first, predictions = parts[0][1], sum(count for _, count in parts)
        if predictions != first:  # they are sums over predictions, divided by the number of the first batch
            for parameter in self.task.module.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(first / predictions)
        if self.training.clip_norm:
            self.scaler.unscale_(self.optimiser)
            clip_norm(self.task.module.parameters(), self.training.clip_norm)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self._count(torch.stack([nats for nats, _ in parts]).sum(), predictions)

    def _add_gradients(self, batch: Any, progress: TrainingProgress, first: int) -> tuple[torch.Tensor, int]:
        """Add the gradients of a batch; return its loss in nats and its predictions, in all processes.

        Args:
            first: predictions of the step's first batch, whose mean loss has weight 1; 0 for that batch.
        """
        with self.runtime.autocast():
            output = self.step_fn(batch.to(self.runtime.device), None if batch.fresh else self.state, progress)
        nats, predictions = self.group.totals(output.nats, output.predictions)
        # Gradients are averaged over processes: weight each by its predictions. A single process has weight 1.
        weight = output.predictions * self.group.count / (first or predictions)
        loss = output.loss if weight == 1 else output.loss * weight
        self.group.backward(self.scaler.scale(loss))
        self.state = detached(output.state)
        return nats, predictions

    def _count(self, nats: torch.Tensor, predictions: int) -> None:
        self.loss_meter.add(nats, predictions)
        self.recent_loss.add(nats, predictions)
        if self.initial_loss is None:
            self.initial_loss = self.loss_meter.mean()
        self.batch_index, self.step = self.batch_index + 1, self.step + 1
        self.predictions += predictions

    def add_time(self, seconds: float, stop: bool) -> None:
        """Record the time of a step and a request to stop, in agreement with the other processes."""
        self.seconds, self.stop_requested = self.group.agreed(self.seconds + seconds, stop)
        if self.step < TIMED_FROM:
            self.first_seconds = self.seconds

    def record_evaluation(self, figures: dict[str, float], seconds: float) -> dict[str, Any]:
        """Record an evaluation: keep the best model, or lower the rate and roll back. Return its row.

        Args:
            figures: on held-out data; "loss", if there is one, selects the best model.
        """
        limit = self.training.minutes
        if limit and seconds > LONG_EVALUATION * 60 * limit and not self.evaluation_seconds:
            warnings.warn(
                f"the evaluation on held-out data took {seconds:.0f} s of the {60 * limit:.0f} s for training: use "
                "less held-out data or more minutes",
                stacklevel=2,
            )
        self.other_seconds += seconds
        self.evaluation_seconds = max(self.evaluation_seconds, seconds)
        row = self._row(figures)
        self.rows.append(row)
        self.evaluated_step, self.loss_meter = self.step, LossMeter()
        if "loss" in figures:
            self._compare(selection_figure(figures), row)
        if self.epoch_done:
            self.epoch, self.batch_index, self.state = self.epoch + 1, 0, None
        self.ended = self._reason_to_end()
        return row

    def _compare(self, figure: float, row: dict[str, Any]) -> None:
        rollback = self.training.rollback
        if self.early_stopping.improves(figure):
            statistics = optimiser_statistics(self.optimiser) if rollback == "best" else {}
            self.best = Snapshot(copy_tensors(weights_of(self.task.module)), statistics, row)
        elif rollback != "no" and self.best is not None:
            restore_weights(self.task.module, self.best.weights)
            self.state, self.recent_loss, self.losses_above = None, LossMeter(), 0
            if rollback != "current":
                set_optimiser_statistics(self.optimiser, self.best.optimiser)

    def _reason_to_end(self) -> str:
        if self.early_stopping.should_stop:
            return "patience"
        if self.epoch >= self.training.epochs:
            return "epochs"
        return "minutes" if self.seconds >= self.budget else ""

    def check_loss(self, *, last: bool = False) -> float:
        """Return the mean loss since the last check, in nats per prediction.

        Raises:
            DivergenceError: the loss is not finite; or it is far above the initial loss in `SPIKE` checks in a row, or
                in the last one.
        """
        loss, predictions = self.recent_loss.mean(), self.recent_loss.predictions
        initial = self.initial_loss or 0.0
        limit = DIVERGED * max(initial, math.log(2))
        # A loss may be negative (a density, a bound): there is no multiple of it to compare with.
        enough = predictions >= MIN_PREDICTIONS
        if enough:
            self.losses_above = self.losses_above + 1 if initial >= 0 and loss > limit else 0
        if math.isfinite(loss) and self.losses_above < (1 if last else SPIKE):
            if enough:
                self.recent_loss = LossMeter()
            return loss
        if self.training.rollback != "no" and self.best is not None:
            return loss  # the next evaluation is worse, too, and rolls back
        lr = self.training.lr
        raise DivergenceError(
            f"training diverged by step {self.step:,}, in epoch {self.epoch + 1}, with lr={lr:g}: the loss is "
            f"{loss:.3g} nats per prediction, expected less than {limit:.2f}; use a lower learning rate, such as "
            f"lr={lr / 10:.1g}, or clip gradients, such as clip_norm=1"
        )

    def finish(self) -> History:
        """Restore the best weights and return the training history."""
        best = None
        if self.best is not None:
            restore_weights(self.task.module, self.best.weights)
            best = self.best.row
        self._warn_of_overtime()
        return History(self.rows, best, self.ended, self.step, self.predictions, self.seconds, self.error)

    def _warn_of_overtime(self) -> None:
        limit, took = 60 * (self.training.minutes or math.inf), self.seconds + self.other_seconds
        if self.ended == "minutes" and took > limit + max(OVERTIME * limit, LEAST_OVERTIME):
            warnings.warn(
                f"training took {took / 60:.1f} minutes, the limit was {limit / 60:g}: {self.seconds / 60:.1f} for "
                f"updates and {self.other_seconds / 60:.1f} for reading and evaluations, the longest of "
                f"{self.evaluation_seconds:.0f} s; use less held-out data or more minutes",
                stacklevel=2,
            )

    def status(self, loss: float) -> Status:
        """Return the contents of a progress bar."""
        fraction = max(self.fraction, 1e-9)
        last = self.rows[-1] if self.rows else {}
        held_out = {
            f"held-out {name.removeprefix('held_out_')}": value
            for name, value in last.items()
            if name.startswith("held_out_") and value is not None
        }
        return Status(
            stage=f"training, epoch {min(self.epoch + 1, self.training.epochs)}/{self.training.epochs}",
            done=self.predictions, total=round(self.predictions / fraction), unit=self.task.unit,
            seconds=self.seconds, figures={"loss": loss, "lr": self.lr, **held_out},
        )  # fmt: skip

    def _row(self, figures: dict[str, float]) -> dict[str, Any]:
        row = {
            "epoch": round(self.epoch + self.batch_index / max(self.epoch_size, 1), 4),
            "step": self.step,
            "loss": self.loss_meter.mean(),
            "lr": self.lr,
            "seconds": round(self.seconds, 3),
            "predictions": self.predictions,
        }
        return plain(row | {f"held_out_{name}": float(value) for name, value in figures.items()})


def selection_figure(figures: dict[str, float]) -> float:
    """Return what the best model has the least of: the error, then the loss; the loss alone where there is no error."""
    return figures["error"] + TIE * figures["loss"] if "error" in figures else figures["loss"]


def new_run(task: Task, config: RunConfig, runtime: Runtime, group: Group) -> Run:
    """Return a run at its start; the module moves to the device."""
    task.module.to(runtime.device)
    training = config.training
    return Run(
        task=task,
        config=config,
        group=group,
        step_fn=group.step_of(task),
        batches=Accumulated(
            task.batches if group.count == 1 else task.batches.shard(group.rank, group.count), training.accumulate
        ),
        runtime=runtime,
        optimiser=make_optimiser(
            task.module,
            training.optimiser,
            lr=training.lr,
            momentum=training.momentum,
            weight_decay=training.weight_decay,
        ),
        scaler=torch.amp.GradScaler(runtime.device.type, enabled=runtime.scales_loss),
        early_stopping=EarlyStopping(training.patience, training.plateau_factor),
    )
