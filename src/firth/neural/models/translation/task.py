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
        coverage_from: share of the run after which coverage and its loss are used.

    Attributes:
        module: as given.
        batches: as given.
        unit: "tokens".
        eval_predictions: as given.
    """

    def __init__(
        self,
        module: TranslationModule,
        batches: Batches,
        held_out: Batches,
        *,
        predictions: int,
        coverage_from: float = 0.0,
    ) -> None:
        self.module: torch.nn.Module = module
        self._net = module
        self.batches, self.unit = batches, "tokens"
        self._held_out, self.eval_predictions, self._coverage_from = held_out, predictions, coverage_from

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean loss of a batch; see `Task.step`."""
        covering = progress.fraction >= self._coverage_from
        self._net.cover(covering)
        losses, covered = self._net.losses(batch)
        losses = losses + covered if covering else losses
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per token, without label smoothing, each given the true ones before it.

        The coverage loss is added, also before it is trained, so that models are compared by one objective.
        """
        device = next(self.module.parameters()).device
        nats = 0.0
        for batch in self._held_out.epoch(0):
            losses, covered = self._net.losses(batch.to(device), exact=True)
            nats += float((losses + covered).sum(dtype=torch.float64))
        return {"loss": nats / self.eval_predictions}
