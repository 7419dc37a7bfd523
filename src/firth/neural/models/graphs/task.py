"""Labels of the nodes of one graph: the task of graph networks."""

from collections.abc import Mapping

import torch
from torch.nn import functional

from firth.neural.layers.state import State
from firth.neural.models.graphs.data import Graph, Ints, WholeGraph
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput


class NodeTask:
    """A module with its graph; implements `firth.neural.training.task.Task`.

    Args:
        module: to train.
        graph: all nodes.
        labels: (N,) of all nodes.
        rows: nodes whose labels are learned.
        held_out: nodes that select the model; may be none.
        by_loss: whether they select by their cross entropy; else by their error.

    Attributes:
        module: as given.
        batches: the graph, once per epoch.
        unit: "nodes".
        eval_predictions: held-out nodes.
    """

    def __init__(
        self, module: torch.nn.Module, graph: Graph, labels: Ints, rows: Ints, held_out: Ints, *, by_loss: bool = False
    ) -> None:
        self.module, self.unit, self.eval_predictions, self._by_loss = module, "nodes", len(held_out), by_loss
        self.batches: Batches = WholeGraph(graph)
        self._graph = graph
        self._labels, self._rows, self._held_out = (torch.from_numpy(each) for each in (labels, rows, held_out))

    def step(self, batch: Graph, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mean cross entropy of the nodes whose labels are learned; see `Task.step`."""
        losses = self._losses(self.module(batch), self._rows)
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self) -> Mapping[str, float]:
        """Return the error, or accuracy, and the cross entropy of held-out nodes; nothing if there are none."""
        if not len(self._held_out):
            return {}
        device = next(self.module.parameters()).device
        scores = self.module(self._graph.to(device))
        wrong = scores[self._held_out.to(device)].argmax(1).cpu() != self._labels[self._held_out]
        loss = self._losses(scores, self._held_out).mean(dtype=torch.float64)
        error = float(wrong.double().mean())
        return {"loss": float(loss), "accuracy": 1 - error} if self._by_loss else {"error": error, "loss": float(loss)}

    def _losses(self, scores: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        chosen = scores[rows.to(scores.device)].float()
        return functional.cross_entropy(chosen, self._labels[rows].to(scores.device), reduction="none")
