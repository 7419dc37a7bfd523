"""A training run: what is trained, how far it has come, and one step of it."""

import math
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch

from firth.errors import DivergenceError
from firth.neural.layers.state import State, detached
from firth.neural.training.devices import Machine
from firth.neural.training.monitor import History, Tally, plain
from firth.neural.training.optimisers import make_optimiser
from firth.neural.training.options import TrainingOptions
from firth.neural.training.processes import Group, Step
from firth.neural.training.schedules import Moment, rate
from firth.neural.training.stopping import Snapshot, Watch, copied, put_back, set_statistics, statistics, weights_of
from firth.neural.training.task import Batches, Task
from firth.progress import Status

LONG = 0.25  # share of a limit in minutes that an evaluation should not take
STEADY = 3  # step from which on the time of a step is the usual one
SOME = 1e-3  # seconds of training that a limit leaves at least: one step
WORSE = 3.0  # times the untrained loss; learning at a rate that suits stays below 1, a bad start below 2
FEW = 100  # predictions that say whether a loss is worse


@dataclass(kw_only=True)
class Run:
    """What is trained, and how far it has come.

    Attributes:
        task: the module and its data.
        group: this process, and others that train with it.
        stepping: the task's step, as the group takes it.
        batches: the group's part of the data.
        training: the options.
        machine: what it runs on.
        optimiser: with its statistics.
        scaler: of losses, for fp16.
        watch: what evaluations have shown.
        best: the model at its best; None before the first evaluation on held-out data.
        epoch: the epoch in work, from 0.
        index: batches of it that are done.
        step: updates made.
        predictions: in all of them.
        learned: in the last.
        seconds: spent on them.
        aside: seconds spent on all else that a limit counts: what came before training, evaluations, checkpoints.
        later: evaluations that come after training, and that a limit counts too.
        pace: seconds of a prediction in the fastest step so far.
        looking: seconds of the longest evaluation so far.
        judged: the step at which the last evaluation was.
        untrained: mean loss of the first batch, before it was learned from.
        state: what the next batch starts from.
        tally: losses since the last evaluation.
        glance: losses since they were last looked at.
        rows: one an evaluation.
        ended: why training ended; "" while it goes on.
        trouble: what went wrong, where training ended by it.
        stopping: whether all processes know that one of them was asked to stop.
    """

    task: Task
    group: Group
    stepping: Step
    batches: Batches
    training: TrainingOptions
    machine: Machine
    optimiser: torch.optim.Optimizer
    scaler: torch.amp.GradScaler
    watch: Watch
    best: Snapshot | None = None
    epoch: int = 0
    index: int = 0
    step: int = 0
    predictions: int = 0
    learned: int = 0
    seconds: float = 0.0
    aside: float = 0.0
    later: int = 0
    pace: float = math.inf
    looking: float = 0.0
    judged: int = 0
    untrained: float | None = None
    state: State = None
    tally: Tally = field(default_factory=Tally)
    glance: Tally = field(default_factory=Tally)
    rows: list[dict[str, Any]] = field(default_factory=list)
    ended: str = ""
    trouble: str = ""
    stopping: bool = False
    _counted: tuple[int, int] = (-1, 0)  # an epoch and its batches: to count them may be to plan them

    @property
    def lr(self) -> float:
        """The learning rate of the next update, a batch's own scale left out."""
        t, passes = self.training, self.step / max(self.updates / self.training.epochs, 1)
        moment = Moment(self.step, self.share(t.warmup), passes, t.warmup, t.decay)
        return t.lr * self.watch.factor * rate(t.schedule, moment)

    @property
    def budget(self) -> float:
        """Seconds that may be spent on training: the limit, without what is spent aside and what an end will take."""
        if self.training.minutes is None:
            return math.inf
        left = 60 * self.training.minutes - self.aside
        least = 0.0 if self.rows else left / 2  # to learn before the first evaluation, however long it may be
        return max(left - self._kept_back, least, SOME)

    @property
    def _kept_back(self) -> float:
        """Seconds for the evaluation at the end and those after it, by the longest so far, or by the pace of learning.

        An evaluation that goes through the same layers without gradients takes about half as long a prediction. Outputs
        that learn from samples, and evaluate over all words, are slower than that.
        """
        expected = 0.5 * self.task.judged * self.pace if math.isfinite(self.pace) else 0.0
        return (1 + self.later) * (self.looking or expected)

    def spent(self, seconds: float, stop: bool) -> None:
        """Take note of the time of a step, and of whether somebody asked for an end.

        Args:
            seconds: since the step before.
            stop: whether this process was asked.
        """
        before = self.seconds
        self.seconds, self.stopping = self.group.agreed(before + seconds, stop)
        if self.step >= STEADY:
            self.pace = min(self.pace, (self.seconds - before) / max(self.learned, 1))

    @cached_property
    def updates(self) -> int:
        """Steps of all epochs, taken to be as long as the first; where they differ, schedules end a little off."""
        return max(1, self.training.epochs * self.batches.count(0))

    @property
    def size(self) -> int:
        """How many batches the epoch in work has."""
        if self._counted[0] != self.epoch:
            self._counted = self.epoch, self.batches.count(self.epoch)
        return self._counted[1]

    @property
    def epoch_done(self) -> bool:
        """Whether all batches of the epoch in work are done."""
        return self.index >= self.size

    @property
    def due(self) -> bool:
        """Whether held-out data is to be looked at now."""
        every = self.training.evaluate_every
        now = self.epoch_done or self.seconds >= self.budget or (every > 0 and self.step % every == 0)
        return now and self.judged < self.step

    def share(self, warmup: int = 0) -> float:
        """Return the share of the run that is done, from 0 to 1, a warm-up left out."""
        done, rise = max(self.step / self.updates, self.seconds / self.budget), warmup / self.updates
        return min(max((done - rise) / max(1 - rise, 1e-9), 0.0), 1.0)

    def learn(self, batch: Any) -> None:
        """Take one step."""
        lr = self.lr * batch.scale
        for group in self.optimiser.param_groups:
            group["lr"] = lr
        with self.machine.arithmetic():
            outcome = self.stepping(batch.to(self.machine.device), None if batch.fresh else self.state)
        self.optimiser.zero_grad(set_to_none=True)
        nats, predictions = self.group.totals(outcome.nats, outcome.predictions)
        # Processes' gradients are averaged: each counts by what it predicted. Alone, the weight is 1.
        weight = outcome.predictions * self.group.count / predictions
        objective = outcome.objective if weight == 1 else outcome.objective * weight
        self.group.backward(self.scaler.scale(objective))
        if self.training.clip:
            self.scaler.unscale_(self.optimiser)
            torch.nn.utils.clip_grad_norm_(self.task.module.parameters(), self.training.clip)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.state = detached(outcome.state)
        self._count(nats, predictions)

    def _count(self, nats: torch.Tensor, predictions: int) -> None:
        self.tally.add(nats, predictions)
        self.glance.add(nats, predictions)
        if self.untrained is None:
            self.untrained = self.tally.mean()
        self.index, self.step = self.index + 1, self.step + 1
        self.predictions += predictions
        self.learned = predictions

    def judge(self, figures: dict[str, float], seconds: float) -> dict[str, Any]:
        """Take note of an evaluation: keep the best model, or slow down and go back; return its row.

        Args:
            figures: of held-out data, "loss" among them; empty where there is none.
            seconds: that it took.
        """
        if self.training.minutes and seconds > LONG * 60 * self.training.minutes and not self.looking:
            warnings.warn(
                f"evaluating the held-out data took {seconds:.0f} s of the {60 * self.training.minutes:.0f} s that "
                "training has in all: give fewer held-out data, or more minutes",
                stacklevel=2,
            )
        self.aside, self.looking = self.aside + seconds, max(self.looking, seconds)
        row = self._row(figures)
        self.rows.append(row)
        self.judged, self.tally = self.step, Tally()
        if figures:
            self._compare(figures["loss"], row)
        if self.epoch_done:
            self.epoch, self.index, self.state = self.epoch + 1, 0, None
        self.ended = self._reason()
        return row

    def _compare(self, loss: float, row: dict[str, Any]) -> None:
        back = self.training.rollback
        if self.watch.improves(loss):
            kept = statistics(self.optimiser) if back == "best" else {}
            self.best = Snapshot(copied(weights_of(self.task.module)), kept, row)
        elif back != "no" and self.best is not None:
            put_back(self.task.module, self.best.weights)
            self.state, self.glance = None, Tally()
            if back != "current":
                set_statistics(self.optimiser, self.best.optimiser)

    def _reason(self) -> str:
        if self.watch.lost:
            return "patience"
        if self.epoch >= self.training.epochs:
            return "epochs"
        return "minutes" if self.seconds >= self.budget else ""

    def look(self) -> float:
        """Return the mean loss since the last look, in nats a prediction.

        Raises:
            DivergenceError: it is not finite, or far above what it was before any training.
        """
        loss, seen = self.glance.mean(), self.glance.predictions
        most = WORSE * max(self.untrained or 0.0, math.log(2))
        # A loss may be negative (a density's, a bound's): what was below nothing has no multiple to stay below.
        worse = seen >= FEW and (self.untrained or 0.0) >= 0 and loss > most
        if math.isfinite(loss) and not worse:
            if seen >= FEW:
                self.glance = Tally()
            return loss
        if self.training.rollback != "no" and self.best is not None:
            return loss  # the next evaluation sees it too, and goes back
        lr = self.training.lr
        raise DivergenceError(
            f"training diverged by step {self.step:,}, in epoch {self.epoch + 1}, with lr={lr:g}: the loss is "
            f"{loss:.3g} nats a prediction, expected less than {most:.2f}; use a smaller learning rate, such as "
            f"lr={lr / 10:.1g}, or clip gradients, such as clip=1"
        )

    def finish(self) -> History:
        """Give the module the best weights it had, and return what came of the run."""
        best = None
        if self.best is not None:
            put_back(self.task.module, self.best.weights)
            best = self.best.row
        return History(self.rows, best, self.ended, self.step, self.predictions, self.seconds, self.trouble)

    def status(self, loss: float) -> Status:
        """Return what a progress bar shows."""
        done = max(self.share(), 1e-9)
        last = self.rows[-1] if self.rows else {}
        judged = {
            n.removeprefix("held_out_"): v for n, v in last.items() if n.startswith("held_out_") and v is not None
        }
        figures = {"loss": loss, "lr": self.lr, **{f"held-out {name}": value for name, value in judged.items()}}
        return Status(
            stage=f"training, epoch {min(self.epoch + 1, self.training.epochs)}/{self.training.epochs}",
            done=self.predictions, total=round(self.predictions / done), unit=self.task.unit,
            seconds=self.seconds, figures=figures,
        )  # fmt: skip

    def _row(self, figures: dict[str, float]) -> dict[str, Any]:
        row = {
            "epoch": round(self.epoch + self.index / max(self.size, 1), 4),
            "step": self.step,
            "loss": self.tally.mean(),
            "lr": self.lr,
            "seconds": round(self.seconds, 3),
            "predictions": self.predictions,
        }
        return plain(row | {f"held_out_{name}": float(value) for name, value in figures.items()})


def new_run(task: Task, training: TrainingOptions, machine: Machine, group: Group) -> Run:
    """Return a run at its start, the module on its device.

    Args:
        task: what is trained.
        training: how.
        machine: on what.
        group: with which other processes.
    """
    task.module.to(machine.device)
    return Run(
        task=task,
        group=group,
        stepping=group.step_of(task),
        batches=task.batches if group.count == 1 else task.batches.shard(group.rank, group.count),
        training=training,
        machine=machine,
        optimiser=make_optimiser(task.module, training),
        scaler=torch.amp.GradScaler(machine.device.type, enabled=machine.scales),
        watch=Watch(training.patience, training.plateau),
    )
