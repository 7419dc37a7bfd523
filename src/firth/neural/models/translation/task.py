"""Translation as a task: the loss of each target token, given the source and the true tokens before."""

from collections.abc import Mapping

import torch

from firth.neural.layers.state import State
from firth.neural.models.translation.data import PairBatch
from firth.neural.models.translation.module import TranslationModule
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class TranslationTask:
    """A module with its pairs; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `PairBatch`es to train on.
        held_out: batches that select the model.
        predictions: target tokens in `held_out`, ends included.

    Attributes:
        module: as given.
        batches: as given.
        unit: "tokens".
        eval_predictions: as given.
    """

    def __init__(self, module: TranslationModule, batches: Batches, held_out: Batches, *, predictions: int) -> None:
        self.module: torch.nn.Module = module
        self._net = module
        self.batches, self.unit = batches, "tokens"
        self._held_out, self.eval_predictions = held_out, predictions

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch; see `Task.step`."""
        losses = self._net.output.loss(*self._net(batch))
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per token, without label smoothing, each given the true ones before it."""
        device = next(self.module.parameters()).device
        nats = 0.0
        for batch in self._held_out.epoch(0):
            hidden, targets = self._net(batch.to(device))
            output = self._net.output
            losses = -output.log_prob_of(hidden, targets) if output.normalised else output.loss(hidden, targets)
            nats += float(losses.sum(dtype=torch.float64))
        return {"loss": nats / self.eval_predictions}
