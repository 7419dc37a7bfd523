"""Graph networks for the labels of nodes: convolutions (GCN) and attention (GAT).

What
    Layers over a graph, in which each node reads its neighbours; the last one gives the scores of labels. All nodes are
    read, with labels or without; only those with labels have a loss.
Objective
    GCN  Z = A~ relu(A~ X W_1 + b_1) W_2 + b_2;   GAT  the same with attention in place of A~, and elu
    L = - mean over nodes i with a label y_i of log softmax(Z_i)[y_i]
Source
    Kipf and Welling 2017, section 3, equations 9 and 10; Velickovic et al. 2018, section 3.3.
Departures
    Weight decay is that of the optimiser, on all matrices; in the papers it is a penalty, for GCN on those of the first
    layer. The last layer of GAT has one head by default, as for Cora in the paper.
Cost
    See `firth.neural.layers.graphs`.
"""

import abc
from itertools import pairwise
from typing import Any, ClassVar

import torch
from torch import nn
from torch.nn import functional

from firth.neural.layers.graphs import GraphAttention, GraphConvolution, Inputs
from firth.neural.models.graphs.data import Graph
from firth.neural.models.graphs.train import train_graph_network
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class


class GraphModule(nn.Module):
    """Layers with an activation between them.

    Args:
        layers: over a graph and inputs.
        activation: of all but the last.
    """

    def __init__(self, layers: list[nn.Module], activation: Any) -> None:
        super().__init__()
        self.layers, self.activation = nn.ModuleList(layers), activation

    def forward(self, graph: Graph) -> torch.Tensor:
        """Return (N, L) scores of labels."""
        scores: torch.Tensor = self.layers[-1](graph.edges, self.hidden(graph))
        return scores

    def hidden(self, graph: Graph) -> Inputs:
        """Return what the last layer reads of the nodes, (N, H)."""
        x: Inputs = graph.features
        for layer in self.layers[:-1]:
            x = self.activation(layer(graph.edges, x))
        return x


@options_class
class GraphOptions(abc.ABC):
    """Options of a graph network: what all kinds have.

    Raises:
        OptionError: an option is out of its range.
    """

    train = train_graph_network
    training: ClassVar[TrainingOptions]

    layers: int = option(2, "number of layers", minimum=1, maximum=100)
    dropout: float = option(0.5, "dropout of the inputs of each layer", minimum=0, maximum=0.99)

    def __post_init__(self) -> None:
        check(self)

    @abc.abstractmethod
    def build(self, dim: int, labels: int) -> GraphModule:
        """Return a module with random parameters from torch's default generator, for D features and L labels."""


@options_class
class GCN(GraphOptions):
    """Graph convolutional network.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Kipf and Welling 2017; the module's docstring has the formula and every departure.
    """

    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=200, batch_size=1, optimiser="adam", lr=0.01, weight_decay=0.0005
    )

    hidden: int = option(16, "width of the layers between features and labels", minimum=1)

    def build(self, dim: int, labels: int) -> GraphModule:
        """Return a module; see `GraphOptions.build`."""
        widths = [dim, *[self.hidden] * (self.layers - 1), labels]
        return GraphModule([GraphConvolution(*each, self.dropout) for each in pairwise(widths)], functional.relu)


@options_class
class GAT(GraphOptions):
    """Graph attention network.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Velickovic et al. 2018; `firth.GCN` has the formula.
    """

    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=200, batch_size=1, optimiser="adam", lr=0.005, weight_decay=0.0005
    )

    hidden: int = option(8, "width of each head between features and labels", minimum=1)
    heads: int = option(8, "heads between features and labels, whose outputs stand side by side", minimum=1)
    output_heads: int = option(1, "heads of the last layer, of which the mean is taken", minimum=1)
    dropout: float = option(0.6, "dropout of the inputs of each layer, and of the attention", minimum=0, maximum=0.99)

    def build(self, dim: int, labels: int) -> GraphModule:
        """Return a module; see `GraphOptions.build`."""
        inner = self.hidden * self.heads
        layers: list[nn.Module] = [
            GraphAttention(width, self.hidden, heads=self.heads, dropout=self.dropout)
            for width in [dim, *[inner] * (self.layers - 2)][: self.layers - 1]
        ]
        width = inner if layers else dim
        last = GraphAttention(width, labels, heads=self.output_heads, dropout=self.dropout, join=False)
        return GraphModule([*layers, last], functional.elu)
