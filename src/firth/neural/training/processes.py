"""Training in one process, or data parallel in several.

Each process has the whole model and a part of every batch. torch's `DistributedDataParallel` averages gradients,
weighted by each process's number of predictions, so that a step equals that of one process with the whole batch. The
inputs of decisions (losses, the clock, a request to stop) are summed or taken from the first process, so that all
processes decide alike.
"""

import contextlib
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import torch

from firth.errors import FirthError, MissingExtraError, OptionError
from firth.neural.layers.state import State
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import StepOutput, Task

Step = Callable[[Any, State, TrainingProgress], StepOutput]


class Group(Protocol):
    """The processes that train together, from the view of one of them.

    Attributes:
        rank: number of this process, from 0; the first shows progress, evaluates and writes.
        count: number of processes.
    """

    rank: int
    count: int

    def step_of(self, task: Task) -> Step:
        """Return `task.step`, wrapped so that gradients are averaged."""
        ...

    def backward(self, loss: torch.Tensor) -> None:
        """Compute gradients."""
        ...

    def totals(self, nats: torch.Tensor, predictions: int) -> tuple[torch.Tensor, int]:
        """Return the sums of a step's loss and predictions over all processes."""
        ...

    def agreed(self, seconds: float, stop: bool) -> tuple[float, bool]:
        """Return the first process's clock, and whether any process was asked to stop."""
        ...

    def broadcast(self, value: Any) -> Any:
        """Return the first process's value; JSON can represent it."""
        ...

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all processes, in the first; an empty list in the others."""
        ...


class SingleProcess:
    """A group of one; see `Group`."""

    rank, count = 0, 1

    def step_of(self, task: Task) -> Step:
        """Return `task.step`."""
        return task.step

    def backward(self, loss: torch.Tensor) -> None:
        """Compute gradients."""
        torch.autograd.backward(loss)

    def totals(self, nats: torch.Tensor, predictions: int) -> tuple[torch.Tensor, int]:
        """Return both."""
        return nats, predictions

    def agreed(self, seconds: float, stop: bool) -> tuple[float, bool]:
        """Return both."""
        return seconds, stop

    def broadcast(self, value: Any) -> Any:
        """Return the value."""
        return value

    def gather(self, value: Any) -> list[Any]:
        """Return the value in a list."""
        return [value]


class _StepModule(torch.nn.Module):
    """A task's step as a module: one forward pass covers all uses of parameters.

    Arguments and results are attributes, because torch's wrapper takes apart those of `forward`.
    """

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.module = task.module
        self.arguments: tuple[Any, ...] = ()
        self._step, self.output = task.step, StepOutput(torch.zeros(()), torch.zeros(()), 0)

    def forward(self) -> torch.Tensor:
        self.output = self._step(*self.arguments)
        return self.output.loss


class DistributedProcess:
    """One of several processes; see `Group`.

    Args:
        fabric: Lightning's, launched.
        asked: whether somebody asks this process to stop who cannot send it a signal.
    """

    def __init__(self, fabric: Any, asked: Callable[[], bool] = bool) -> None:
        self._fabric, self._asked = fabric, asked
        self.rank: int = fabric.global_rank
        self.count: int = fabric.world_size

    def step_of(self, task: Task) -> Step:
        """Return `task.step` in torch's wrapper that averages gradients."""
        module = _StepModule(task)
        averaged = self._fabric.setup_module(module)

        def step(batch: Any, state: State, progress: TrainingProgress) -> StepOutput:
            module.arguments = batch, state, progress
            loss = averaged()  # sets module.output
            return replace(module.output, loss=loss)

        return step

    def backward(self, loss: torch.Tensor) -> None:
        """Compute gradients and average them."""
        self._fabric.backward(loss)

    def totals(self, nats: torch.Tensor, predictions: int) -> tuple[torch.Tensor, int]:
        """Return the sums over all processes."""
        both = torch.stack([nats.double(), torch.tensor(float(predictions), dtype=torch.float64, device=nats.device)])
        both = self._sum(both)
        return both[0], int(both[1])

    def agreed(self, seconds: float, stop: bool) -> tuple[float, bool]:
        """Return the first process's clock, and whether any process was asked to stop."""
        mine = [seconds if self.rank == 0 else 0.0, float(stop or self._asked())]
        both = self._sum(torch.tensor(mine, dtype=torch.float64, device=self._fabric.device))
        return float(both[0]), bool(both[1] > 0)

    def broadcast(self, value: Any) -> Any:
        """Return the first process's value."""
        return self._fabric.broadcast(value)

    def gather(self, value: Any) -> list[Any]:
        """Return what each process has, in the first."""
        values: list[Any] | None = [None] * self.count if self.rank == 0 else None
        torch.distributed.gather_object(value, values)
        return values or []

    def _sum(self, numbers: torch.Tensor) -> torch.Tensor:
        total: torch.Tensor = self._fabric.all_reduce(numbers, reduce_op="sum")
        return total


def launch(work: Callable[[Group], None], count: int, device: torch.device, *, some_unused: bool = False) -> None:
    """Run a function in several processes at once and wait for all of them.

    On the CPU of Linux the processes are forks of this one. Elsewhere they are new processes: `pickle` must be able to
    send `work`, and the program must be importable (`if __name__ == "__main__":`).

    Args:
        work: called in each process with its group.
        some_unused: whether the loss of a step may leave out parameters.

    Raises:
        OptionError: there are fewer GPUs.
    """
    available = torch.cuda.device_count() if device.type == "cuda" else count
    if available < count:
        raise OptionError(
            f"processes={count}: there are {available} GPUs, expected one per process; use processes="
            f"{max(available, 1)}"
        )
    start = "fork" if device.type == "cpu" and sys.platform == "linux" else "spawn"
    fabric = _fabric(device, some_unused, {"devices": count}, start_method=start)
    failure = fabric.launch(_run_in_process, work)
    if failure is not None:
        raise failure


def group_of_one_per_machine(
    rank: int, count: int, device: torch.device, asked: Callable[[], bool], *, some_unused: bool = False
) -> Group:
    """Return the group of a process that others have started, each with a device of its own.

    The environment has the address where all meet: MASTER_ADDR and MASTER_PORT.

    Args:
        rank: number of this process, from 0.
        asked: whether somebody asks this process to stop.
        some_unused: whether the loss of a step may leave out parameters.
    """
    from lightning_fabric.plugins.environments.lightning import LightningEnvironment

    os.environ.update({"NODE_RANK": str(rank), "LOCAL_RANK": "0"})  # each process counts as a machine
    fabric = _fabric(
        device, some_unused, {"devices": 1, "num_nodes": count}, cluster_environment=LightningEnvironment()
    )
    fabric.launch()
    return DistributedProcess(fabric, asked)


def check_fabric() -> None:
    """Check that several processes can train together.

    Raises:
        MissingExtraError: `lightning-fabric` is not installed.
    """
    try:
        import lightning_fabric  # noqa: F401 -- only whether it is there
    except ImportError as error:
        raise MissingExtraError("lightning-fabric", "distributed", "train in several processes") from error


def _fabric(device: torch.device, some_unused: bool, shape: dict[str, Any], **settings: Any) -> Any:
    check_fabric()
    from lightning_fabric import Fabric
    from lightning_fabric.strategies.ddp import DDPStrategy

    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it reports the start of each process
    strategy = DDPStrategy(find_unused_parameters=some_unused, **settings)
    return Fabric(accelerator=device.type, strategy=strategy, **shape)


def _run_in_process(fabric: Any, work: Callable[[Group], None]) -> FirthError | OSError | None:
    # An exception that leaves a process reaches its parent as text; one that is returned keeps its type.
    try:
        work(DistributedProcess(fabric))
    except (FirthError, OSError) as error:
        return error
    finally:
        with contextlib.suppress(Exception):
            torch.distributed.destroy_process_group()
    return None


def working_processes() -> list[int]:
    """Return the process ids of running processes that this one has launched."""
    return [child.pid for child in multiprocessing.active_children() if child.pid is not None]
