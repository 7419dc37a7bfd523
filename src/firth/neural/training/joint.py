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

import math
import numbers
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from firth.errors import KindError, OptionError, brief
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
        KindError: the tasks or the rates are no mapping.
        OptionError: there is no task, one has no batches or a name that a module cannot have, or a rate is missing,
            unknown or not positive.
    """

    def __init__(self, tasks: Mapping[str, Task], rates: Mapping[str, float] | None = None, *, seed: int = 0) -> None:
        counts = _checked_tasks(tasks)
        weights = counts if rates is None else _checked_rates(rates, list(tasks))
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


def _checked_tasks(tasks: Any) -> dict[str, float]:
    """Return the number of batches of each task.

    Raises:
        KindError: they are no mapping.
        OptionError: there is none, or one has no batches or a name that a module cannot have.
    """
    if not isinstance(tasks, Mapping):
        raise KindError(f'tasks: found {brief(tasks)}; expected tasks by name, such as {{"tag": task, "parse": other}}')
    if not tasks:
        raise OptionError("tasks: none given; expected one at least")
    modules = torch.nn.ModuleDict()
    for name, task in tasks.items():
        if not isinstance(name, str) or not name or "." in name or hasattr(modules, name):
            raise OptionError(
                f"tasks: the name {brief(name)}; expected a text without a full stop, and none of the names that "
                "PyTorch's modules have themselves, such as 'keys'"
            )
        if task.batches.count(0) < 1:
            raise OptionError(f"tasks: {name!r} has no batches; expected one at least, or leave it out")
    return {name: float(task.batches.count(0)) for name, task in tasks.items()}


def _checked_rates(rates: Any, names: list[str]) -> dict[str, float]:
    """Return the rate of each task, as a share of the highest: a sum of large ones would overflow.

    Raises:
        KindError: they are no mapping.
        OptionError: one is missing, unknown or not positive.
    """
    if not isinstance(rates, Mapping):
        raise KindError(f"rates: found {brief(rates)}; expected a number for each task: {', '.join(names)}")
    if set(rates) != set(names):
        raise OptionError(f"rates of {', '.join(map(str, rates))}; expected one of each task: {', '.join(names)}")
    for name in names:
        rate = rates[name]
        number = isinstance(rate, numbers.Real) and not isinstance(rate, bool)
        if not number or not math.isfinite(rate) or rate <= 0:
            raise OptionError(f"rates: {brief(rate)} of the task {name!r}; expected a positive number")
    highest = max(rates.values())
    return {name: float(rates[name] / highest) for name in names}
