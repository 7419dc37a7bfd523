"""Labels of nodes: the task of models of trees."""

from collections.abc import Mapping

import torch

from firth.neural.layers.state import State
from firth.neural.models.texts.data import LabelBatch
from firth.neural.models.texts.task import best_labels, cross_entropy
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class TreeTask:
    """A module with its trees; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        batches: `LabelBatch`es of `TreeInputs` to train on.
        held_out: batches that select the model.
        predictions: targets in `held_out`.
        by_error: whether the error at roots selects the model, as for labels, or the cross entropy, as for scores.

    Attributes:
        module: as given.
        batches: as given.
        unit: "nodes".
        eval_predictions: as given.
    """

    def __init__(
        self, module: torch.nn.Module, batches: Batches, held_out: Batches, *, predictions: int, by_error: bool = True
    ) -> None:
        self.module, self.batches, self.unit = module, batches, "nodes"
        self._held_out, self.eval_predictions, self._by_error = held_out, predictions, by_error

    def step(self, batch: LabelBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean cross entropy of the labelled nodes of a batch; see `Task.step`."""
        losses = cross_entropy(self.module(batch.inputs), batch.targets)  # (R,)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per node, and the shares of nodes and of roots whose label is missed.

        The roots select the model, as in Tai et al. 2015; all nodes where no root has a label.
        """
        device = next(self.module.parameters()).device
        loss, right, right_roots, count, roots = 0.0, 0, 0, 0, 0
        for batch in self._held_out.epoch(0):
            on_device = batch.to(device)
            scores, targets = self.module(on_device.inputs).float(), on_device.targets
            at = torch.nonzero(on_device.inputs.is_root[: len(targets)]).flatten()  # second trees of pairs follow
            loss += cross_entropy(scores, targets).sum(dtype=torch.float64).item()
            right += best_labels(scores, targets)
            right_roots += best_labels(scores[at], targets[at])
            count, roots = count + len(targets), roots + len(at)
        if not self._by_error:
            return {"loss": loss / count}
        of_nodes = 1 - right / count
        return {"loss": loss / count, "error": 1 - right_roots / roots if roots else of_nodes, "node_error": of_nodes}
