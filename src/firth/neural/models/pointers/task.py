"""Pointing at positions: the task of pointer networks."""

from collections.abc import Mapping

import torch

from firth.neural.layers.state import State
from firth.neural.models.pointers.data import PointerBatch
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class PointerTask:
    """A module with its examples; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `PointerBatch`es to train on.
        held_out: batches that select the model.
        predictions: targets in `held_out`, ends included.

    Attributes:
        module: as given.
        batches: as given.
        unit: "positions".
        eval_predictions: as given.
    """

    def __init__(self, module: torch.nn.Module, batches: Batches, held_out: Batches, *, predictions: int) -> None:
        self.module, self.batches, self.unit = module, batches, "positions"
        self._held_out, self.eval_predictions = held_out, predictions

    def step(self, batch: PointerBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean cross entropy of a batch; see `Task.step`."""
        losses = self._losses(batch)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per position, each given the true ones before it."""
        device = next(self.module.parameters()).device
        losses = [self._losses(batch.to(device)) for batch in self._held_out.epoch(0)]
        return {"loss": sum(float(each.sum(dtype=torch.float64)) for each in losses) / self.eval_predictions}

    def _losses(self, batch: PointerBatch) -> torch.Tensor:
        log_probs: torch.Tensor = self.module(batch.inputs, batch.lengths, batch.targets)
        return -log_probs[batch.counted]
