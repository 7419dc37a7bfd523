"""The method `train` of graph networks: check the graph, create a module, run the training loop."""

import hashlib
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, brief
from firth.neural.models.graphs.data import UNKNOWN, Graph, Ints, read_graph, read_labels
from firth.neural.models.graphs.node_model import NodeModel
from firth.neural.models.graphs.task import NodeTask
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
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
        KindError: the edges or features are no matrices of real numbers, or a label is neither a string nor a number.
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
    judged: Ints,
    config: RunConfig,
    *,
    by_loss: bool = False,
) -> tuple[Any, dict[str, Any]]:
    """Return a trained module, and the facts of its training.

    Args:
        options: of the network.
        graph: all nodes.
        labels: names, and the label of each node, as `read_labels` returns them.
        judged: nodes that select the model.
        config: of the run.
        by_loss: whether these nodes select by their cross entropy; else by their error.

    Raises:
        CorpusError: all nodes with labels are held out.
        OptionError: the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    names, numbers = labels
    rows = np.setdiff1d(np.flatnonzero(numbers != UNKNOWN), judged)
    if not len(rows):
        raise CorpusError("all nodes with labels are held out; expected others to learn from")
    with new_parameters(config.seed, 2):
        module = options.build(graph.dim, len(names))
    task = NodeTask(module, graph, numbers, rows, judged, by_loss=by_loss)
    known = hashlib.blake2b(numbers.tobytes() + judged.tobytes(), digest_size=16).hexdigest()
    data = {"graph": graph.digest, "labels": known, "nodes": graph.nodes}
    facts = {"labelled": len(rows), "held_out_nodes": len(judged)}
    return module, fit_model(task, options, config, data, facts=facts)


def read_held_out(nodes: Any, labels: Ints) -> Ints:
    """Return the numbers of held-out nodes.

    Args:
        nodes: as for `train`.
        labels: (N,) of the nodes.

    Raises:
        OptionError: they are no numbers of nodes with labels.
    """
    try:
        found = np.asarray([] if nodes is None else nodes)
    except ValueError:  # lists of several lengths
        raise OptionError(f"held_out={brief(nodes)}: expected numbers of nodes") from None
    if found.dtype == bool and found.shape == labels.shape:
        found = np.flatnonzero(found)
    if found.size and (found.ndim != 1 or found.dtype.kind not in "iu"):
        raise OptionError(f"held_out={brief(nodes)}: expected numbers of nodes")
    found = found.astype(np.int64)
    if found.size and not 0 <= found.min() <= found.max() < len(labels):
        raise OptionError(f"held_out: nodes {found.min():,} to {found.max():,}; expected 0 to {len(labels) - 1:,}")
    if (labels[found] == UNKNOWN).any():
        raise OptionError(f"held_out: node {found[labels[found] == UNKNOWN][0]:,} has no label; expected one each")
    return np.unique(found)
