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
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, Unpack

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, brief
from firth.neural.layers.graphs import GraphAttention, GraphConvolution, Inputs
from firth.neural.models.graphs.data import UNKNOWN, Graph, Ints, WholeGraph, read_graph, read_labels
from firth.neural.models.graphs.predict import NodeModel
from firth.neural.supervised import SupervisedTask, digest, mean_loss
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.options import check, option, options_class
from firth.timing import running_clock


@explained
def train_graph_network(
    options: Any, edges: Any, features: Any, labels: Any, *, held_out: Any = None, **run: Unpack[RunArguments]
) -> NodeModel:
    """Learn the labels of the nodes of a graph, of which some are known.

    Args:
        options: `firth.GCN` or `firth.GAT`.
        edges: (N, N) weights, a SciPy sparse matrix or an array; of an undirected graph, symmetric.
        features: (N, D) sparse matrix or array; None if the nodes have none.
        labels: N labels, strings or whole numbers; None or a negative number for a node without one.
        held_out: numbers of nodes, or a mask of all, whose labels select the best epoch, and are not learned. Without
            them, the model of the last epoch is returned.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model.

    Raises:
        ArgumentTypeError: edges or features are not matrices of real numbers, or a label is not a string or number.
        ShapeError: the edges are not square, or a node lacks features or an entry in `labels`.
        CorpusError: no node has a label, or all have the same.
        OptionError: a weight is negative, a number is not finite, or held-out nodes have no labels.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    with running_clock():
        graph = read_graph(edges, features)
        names, numbers = read_labels(labels, graph.nodes)
        module, facts = fitted(options, graph, (names, numbers), read_held_out(held_out, numbers), config)
    return NodeModel(module, options, names, graph.dim, {"training": facts})


def fitted(
    options: Any,
    graph: Graph,
    labels: tuple[Sequence[str], Ints],
    held_out: Ints,
    config: RunConfig,
    *,
    by_loss: bool = False,
) -> tuple[Any, dict[str, Any]]:
    """Return a trained module, and the facts of its training.

    Held-out nodes select the model by their error, or `by_loss`; labels are those of `read_labels`.
    """
    names, numbers = labels
    rows = np.setdiff1d(np.flatnonzero(numbers != UNKNOWN), held_out)
    if not len(rows):
        raise CorpusError("all nodes with labels are held out; expected others to learn from")
    module: torch.nn.Module = new_module(config.seed, options.build, graph.dim, len(names), copies=2)
    truth, learned, selecting = map(torch.from_numpy, (numbers, rows, held_out))

    def losses(scores: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        chosen = scores[rows.to(scores.device)].float()
        return functional.cross_entropy(chosen, truth[rows].to(scores.device), reduction="none")

    def figures() -> dict[str, float]:
        if not len(held_out):
            return {}
        scores = module(graph.to(next(module.parameters()).device))
        wrong = scores[selecting.to(scores.device)].argmax(1).cpu() != truth[selecting]
        loss, error = float(losses(scores, selecting).mean(dtype=torch.float64)), float(wrong.double().mean())
        return {"loss": loss, "accuracy": 1 - error} if by_loss else {"error": error, "loss": loss}

    task = SupervisedTask(
        module=module,
        batches=WholeGraph(graph),
        loss=lambda batch, progress: mean_loss(losses(module(batch), learned)),
        figures=figures,
        unit="nodes",
        eval_predictions=len(held_out),
    )
    data = {"graph": graph.digest, "labels": digest(numbers, held_out), "nodes": graph.nodes}
    facts = {"labelled": len(rows), "held_out_nodes": len(held_out)}
    return module, fit_model(task, options, config, data, facts=facts)


def read_held_out(nodes: Any, labels: Ints) -> Ints:
    """Return the numbers of held-out nodes, given the (N,) labels of all."""
    try:
        rows = np.asarray([] if nodes is None else nodes)
    except ValueError:  # lists of several lengths
        raise OptionError(f"held_out={brief(nodes)}: expected numbers of nodes") from None
    if rows.dtype == bool and rows.shape == labels.shape:
        rows = np.flatnonzero(rows)
    if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu"):
        raise OptionError(f"held_out={brief(nodes)}: expected numbers of nodes")
    rows = rows.astype(np.int64)
    if rows.size and not 0 <= rows.min() <= rows.max() < len(labels):
        raise OptionError(f"held_out: nodes {rows.min():,} to {rows.max():,}; expected 0 to {len(labels) - 1:,}")
    if (labels[rows] == UNKNOWN).any():
        raise OptionError(f"held_out: node {rows[labels[rows] == UNKNOWN][0]:,} has no label; expected one each")
    return np.unique(rows)


class GraphModule(nn.Module):
    """Layers with an activation between them."""

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
    """Options of a graph network: what all kinds have."""

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
        return GraphModule([GraphConvolution(*ends, self.dropout) for ends in pairwise(widths)], functional.relu)


@options_class
class GAT(GraphOptions):
    """Graph attention network.

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
