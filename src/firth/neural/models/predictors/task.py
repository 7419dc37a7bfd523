"""The probability of a text, summed over its segmentations and predictors, as a task."""

from collections.abc import Mapping

import torch

from firth.neural.layers.state import State
from firth.neural.models.predictors.data import Example, RecordBatch
from firth.neural.models.predictors.module import PredictorModule
from firth.neural.structs.segmentations import segments_total
from firth.neural.structs.semirings import LOG
from firth.neural.training.batching import Buckets
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class PredictorTask:
    """A network with its records; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: training data.
        held_out: records that select the model.

    Attributes:
        module, batches: as given.
        unit: "bytes".
        eval_predictions: bytes of the held-out texts, with their ends.
    """

    def __init__(self, module: PredictorModule, batches: Buckets[Example], held_out: Buckets[Example]) -> None:
        self.module: torch.nn.Module = module
        self.batches: Batches = batches
        self.unit, self._held_out = "bytes", held_out
        self.eval_predictions = int(held_out.lengths.sum()) + len(held_out.lengths)

    def step(self, batch: RecordBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss per byte; see `Task.step`."""
        total, count = self._loss(batch), int(batch.lengths.sum())
        return StepOutput((total / count).float(), total.detach(), count)

    def evaluate(self) -> Mapping[str, float]:
        """Return the mean loss in nats per byte."""
        device = next(self.module.parameters()).device
        total = sum(float(self._loss(batch.to(device))) for batch in self._held_out.epoch(0))
        return {"loss": total / self.eval_predictions}

    def _loss(self, batch: RecordBatch) -> torch.Tensor:
        return -segments_total(self.module(batch), LOG).sum()
