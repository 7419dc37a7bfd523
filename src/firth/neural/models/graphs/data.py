"""Graphs of nodes with features and labels, as graph networks read them.

What
    Edges and features are SciPy sparse matrices or arrays. Each node becomes its own neighbour.
Objective
    A~ = D^-1/2 (A + I) D^-1/2 with D the row sums of A + I, for the weights A of the edges
Source
    Kipf and Welling 2017, section 2 (the renormalisation trick).
Departures
    Nodes that have themselves as neighbours keep that weight, to which 1 is added.
Cost
    Memory for the edges and the numbers that are not 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array, diags_array, eye_array, issparse

from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError, brief
from firth.finite import check_real, single_array
from firth.neural.layers.graphs import Inputs, SparseMatrix
from firth.neural.supervised import digest
from firth.neural.training.batching import TensorBatch
from firth.text.inputs import plain_labels

Ints = npt.NDArray[np.int64]
UNKNOWN = -1  # label of a node that has none
DENSE = 0.2  # features with a larger share of numbers that are not 0 are read as an array


@dataclass(frozen=True, eq=False)
class Graph(TensorBatch):
    """N nodes.

    Attributes:
        edges: (N, N) A~.
        features: (N, D).
        digest: of both.
    """

    edges: SparseMatrix
    features: Inputs
    digest: str

    @property
    def nodes(self) -> int:
        """N."""
        return int(self.edges.matrix.shape[0])

    @property
    def dim(self) -> int:
        """D."""
        features = self.features if isinstance(self.features, torch.Tensor) else self.features.matrix
        return int(features.shape[1])


@dataclass(frozen=True, eq=False)
class WholeGraph:
    """The one batch of each epoch: the graph; implements `firth.neural.training.task.Batches`."""

    graph: Graph

    def count(self, epoch: int) -> int:
        """Return 1."""
        return 1

    def epoch(self, number: int, start: int = 0) -> Iterator[Graph]:
        """Yield the graph, unless it is to be left out."""
        if not start:
            yield self.graph

    def shard(self, rank: int, of: int) -> "WholeGraph":
        """Return the graph: it is not divided.

        Raises:
            OptionError: there are several processes.
        """
        if of > 1:
            raise OptionError(f"processes={of}: a graph is one batch, which is not divided; expected 1")
        return self


def read_graph(edges: Any, features: Any, *, dim: int | None = None) -> Graph:
    """Return a graph, checked.

    Args:
        edges: (N, N) weights, a SciPy sparse matrix or an array; 0 where there is no edge.
        features: (N, D) sparse matrix or array; None for a unit of its own per node.
        dim: D, if it is known.
    """
    weights = _matrix(edges, "edges")
    n = weights.shape[0]
    if weights.shape[0] != weights.shape[1] or not n:
        made = "; of pairs of nodes, scipy.sparse.csr_array((weights, pairs), shape=(N, N))"
        hint = made if weights.shape[0] == 2 else ""
        raise ShapeError(f"edges of the shape {weights.shape}; expected (N, N) with one node at least{hint}")
    if weights.nnz and weights.data.min() < 0:
        # unlike nonzero(), these coordinates count explicit zeros, as the data do
        row, column = (int(nodes[np.argmin(weights.data)]) for nodes in weights.tocoo().coords)
        raise OptionError(f"edges: the weight from node {row:,} to {column:,} is negative; expected 0 or more")
    numbers = eye_array(n, format="csr", dtype=np.float32) if features is None else _matrix(features, "features")
    if numbers.shape[0] != n or not numbers.shape[1] or (dim is not None and numbers.shape[1] != dim):
        expected = f"({n:,}, {'D' if dim is None else format(dim, ',')})"
        hint = "" if numbers.shape[1] else "; None if the nodes have no features"
        raise ShapeError(f"features of the shape {numbers.shape}; expected {expected}, a row per node{hint}")
    propagation = normalised(weights)
    content = digest((matrix.indptr, matrix.indices, matrix.data) for matrix in (propagation, numbers))
    sparse = numbers.nnz < DENSE * numbers.shape[0] * numbers.shape[1]
    rows: Inputs = SparseMatrix.of(_tensor(numbers)) if sparse else torch.from_numpy(numbers.toarray())
    return Graph(SparseMatrix.of(_tensor(propagation)), rows, content)


def normalised(weights: csr_array) -> csr_array:
    """Return A~ of weights, (N, N) float32.

    Args:
        weights: (N, N), none negative.
    """
    closed = csr_array(weights + eye_array(weights.shape[0], format="csr"))
    scales = diags_array(closed.sum(axis=1) ** -0.5)
    return csr_array(scales @ closed @ scales).astype(np.float32)


def read_labels(
    labels: Any, nodes: int, names: Sequence[str] | None = None, *, what: str = "node"
) -> tuple[list[str], Ints]:
    """Return the names of labels, and the label of each node or `UNKNOWN`."""
    plain = plain_labels(labels, what=what)
    if len(plain) != nodes:
        hint = f"expected one per {what}, None where it is unknown"
        raise ShapeError(f"{len(plain):,} labels of {nodes:,} {what}s; {hint}")
    read = [None if label is None or (not isinstance(label, str) and label < 0) else str(label) for label in plain]
    present = {label for label in read if label is not None}
    if not present:
        raise CorpusError(f"no {what} has a label; expected some, and None or -1 for the others")
    if names is None:
        if len(present) < 2:
            raise CorpusError(f"all labels are {present.pop()!r}; expected two different ones at least")
        names = sorted(present)
    elif not present <= set(names):
        other = min(present - set(names))
        raise CorpusError(f"the label {other!r} is none of those that were learned: {', '.join(names)}")
    numbers = {name: number for number, name in enumerate(names)}
    return list(names), np.array([UNKNOWN if label is None else numbers[label] for label in read], dtype=np.int64)


def _matrix(values: Any, name: str) -> csr_array:
    expected = "a SciPy sparse matrix or an array of numbers"
    if issparse(values):
        _check_indices(values, name)
        check_real(name, values)
    if hasattr(values, "edges"):
        raise ArgumentTypeError(f"{name}: found {brief(values)}; expected its matrix: graph.edges")
    given: Any = values if issparse(values) else single_array(name, values, expected)
    try:
        matrix: csr_array = csr_array(given, dtype=np.dtype(np.float32))
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{name}: {error}; expected {expected}") from None
    if matrix.ndim != 2:
        raise ShapeError(f"{name} of the shape {matrix.shape}; expected a matrix")
    matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        raise OptionError(f"{name}: a number that is not finite")
    return matrix


def _check_indices(matrix: Any, name: str) -> None:
    """Check what SciPy checks only when a matrix is made: later changes would lead outside of its arrays."""
    if matrix.format == "coo":
        pairs = [(np.asarray(nodes), size) for nodes, size in zip(matrix.coords, matrix.shape, strict=True)]
    elif matrix.format in ("csr", "csc"):
        pairs = [(matrix.indices, matrix.shape[matrix.format == "csr"])]
    else:
        pairs = []
    for numbers, size in pairs:
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < size:
            raise ShapeError(
                f"{name}: indices from {numbers.min():,} to {numbers.max():,} in a matrix of the shape "
                f"{tuple(matrix.shape)}; expected from 0 to {size - 1:,}"
            )


def _tensor(matrix: csr_array) -> torch.Tensor:
    starts, columns = (torch.from_numpy(np.asarray(part, dtype=np.int64)) for part in (matrix.indptr, matrix.indices))
    shape, values = tuple(matrix.shape), torch.from_numpy(matrix.data)
    return torch.sparse_csr_tensor(starts, columns, values, shape, check_invariants=True)
