"""The interface between the training loop and a task: batches, a loss for each, and figures on held-out data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from firth.neural.layers.state import State
from firth.neural.training.schedules import TrainingProgress


@dataclass(frozen=True)
class StepOutput:
    """Result of one training step.

    Attributes:
        loss: scalar to differentiate, usually the mean loss per prediction.
        nats: scalar float64 without gradients, the loss summed over the predictions of the step.
        predictions: their number.
        state: initial state of the next batch of the same stream; None if no state is carried.
    """

    loss: torch.Tensor
    nats: torch.Tensor
    predictions: int
    state: State = None


class Batch(Protocol):
    """Input of one training step."""

    @property
    def fresh(self) -> bool:
        """Whether the batch starts without a state."""
        ...

    @property
    def scale(self) -> float:
        """Factor on the learning rate for this batch, usually 1."""
        ...

    def to(self, device: torch.device) -> "Batch":
        """Return the batch with its tensors on a device."""
        ...


class Batches(Protocol):
    """Training data in an order that depends on the seed and the epoch only, so that a run can resume anywhere."""

    def count(self, epoch: int) -> int:
        """Return the number of batches of an epoch."""
        ...

    def epoch(self, number: int, start: int = 0) -> Iterator[Any]:
        """Yield the batches of an epoch (numbered from 0), without the first `start`."""
        ...

    def shard(self, rank: int, of: int) -> "Batches":
        """Return the part of each batch for process `rank` (from 0) `of` so many."""
        ...


class Task(Protocol):
    """A module with its data, as `firth.neural.training.loop.fit` trains it.

    Random draws in training must come from torch's default generator: a checkpoint saves its state. A generator of the
    module's own would start again when a run resumes.

    Attributes:
        module: the module to train.
        batches: training data.
        unit: what `StepOutput.predictions` counts, for display: "words".
        eval_predictions: predictions per evaluation; 0 without held-out data.
    """

    module: torch.nn.Module
    batches: Batches
    unit: str
    eval_predictions: int

    def step(self, batch: Any, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a batch.

        Args:
            batch: on the module's device; the module is in training mode.
            state: of the batch before; None if the batch is fresh.
            progress: position in the run, for objectives that change over time (KL annealing, scheduled sampling).
        """
        ...

    def evaluate(self) -> Mapping[str, float]:
        """Return figures on held-out data; "error" selects the best model, of equal errors "loss"; or "loss" alone.

        Figures without a loss select nothing. Without held-out data, return nothing.

        The module is in evaluation mode, without gradients, in the precision of training. Random draws do not change
        training.
        """
        ...
