"""Labels of texts: the task of every model of this folder, and of other encoders with the same batches."""

from collections.abc import Mapping

import torch
from torch.nn.functional import log_softmax

from firth.neural.layers.state import State
from firth.neural.models.texts.data import LabelBatch
from firth.neural.models.texts.module import LabelModule
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class LabelTask:
    """A module with its examples; implements `firth.neural.training.task.Task`.

    Args:
        module: to train; it returns (R, L) scores of the inputs of a batch with R targets.
        batches: `LabelBatch`es to train on.
        held_out: batches that select the model.
        predictions: targets in `held_out`.
        by_error: whether the error selects the model, as for labels, or the cross entropy, as for scores.

    Attributes:
        module: as given.
        batches: as given.
        unit: "texts".
        eval_predictions: as given.
    """

    def __init__(
        self, module: torch.nn.Module, batches: Batches, held_out: Batches, *, predictions: int, by_error: bool = True
    ) -> None:
        self.module, self.batches, self.unit = module, batches, "texts"
        self._held_out, self.eval_predictions, self._by_error = held_out, predictions, by_error

    def step(self, batch: LabelBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean cross entropy of a batch; see `Task.step`."""
        if isinstance(self.module, LabelModule):
            self.module.encoder.advance(progress)
        losses = cross_entropy(self.module(batch.inputs), batch.targets)  # (R,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per target and, for labels, the share of targets whose label is missed.

        The cross entropy of labels rises again while the error still falls: Kim 2014 selects models by accuracy, too.
        """
        device = next(self.module.parameters()).device
        loss, right, count = 0.0, 0, 0
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            scores, targets = self.module(on_device.inputs).float(), on_device.targets
            loss += cross_entropy(scores, targets).sum(dtype=torch.float64).item()
            right += best_labels(scores, targets)
            count += len(targets)
        return {"loss": loss / count, **({"error": 1 - right / count} if self._by_error else {})}


def best_labels(scores: torch.Tensor, targets: torch.Tensor) -> int:
    """Return how many of R targets, (R, L), have the label with the highest of (R, L) scores as their best."""
    chosen = targets.gather(1, scores.argmax(1, keepdim=True)).squeeze(1)
    return int((chosen == targets.amax(1)).sum())


def cross_entropy(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return (R,) cross entropies in nats between (R, L) distributions and the softmax of (R, L) scores."""
    return -(targets * log_softmax(scores, 1)).sum(1)
