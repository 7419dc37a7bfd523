"""Layers of graph networks: each node takes the mean, or an attention-weighted mean, of its neighbours.

What
    A graph is a sparse matrix over its nodes; a row has the neighbours of a node, itself among them.
Objective
    convolution  h_i = sum_j A_ij W x_j + b                                              for a matrix A
    attention    h_i = sum_j softmax_j(leaky(u . W x_i + v . W x_j)) W x_j + b           over the neighbours j of i,
    one W, u and v per head, whose outputs stand side by side
Source
    Kipf and Welling 2017, "Semi-Supervised Classification with Graph Convolutional Networks", equation 2; Velickovic et
    al. 2018, "Graph Attention Networks", equations 1 to 5.
Cost
    E D' multiplications for E edges, and N D D' for W; of sparse inputs, D' per number that is not 0.
"""

import warnings
from typing import Any, NamedTuple

import torch
from torch import nn

from firth.neural.layers.dropout import Dropout

SLOPE = 0.2  # of leaky, below 0

with warnings.catch_warnings():  # torch says once that sparse matrices in rows may change
    warnings.simplefilter("ignore")
    torch.zeros(1, 1).to_sparse_csr()


class SparseMatrix(NamedTuple):
    """A fixed sparse matrix and its transpose, for products with dense ones.

    Attributes:
        matrix: (N, M) CSR.
        transposed: (M, N) CSR.
        order: (E,) int64, the place in `matrix` of each of the numbers of `transposed`.
    """

    matrix: torch.Tensor
    transposed: torch.Tensor
    order: torch.Tensor

    @classmethod
    def of(cls, matrix: torch.Tensor) -> "SparseMatrix":
        """Return it for an (N, M) sparse tensor of any layout."""
        if matrix.layout is not torch.sparse_csr:
            matrix = matrix.to_sparse_coo().coalesce().to_sparse_csr()  # type: ignore[no-untyped-call]  # of torch
        (N, M), starts, columns = matrix.shape, matrix.crow_indices(), matrix.col_indices()
        rows = torch.repeat_interleave(torch.arange(N, device=starts.device), starts.diff())
        order = columns.argsort(stable=True)  # of a column, its rows stay in order
        begins = torch.zeros(M + 1, dtype=starts.dtype, device=starts.device)
        begins[1:] = columns.bincount(minlength=M).cumsum(0)
        transposed = torch.sparse_csr_tensor(
            begins, rows[order], matrix.values()[order], (M, N), check_invariants=False
        )  # fmt: skip
        return cls(matrix, transposed, order)

    def to(self, device: torch.device) -> "SparseMatrix":
        """Return it on a device."""
        return SparseMatrix(*(part.to(device) for part in self))

    def scaled(self, factors: torch.Tensor) -> "SparseMatrix":
        """Return it with each of its numbers, in the order of the rows, times a factor."""
        values = self.matrix.values() * factors
        return SparseMatrix(_with(self.matrix, values), _with(self.transposed, values[self.order]), self.order)

    def __matmul__(self, dense: torch.Tensor) -> torch.Tensor:
        """Return the (N, D) product with an (M, D) tensor, to which gradients pass."""
        product: torch.Tensor = _Product.apply(dense, self.matrix, self.transposed)  # type: ignore[no-untyped-call]  # torch gives it no types
        return product


def _with(matrix: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return a CSR matrix with other numbers in the same places."""
    return torch.sparse_csr_tensor(
        matrix.crow_indices(), matrix.col_indices(), values, matrix.shape, check_invariants=False
    )


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, dense: torch.Tensor, matrix: torch.Tensor, transposed: torch.Tensor) -> torch.Tensor:
        context.transposed = transposed
        return torch.mm(matrix, dense)

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return torch.mm(context.transposed, gradients[0]), None, None


Inputs = torch.Tensor | SparseMatrix


class Projection(nn.Module):
    """Dropout and a matrix for the inputs of nodes, dense or sparse.

    Args:
        width_in: D.
        width: D'.
        dropout: rate, of numbers that are not 0.
    """

    def __init__(self, width_in: int, width: int, dropout: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width_in, width))
        nn.init.xavier_uniform_(self.weight)
        self.dropout = Dropout(dropout)

    def forward(self, x: Inputs) -> torch.Tensor:
        """Return (N, D') for (N, D)."""
        if isinstance(x, torch.Tensor):
            dense: torch.Tensor = self.dropout(x) @ self.weight
            return dense
        if self.training and self.dropout.mask.rate:
            x = x.scaled(self.dropout(torch.ones_like(x.matrix.values())))
        return x @ self.weight


class GraphConvolution(nn.Module):
    """Kipf and Welling's layer.

    Args:
        width_in: D.
        width: D'.
        dropout: rate, of the inputs.
    """

    def __init__(self, width_in: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.project = Projection(width_in, width, dropout)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, graph: SparseMatrix, x: Inputs) -> torch.Tensor:
        """Return (N, D') outputs.

        Args:
            graph: (N, N) A.
            x: (N, D) inputs of the nodes.
        """
        outputs: torch.Tensor = graph @ self.project(x) + self.bias
        return outputs


class GraphAttention(nn.Module):
    """Velickovic and others' layer.

    Args:
        width_in: D.
        dropout: rate, of the inputs and of the attention.
        join: whether the outputs of heads stand side by side; else their mean is taken.
    """

    def __init__(self, width_in: int, width: int, *, heads: int = 1, dropout: float = 0.0, join: bool = True) -> None:
        super().__init__()
        self.heads, self.join = heads, join
        self.project = Projection(width_in, heads * width, dropout)
        self.own, self.others = (nn.Parameter(torch.empty(heads, width)) for _ in range(2))
        for part in (self.own, self.others):
            nn.init.xavier_uniform_(part)
        self.bias = nn.Parameter(torch.zeros(heads * width if join else width))
        self.dropout = Dropout(dropout)

    def weights(self, graph: SparseMatrix, projected: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return nodes, neighbours and (E, heads) weights of all edges; those of a node add up to 1.

        Args:
            graph: (N, N), whose numbers do not count.
            projected: (N, heads, D').
        """
        columns = graph.matrix.col_indices()
        sizes = graph.matrix.crow_indices().diff()
        rows = torch.repeat_interleave(torch.arange(len(sizes), device=columns.device), sizes)
        mine, theirs = (projected * self.own).sum(2), (projected * self.others).sum(2)
        scores = nn.functional.leaky_relu(mine[rows] + theirs[columns], SLOPE)
        index = rows[:, None].expand_as(scores)
        highest = scores.new_full(mine.shape, -torch.inf).scatter_reduce(0, index, scores, "amax")
        shares = (scores - highest.detach()[rows]).exp()
        totals = torch.zeros_like(mine).index_add(0, rows, shares)
        return rows, columns, shares / totals[rows]

    def forward(self, graph: SparseMatrix, x: Inputs) -> torch.Tensor:
        """Return (N, heads D') outputs, or (N, D') means.

        Args:
            graph: (N, N): which nodes are neighbours; each is its own.
            x: (N, D) inputs of the nodes.
        """
        projected = self.project(x).unflatten(1, (self.heads, -1))
        rows, columns, shares = self.weights(graph, projected)
        read = self.dropout(shares)[..., None] * projected[columns]
        sums = torch.zeros_like(projected).index_add(0, rows, read)
        return (sums.flatten(1) if self.join else sums.mean(1)) + self.bias
