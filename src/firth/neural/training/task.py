"""What the loop asks of whatever it trains: batches by their number, a loss for each, and a figure on held-out data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from firth.neural.layers.state import State


@dataclass(frozen=True)
class Outcome:
    """What one step gives.

    Attributes:
        objective: scalar that gradients start from, usually the mean loss of a prediction.
        nats: scalar float64 without gradients, the loss summed over the step's predictions.
        predictions: how many those are.
        state: what the next batch of the same stream starts from; None where nothing is carried.
    """

    objective: torch.Tensor
    nats: torch.Tensor
    predictions: int
    state: State = None


class Batch(Protocol):
    """A piece of data on its way to a module."""

    @property
    def fresh(self) -> bool:
        """Whether no state is carried into it."""
        ...

    @property
    def scale(self) -> float:
        """What the learning rate is multiplied by for it; 1 for most."""
        ...

    def to(self, device: torch.device) -> "Batch":
        """Return the batch with its tensors on a device."""
        ...


class Batches(Protocol):
    """Data in an order that a seed, the epoch and the place in it decide alone, so that a run can go on anywhere."""

    def count(self, epoch: int) -> int:
        """Return how many batches an epoch has."""
        ...

    def epoch(self, number: int, start: int = 0) -> Iterator[Any]:
        """Yield the batches of an epoch from one of them on.

        Args:
            number: of the epoch, from 0.
            start: the batches to leave out.
        """
        ...

    def shard(self, rank: int, of: int) -> "Batches":
        """Return the part of each batch that one of several processes trains on.

        Args:
            rank: of the process, from 0.
            of: how many processes there are.
        """
        ...


class Task(Protocol):
    """A module with its data: what `firth.neural.training.loop.fit` trains.

    What a module draws at random in training comes from torch's own generator, whose state a checkpoint keeps; a
    generator of the module's own would start anew when a run goes on.

    Attributes:
        module: whose parameters learn.
        batches: what they learn from.
        unit: what `Outcome.predictions` counts, for display: "words".
        judged: predictions that an evaluation makes; 0 where there is no held-out data.
    """

    module: torch.nn.Module
    batches: Batches
    unit: str
    judged: int

    def step(self, batch: Any, state: State) -> Outcome:
        """Return the loss of a batch, the module in training mode; `state` is None for a fresh batch."""
        ...

    def evaluate(self) -> Mapping[str, float]:
        """Return figures on held-out data, the module in evaluation mode; "loss" is what the best is chosen by.

        An empty mapping where there is no held-out data. It is called without gradients, and in the precision that the
        model is trained in; what it draws at random leaves training as it was.
        """
        ...
