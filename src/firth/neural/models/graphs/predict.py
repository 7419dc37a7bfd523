"""A trained graph network: labels of the nodes of its graph, or of another with the same features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.evaluation.significance import wilson_interval
from firth.finite import check_finite
from firth.neural.models.graphs.data import UNKNOWN, read_graph, read_labels
from firth.neural.saved import SavedModel, names_field, size_field
from firth.neural.training.devices import new_module, no_subnormals


@dataclass(frozen=True)
class NodeScores:
    """How often the labels of nodes are right.

    Attributes:
        accuracy: share of nodes with the right label.
        low: lower bound of its 95 % interval (Wilson's).
        high: upper bound.
        nodes: number of nodes.
    """

    accuracy: float
    low: float
    high: float
    nodes: int

    @classmethod
    def of(cls, predicted: npt.NDArray[np.int64], labels: Any, names: Sequence[str], what: str) -> "NodeScores":
        """Compare (N,) predicted numbers of labels with the labels of N nodes, or of what they are called."""
        _, expected = read_labels(labels, len(predicted), names, what=what)
        labelled = expected != UNKNOWN
        right, count = int((predicted == expected)[labelled].sum()), int(labelled.sum())
        return cls(right / count, *wilson_interval(right, count), nodes=count)

    def __str__(self) -> str:
        return f"accuracy {self.accuracy:.3f} ({self.low:.3f} to {self.high:.3f}) of {self.nodes:,} nodes"


class NodeModel(SavedModel):
    """A trained graph network, as `firth.GCN(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the network.
        labels: L names.
        dim: D, width of the features.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-graph-model"
    what: ClassVar = "a graph network"
    saved_fields: ClassVar = (names_field("labels"), size_field("dim"))
    labels: list[str]
    dim: int

    def __repr__(self) -> str:
        return f"<NodeModel: {type(self.options).__name__}, {self.dim:,} features, {len(self.labels):,} labels>"

    def probabilities(self, edges: Any, features: Any) -> npt.NDArray[np.float32]:
        """Return the probabilities of the labels, (N, L) float32, whose rows add up to 1.

        Raises:
            ArgumentTypeError, ShapeError, OptionError: as `train`.
        """
        graph = read_graph(edges, features, dim=self.dim).to(self.device)
        with torch.no_grad(), no_subnormals():
            rows: npt.NDArray[np.float32] = self.module(graph).float().softmax(1).cpu().numpy()
        check_finite(rows, self, range(len(rows)), "node")
        return rows

    def predict(self, edges: Any, features: Any) -> list[str]:
        """Return the most probable label of each node.

        Raises:
            ArgumentTypeError, ShapeError, OptionError: as `train`.
        """
        return [self.labels[row] for row in self.probabilities(edges, features).argmax(1).tolist()]

    def test(self, edges: Any, features: Any, labels: Any) -> NodeScores:
        """Return how many nodes get their label.

        Args:
            labels: N labels; nodes without one do not count.

        Raises:
            CorpusError: no node has a label, or one is none that was learned.
            ArgumentTypeError, ShapeError, OptionError: as `train`.
        """
        return NodeScores.of(self.probabilities(edges, features).argmax(1), labels, self.labels, "node")

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        labels, dim = values
        module: torch.nn.Module = new_module(0, options.build, dim, len(labels))
        return module

    def _card(self) -> tuple[str, str, str]:
        return "Graph network", f" over {self.dim:,} features of nodes", "model.predict(edges, features)\n"
