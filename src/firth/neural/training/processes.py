"""One process that trains alone, or several that each take their part of every batch.

Each of several has the whole model and a share of the sequences. Gradients are averaged by torch's own
`DistributedDataParallel`, weighted by what each predicted: the step is that of one process with the whole batch. What a
run decides by (losses, the clock, a wish to stop) is summed or taken from the first, so that all decide alike.
"""

import contextlib
import logging
import multiprocessing
from collections.abc import Callable
from typing import Any, Protocol

import torch

from firth.errors import FirthError, MissingExtraError, OptionError
from firth.neural.layers.state import State
from firth.neural.training.task import Outcome, Task

Step = Callable[[Any, State], Outcome]


class Group(Protocol):
    """The processes that train together, as one of them sees them.

    Attributes:
        rank: this one's number, from 0; the first shows progress, evaluates and writes.
        count: how many there are.
    """

    rank: int
    count: int

    def step_of(self, task: Task) -> Step:
        """Return `task.step`, with gradients that are shared when they go back."""
        ...

    def backward(self, objective: torch.Tensor) -> None:
        """Let gradients go back from an objective."""
        ...

    def totals(self, nats: torch.Tensor, predictions: int) -> tuple[torch.Tensor, int]:
        """Return the sums over all processes of a step's loss and predictions."""
        ...

    def agreed(self, seconds: float, stop: bool) -> tuple[float, bool]:
        """Return the first process's clock, and whether any process was asked to stop."""
        ...

    def told(self, value: Any) -> Any:
        """Return the first process's value of something that JSON holds."""
        ...

    def gathered(self, value: Any) -> list[Any]:
        """Return what each process has, in the first; an empty list in the others."""
        ...


class Alone:
    """A process that trains alone; see `Group`."""

    rank, count = 0, 1

    def step_of(self, task: Task) -> Step:
        """Return `task.step`."""
        return task.step

    def backward(self, objective: torch.Tensor) -> None:
        """Let gradients go back."""
        torch.autograd.backward(objective)

    def totals(self, nats: torch.Tensor, predictions: int) -> tuple[torch.Tensor, int]:
        """Return both."""
        return nats, predictions

    def agreed(self, seconds: float, stop: bool) -> tuple[float, bool]:
        """Return both."""
        return seconds, stop

    def told(self, value: Any) -> Any:
        """Return the value."""
        return value

    def gathered(self, value: Any) -> list[Any]:
        """Return the value in a list."""
        return [value]


class _Step(torch.nn.Module):
    """A task's step as a module, so that all it does with parameters is inside one forward pass.

    What goes in and comes out passes by as attributes: wrappers of modules take arguments and results apart.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.module = task.module
        self.given: tuple[Any, State] = (None, None)
        self._step, self.outcome = task.step, Outcome(torch.zeros(()), torch.zeros(()), 0)

    def forward(self) -> torch.Tensor:
        self.outcome = self._step(*self.given)
        return self.outcome.objective


class Together:
    """One of several processes; see `Group`.

    Args:
        fabric: Lightning's, launched.
    """

    def __init__(self, fabric: Any) -> None:
        self._fabric = fabric
        self.rank: int = fabric.global_rank
        self.count: int = fabric.world_size

    def step_of(self, task: Task) -> Step:
        """Return `task.step` within torch's wrapper that averages gradients."""
        inner = _Step(task)
        wrapped = self._fabric.setup_module(inner)

        def step(batch: Any, state: State) -> Outcome:
            inner.given = batch, state
            objective = wrapped()
            out = inner.outcome
            return Outcome(objective, out.nats, out.predictions, out.state)

        return step

    def backward(self, objective: torch.Tensor) -> None:
        """Let gradients go back, and be averaged on the way."""
        self._fabric.backward(objective)

    def totals(self, nats: torch.Tensor, predictions: int) -> tuple[torch.Tensor, int]:
        """Return the sums over all processes."""
        both = torch.stack([nats.double(), torch.tensor(float(predictions), dtype=torch.float64, device=nats.device)])
        both = self._sum(both)
        return both[0], int(both[1])

    def agreed(self, seconds: float, stop: bool) -> tuple[float, bool]:
        """Return the first process's clock, and whether any process was asked to stop."""
        mine = [seconds if self.rank == 0 else 0.0, float(stop)]
        both = self._sum(torch.tensor(mine, dtype=torch.float64, device=self._fabric.device))
        return float(both[0]), bool(both[1] > 0)

    def told(self, value: Any) -> Any:
        """Return the first process's value."""
        return self._fabric.broadcast(value)

    def gathered(self, value: Any) -> list[Any]:
        """Return what each process has, in the first."""
        values: list[Any] | None = [None] * self.count if self.rank == 0 else None
        torch.distributed.gather_object(value, values)
        return values or []

    def _sum(self, numbers: torch.Tensor) -> torch.Tensor:
        summed: torch.Tensor = self._fabric.all_reduce(numbers, reduce_op="sum")
        return summed


def launch(work: Callable[[Group], None], count: int, device: torch.device) -> None:
    """Run something in several processes at once, and wait for them all.

    On a processor they are copies of this one; with GPUs, new ones, for which everything in `work` must be such that
    `pickle` can send it, and the program must be importable (`if __name__ == "__main__":`).

    Args:
        work: called in each, with its group.
        count: how many.
        device: what kind each has for itself.

    Raises:
        MissingExtraError: `lightning-fabric` is not installed.
        OptionError: there are fewer GPUs.
        FirthError: what `work` raised in the first.
    """
    try:
        from lightning_fabric import Fabric
    except ImportError as error:
        raise MissingExtraError("lightning-fabric", "distributed", "train in several processes") from error
    found = torch.cuda.device_count() if device.type == "cuda" else count
    if found < count:
        raise OptionError(
            f"processes={count}: there are {found} GPUs, expected one each; use processes={max(found, 1)}"
        )
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it tells of each process that starts
    strategy = "ddp_spawn" if device.type == "cuda" else "ddp_fork"
    fabric: Any = Fabric(accelerator=device.type, devices=count, strategy=strategy)
    trouble = fabric.launch(_working, work)
    if trouble is not None:
        raise trouble


def _working(fabric: Any, work: Callable[[Group], None]) -> FirthError | OSError | None:
    # An exception that leaves a process comes to its parent as a text; one that is returned comes as it is.
    try:
        work(Together(fabric))
    except (FirthError, OSError) as error:
        return error
    finally:
        with contextlib.suppress(Exception):
            torch.distributed.destroy_process_group()
    return None


def working_processes() -> list[int]:
    """Return the process ids of the processes that this one has launched and that are at work."""
    return [child.pid for child in multiprocessing.active_children() if child.pid is not None]
