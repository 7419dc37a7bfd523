"""Several tasks as one: a batch of one task after that of another, for modules that share an encoder.

What
    Each update learns from a batch of one task, drawn by given rates. A task whose batches are used up begins its next
    epoch. What the modules share, such as an encoder, learns from all.
Objective
    P(task k) = r_k / sum of r; without rates, r_k is the number of batches of an epoch of task k, so that each is read
    about once per epoch of all.
Source
    Collobert and Weston 2008, section 4 (a task at random, an update, and so on); Sanh, Wolf and Ruder 2019, section
    3.3 (sampling in proportion to the size).
Departures
    None.
Cost
    That of the tasks.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from firth.errors import OptionError
from firth.neural.layers.state import State
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput, Task
from firth.randomness import generator


@dataclass(frozen=True, eq=False)
class JointBatch:
    """A batch of one of several tasks.

    Attributes:
        name: of the task.
        batch: of that task.
    """

    name: str
    batch: Any

    fresh = True

    @property
    def scale(self) -> float:
        """The factor of the batch on the learning rate."""
        return float(self.batch.scale)

    def to(self, device: torch.device) -> "JointBatch":
        """Return the batch on a device."""
        return JointBatch(self.name, self.batch.to(device))


@dataclass(frozen=True, eq=False)
class JointBatches:
    """Batches of several tasks in random order; implements `firth.neural.training.task.Batches`.

    Attributes:
        batches: of each task.
        rates: of each task, which add up to 1.
        seed: of the order.
    """

    batches: Mapping[str, Batches]
    rates: Mapping[str, float]
    seed: int
    _orders: dict[int, list[str]] = field(default_factory=dict, repr=False)

    def count(self, epoch: int) -> int:
        """Return the number of batches of an epoch: as many as the tasks have in their first."""
        return sum(each.count(0) for each in self.batches.values())

    def epoch(self, number: int, start: int = 0) -> Iterator[JointBatch]:
        """Yield the batches of an epoch, without the first `start`."""
        order = self.order(number)
        before = Counter(name for epoch in range(number) for name in self.order(epoch)) + Counter(order[:start])
        streams = {name: self._from(name, before[name]) for name in self.batches}
        for name in order[start:]:
            yield JointBatch(name, next(streams[name]))

    def order(self, epoch: int) -> list[str]:
        """Return the task of each batch of an epoch."""
        if epoch not in self._orders:
            names = list(self.batches)
            draw = generator(self.seed, f"tasks of epoch {epoch}")
            chosen = draw.choice(len(names), self.count(epoch), p=[self.rates[name] for name in names])
            self._orders[epoch] = [names[number] for number in chosen.tolist()]
        return self._orders[epoch]

    def shard(self, rank: int, of: int) -> "JointBatches":
        """Return the part of each batch for process `rank` (from 0) `of` so many."""
        parts = {name: each.shard(rank, of) for name, each in self.batches.items()}
        return replace(self, batches=parts, _orders={})

    def _from(self, name: str, done: int) -> Iterator[Any]:
        """Yield the batches of a task, epoch after epoch, without those that are done."""
        batches, epoch = self.batches[name], 0
        while done >= batches.count(epoch):
            done -= batches.count(epoch)
            epoch += 1
        while True:
            yield from batches.epoch(epoch, done)
            epoch, done = epoch + 1, 0


class JointTask:
    """Several tasks as one; implements `firth.neural.training.task.Task`.

    Args:
        tasks: by name; the first selects the model.
        rates: of each task, a positive number; None for the number of its batches.
        seed: of the order.

    Attributes:
        module: the modules by name; what they share is trained by all.
        batches: of all.
        unit: "predictions".
        eval_predictions: of all.

    Raises:
        OptionError: there is no task, a rate is missing, unknown or not positive, or a task carries a state from batch
            to batch.
    """

    def __init__(self, tasks: Mapping[str, Task], rates: Mapping[str, float] | None = None, *, seed: int = 0) -> None:
        if not tasks:
            raise OptionError("tasks: none given; expected one at least")
        if rates is not None and set(rates) != set(tasks):
            raise OptionError(f"rates of {', '.join(map(str, rates))}; expected one of each task: {', '.join(tasks)}")
        weights = {name: float(task.batches.count(0) if rates is None else rates[name]) for name, task in tasks.items()}
        for name, weight in weights.items():
            if not (np.isfinite(weight) and weight > 0):
                raise OptionError(f"rates: {weight:g} of the task {name!r}; expected a positive number")
        total = sum(weights.values())
        self._tasks = dict(tasks)
        self.module: torch.nn.Module = torch.nn.ModuleDict({name: task.module for name, task in tasks.items()})
        self.batches: Batches = JointBatches(
            {name: task.batches for name, task in tasks.items()},
            {name: weight / total for name, weight in weights.items()},
            seed,
        )
        self.unit, self.eval_predictions = "predictions", sum(task.eval_predictions for task in tasks.values())

    def step(self, batch: JointBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a batch by its task; see `Task.step`.

        Raises:
            OptionError: the task carries a state from batch to batch.
        """
        if not batch.batch.fresh:
            raise OptionError(
                f"the task {batch.name!r} carries a state from batch to batch; expected tasks that do not"
            )
        return self._tasks[batch.name].step(batch.batch, None, progress)

    def evaluate(self) -> Mapping[str, float]:
        """Return the figures of each task, by "name figure"; those of the first without its name."""
        figures: dict[str, float] = {}
        for number, (name, task) in enumerate(self._tasks.items()):
            for figure, value in task.evaluate().items():
                figures[f"{name} {figure}" if number else figure] = value
        return figures
