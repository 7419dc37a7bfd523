"""Tree-LSTM: the state of a node from its word and its children's states.

What
    Child-sum cells, for trees of dependencies: any number of children, whose order does not matter. N-ary cells, for
    trees of constituents: at most K children in order, each with matrices of its own. A batch of trees is computed
    level by level (`layers.tree_levels`).
Objective
    With x_j the vector of the word at node j (0 without one), and k, l its children:

        child-sum   h~_j = sum_k h_k
                    u, i, o = tanh, sigma, sigma(W x_j + U h~_j + b);   f_jk = sigma(W_f x_j + U_f h_k + b_f)
        N-ary       u, i, o = tanh, sigma, sigma(W x_j + sum_l U_l h_jl + b)
                    f_jk = sigma(W_f x_j + sum_l U_kl h_jl + b_f)
        both        c_j = i * u + sum_k f_jk * c_k;   h_j = o * tanh(c_j)
Source
    Tai, Socher and Manning 2015, "Improved semantic representations from tree-structured long short-term memory
    networks", equations 2 to 8 (child-sum) and 9 to 14 (N-ary).
Departures
    The equations as written: a leaf is a node without children. The authors' program gives leaves of constituents a
    cell of their own. In half precision only the products of the inputs are.
Cost
    Per node 4 H D multiplications for its word, and (3 + K) K H^2 (N-ary) or 3 H^2 and H^2 per child (child-sum).
"""

import math

import torch
from torch import nn
from torch.nn.functional import linear

from firth.errors import OptionError, ShapeError
from firth.neural.layers.tree_levels import TreeLevels
from firth.neural.layers.tree_recurrence import run_child_sum, run_nary

KINDS = ("child-sum", "n-ary")


class TreeLstm(nn.Module):
    """A Tree-LSTM.

    Args:
        kind: "child-sum" or "n-ary".
        width_in: D, width of word vectors.
        hidden: H, width of the states.
        max_children: K, of an n-ary node.

    Attributes:
        width: H.
        max_children: K; None for child-sum, which has no maximum.
        weight_ih: (4 H, D), blocks W for u, i, o, f.
        bias: (4 H,).
        weight_hh: (4 H, H) or ((3 + K) H, K H), blocks U for u, i, o, and f of each child.

    Raises:
        OptionError: there is no such kind, or a size is below 1.
    """

    def __init__(self, kind: str, width_in: int, hidden: int, *, max_children: int = 2) -> None:
        super().__init__()
        if kind not in KINDS:
            raise OptionError(f"kind={kind!r}: expected one of {', '.join(KINDS)}")
        if width_in < 1 or hidden < 1 or max_children < 1:
            raise OptionError(f"a Tree-LSTM of {width_in} x {hidden} with {max_children} children: expected 1 or more")
        self.kind, self.width = kind, hidden
        self.max_children = max_children if kind == "n-ary" else None
        bound = 1 / math.sqrt(hidden)  # torch's choice for recurrent layers
        K = self.max_children or 1
        forget_blocks = self.max_children or 1

        def uniform(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))

        self.weight_ih = uniform(4 * hidden, width_in)
        self.weight_hh = uniform((3 + forget_blocks) * hidden, K * hidden)
        self.bias = uniform(4 * hidden)

    def forward(
        self, x: torch.Tensor, levels: TreeLevels, words: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (N, H) hidden states and (N, H) cells of all nodes, in the rows of `levels`.

        Args:
            x: (M, D) vectors of the nodes that have words, in the order of their rows.
            words: (M,) rows of the nodes that have words, ascending; None if all have.

        Raises:
            ShapeError: an n-ary node has more than K children, or the numbers of vectors and rows differ.
        """
        if self.max_children is not None and levels.max_children > self.max_children:
            raise ShapeError(
                f"a node with {levels.max_children} children, expected at most {self.max_children}; make the trees "
                "binary, or raise max_children"
            )
        rows = len(levels) if words is None else len(words)
        if len(x) != rows:
            raise ShapeError(f"{len(x)} vectors for {rows} nodes with words: expected one each")
        leaves, inner = self._inputs(x, levels, words)
        exact = torch.promote_types(x.dtype, torch.float32)
        run = run_child_sum if self.max_children is None else run_nary
        return run(leaves.to(exact), inner.to(exact), self.weight_hh, levels)

    def _inputs(
        self, x: torch.Tensor, levels: TreeLevels, words: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """W x + b: (leaves, 3 H) and (N - leaves, 4 H); a leaf has no child to forget."""
        gates, leaves = 3 * self.width, levels.leaves
        on_leaves = leaves if words is None else int((words < leaves).sum())
        of_leaves = linear(x[:on_leaves], self.weight_ih[:gates], self.bias[:gates])
        of_inner = linear(x[on_leaves:], self.weight_ih, self.bias)
        if words is None:
            return of_leaves, of_inner
        first, inner = words[:on_leaves], words[on_leaves:] - leaves
        return (
            _spread(of_leaves, first, leaves, self.bias[:gates]),
            _spread(of_inner, inner, len(levels) - leaves, self.bias),
        )

    def extra_repr(self) -> str:
        """Return what `print` shows."""
        children = "" if self.max_children is None else f", {self.max_children} children"
        return f"{self.kind}, {self.weight_ih.shape[1]} -> {self.width}{children}"


def _spread(values: torch.Tensor, rows: torch.Tensor, count: int, bias: torch.Tensor) -> torch.Tensor:
    """Rows without a word have the bias only."""
    if len(rows) == count:
        return values
    base = bias.to(values.dtype).expand(count, -1)
    return base.index_copy(0, rows, values) if len(rows) else base
