"""Both Tree-LSTM cells over the levels of a batch of trees, as one node of the autograd graph.

What
    The products and gates of each level for all trees at once, and the way back written out.
Objective
    With the pre-activations that the inputs x_j give as arguments, sigma and tanh applied, and k the children of j:

        child-sum   h~_j = sum_k h_k;   u, i, o of x_j + U h~_j;   f_jk of x_j + U_f h_k
        N-ary       u, i, o of x_j + sum_l U_l h_jl;   f_jk of x_j + sum_l U_kl h_jl
        both        c_j = i * u + sum_k f_jk * c_k;   h_j = o * tanh(c_j)
Source
    Tai, Socher and Manning 2015, equations 2 to 8 and 9 to 14.
Departures
    Autograd would make some fifteen nodes per level. Here the derivatives of all levels are computed beforehand, the
    gradient of the weights is one product for all levels, and gradients of children are written in the order of edges,
    so that no level adds into rows at random.
Cost
    N-ary: one product per level in each pass. Child-sum: two, for gates of nodes and of edges.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from firth.neural.layers.cell_steps import through_sigmoid, through_tanh
from firth.neural.layers.products import product
from firth.neural.layers.tree_levels import TreeLevels

Pair = tuple[torch.Tensor, torch.Tensor]


def run_child_sum(leaves: torch.Tensor, inner: torch.Tensor, weight: torch.Tensor, levels: TreeLevels) -> Pair:
    """Return (N, H) hidden states and cells of the rows of `levels`.

    Args:
        leaves: (leaves, 3 H) pre-activations of u, i, o from the inputs and biases.
        inner: (N - leaves, 4 H) those of u, i, o, f.
        weight: (4 H, H) blocks for u, i, o, f.
    """
    apply: Callable[..., Pair] = _ChildSum.apply  # torch gives it no types
    return apply(leaves, inner, weight, levels)


def run_nary(leaves: torch.Tensor, inner: torch.Tensor, weight: torch.Tensor, levels: TreeLevels) -> Pair:
    """Return (N, H) hidden states and cells of the rows of `levels`, whose nodes have at most K children.

    Args:
        leaves: (leaves, 3 H) pre-activations of u, i, o from the inputs and biases.
        inner: (N - leaves, 4 H) those of u, i, o, f; each child's gate has the same f.
        weight: ((3 + K) H, K H) blocks for u, i, o, f_1 ... f_K by the children's hidden states.
    """
    apply: Callable[..., Pair] = _Nary.apply
    return apply(leaves, inner, weight, levels)


class _ChildSum(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, leaves: torch.Tensor, inner: torch.Tensor, weight: torch.Tensor, levels: TreeLevels
    ) -> tuple[torch.Tensor, torch.Tensor]:
        ctx.set_materialize_grads(False)
        H = weight.shape[1]
        gates = inner[:, : 3 * H].clone()
        forget = inner[:, 3 * H :].index_select(0, levels.parents - levels.leaves)  # (E, H)
        sums = inner.new_zeros(len(inner), H)
        to_gates, to_forget = weight[: 3 * H].t(), weight[3 * H :].t()
        h, c, tanh_c, leaves = _start(leaves, levels, H)
        for rows, inside, edges in _inner_levels(levels):
            kids, above = levels.kids[edges], levels.parents[edges] - rows.start
            h_kids = h.index_select(0, kids)
            sums[inside].index_add_(0, above, h_kids)
            u, i, o = _activated(gates[inside].addmm_(sums[inside], to_gates), H)
            f = forget[edges].addmm_(h_kids, to_forget).sigmoid_()
            torch.mul(u, i, out=c[rows]).index_add_(0, above, c.index_select(0, kids).mul_(f))
            torch.mul(o, torch.tanh(c[rows], out=tanh_c[rows]), out=h[rows])
        ctx.levels = levels
        ctx.save_for_backward(weight, leaves, gates, forget, sums, h, c, tanh_c)
        return h, c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_h: torch.Tensor | None, d_c: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        levels: TreeLevels = ctx.levels
        weight, leaves, gates, forget, sums, h, c, tanh_c = ctx.saved_tensors
        H = weight.shape[1]
        of_gates, of_forget = weight[: 3 * H], weight[3 * H :]
        ends = torch.cat([levels.kids, levels.roots])
        d_h_edges, d_c_edges = (_rows_of(d, ends, h) for d in (d_h, d_c))
        through = _to_cells(leaves, gates, tanh_c, H)
        d_inner = torch.empty(len(sums), 4 * H, dtype=h.dtype, device=h.device)
        d_gates = _gate_derivatives(gates, tanh_c[levels.leaves :], d_inner[:, : 3 * H])
        d_forget = through_sigmoid(c.index_select(0, levels.kids), forget)
        for rows, inside, edges in reversed(list(_inner_levels(levels))):
            d_node, d_cell = _arriving(d_h_edges, d_c_edges, levels.edges[rows], through[rows])
            d_p = _multiplied(d_gates[inside], d_node, d_cell, H)
            above = levels.parents[edges] - rows.start
            d_cell_edges = d_cell.index_select(0, above)
            d_c_edges[edges].addcmul_(forget[edges], d_cell_edges)
            d_h_edges[edges].add_(torch.mm(d_p, of_gates).index_select(0, above))
            d_h_edges[edges].addmm_(d_forget[edges].mul_(d_cell_edges), of_forget)
        d_leaves = _leaf_gradient(leaves, tanh_c, through, d_h_edges, d_c_edges, levels, H)
        d_inner[:, 3 * H :].zero_().index_add_(0, levels.parents - levels.leaves, d_forget)
        d_weight = torch.cat([product(d_gates.t(), sums), product(d_forget.t(), h.index_select(0, levels.kids))])
        return d_leaves, d_inner, d_weight, None


class _Nary(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, leaves: torch.Tensor, inner: torch.Tensor, weight: torch.Tensor, levels: TreeLevels
    ) -> tuple[torch.Tensor, torch.Tensor]:
        ctx.set_materialize_grads(False)
        H = inner.shape[1] // 4
        K = weight.shape[1] // H
        children = _children(levels, K)
        gates = torch.cat([inner[:, : 3 * H], inner[:, 3 * H :].repeat(1, K)], 1)
        h, c, tanh_c, leaves = _start(leaves, levels, H, more=1)  # the last row, of zeros, stands for no child
        for rows, inside, _ in _inner_levels(levels):
            kids = children[inside].flatten()
            h_kids = h.index_select(0, kids).view(-1, K * H)
            u, i, o = _activated(gates[inside].addmm_(h_kids, weight.t()), H)
            c_kids = c.index_select(0, kids).view(-1, K * H)
            torch.mul(u, i, out=c[rows])
            for start in range(0, K * H, H):
                c[rows].addcmul_(gates[inside, 3 * H + start : 4 * H + start], c_kids[:, start : start + H])
            torch.mul(o, torch.tanh(c[rows], out=tanh_c[rows]), out=h[rows])
        ctx.levels, ctx.children = levels, children
        ctx.save_for_backward(weight, leaves, gates, h, c, tanh_c)
        return h[:-1], c[:-1]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_h: torch.Tensor | None, d_c: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        levels: TreeLevels = ctx.levels
        weight, leaves, gates, h, c, tanh_c = ctx.saved_tensors
        inner_rows, K = ctx.children.shape
        H = weight.shape[1] // K
        children = ctx.children.flatten()
        # The edge to child k of inner row j is j K + k, with a place for the missing ones; then those above roots.
        slots = torch.empty_like(levels.edges)
        slots[levels.kids] = (levels.parents - levels.leaves) * K + levels.places
        slots[levels.roots] = torch.arange(len(levels.roots), device=slots.device) + inner_rows * K
        ends = torch.cat([children.clamp(max=len(levels) - 1), levels.roots])
        d_h_edges, d_c_edges = (_rows_of(d, ends, h) for d in (d_h, d_c))
        through = _to_cells(leaves, gates, tanh_c, H)
        forget = gates[:, 3 * H :].unflatten(1, (K, H))
        d_gates = torch.empty_like(gates)
        _gate_derivatives(gates, tanh_c[levels.leaves :], d_gates[:, : 3 * H])
        c_kids = c.index_select(0, children).view(-1, K * H)
        through_sigmoid(c_kids, gates[:, 3 * H :], out=d_gates[:, 3 * H :])
        blocks = d_gates.view(inner_rows, 3 + K, H)
        for rows, inside, _ in reversed(list(_inner_levels(levels))):
            d_node, d_cell = _arriving(d_h_edges, d_c_edges, slots[rows], through[rows])
            d_p = _multiplied(d_gates[inside], d_node, d_cell, H)
            blocks[inside, 3:].mul_(d_cell.unsqueeze(1))
            below = slice(inside.start * K, inside.stop * K)
            d_c_edges[below].view(-1, K, H).addcmul_(forget[inside], d_cell.unsqueeze(1))
            d_h_edges[below].view(-1, K * H).addmm_(d_p, weight)
        d_leaves = _leaf_gradient(leaves, tanh_c, through, d_h_edges, d_c_edges, levels, H, slots)
        d_inner = d_gates[:, : 4 * H].clone()
        for child in range(1, K):
            d_inner[:, 3 * H :].add_(blocks[:, 3 + child])
        return d_leaves, d_inner, product(d_gates.t(), h.index_select(0, children).view(-1, K * H)), None


def _inner_levels(levels: TreeLevels) -> Iterator[tuple[slice, slice, slice]]:
    """Yield each level above the leaves: its rows, their numbers among inner rows, and its edges."""
    for level in range(1, len(levels.starts) - 1):
        start, stop = levels.starts[level : level + 2]
        inside = slice(start - levels.leaves, stop - levels.leaves)
        yield slice(start, stop), inside, slice(*levels.edge_starts[level : level + 2])


def _children(levels: TreeLevels, K: int) -> torch.Tensor:
    """(N - leaves, K) rows of the children; N where there is none."""
    children = levels.kids.new_full((len(levels) - levels.leaves, K), len(levels))
    children[levels.parents - levels.leaves, levels.places] = levels.kids
    return children


def _start(leaves: torch.Tensor, levels: TreeLevels, H: int, more: int = 0) -> tuple[torch.Tensor, ...]:
    """Return h, c, tanh(c) with the rows of leaves filled in, and the leaves' gates."""
    h, c = (leaves.new_zeros(len(levels) + more, H) for _ in range(2))
    tanh_c = leaves.new_empty(len(levels), H)
    leaves = leaves.clone()
    u, i, o = _activated(leaves, H)
    rows = slice(0, levels.leaves)
    torch.tanh(torch.mul(u, i, out=c[rows]), out=tanh_c[rows])
    torch.mul(o, tanh_c[rows], out=h[rows])
    return h, c, tanh_c, leaves


def _activated(p: torch.Tensor, H: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Replace pre-activations of u, i, o and more gates by activations, and return u, i, o."""
    u, i, o = p[:, :H], p[:, H : 2 * H], p[:, 2 * H : 3 * H]
    u.tanh_()
    p[:, H:].sigmoid_()
    return u, i, o


def _to_cells(leaves: torch.Tensor, gates: torch.Tensor, tanh_c: torch.Tensor, H: int) -> torch.Tensor:
    """(N, H): dh/dc of all rows."""
    result = torch.empty_like(tanh_c)
    for p, rows in ((leaves, slice(0, len(leaves))), (gates, slice(len(leaves), len(tanh_c)))):
        through_tanh(p[:, 2 * H : 3 * H], tanh_c[rows], out=result[rows])
    return result


def _gate_derivatives(gates: torch.Tensor, tanh_c: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Write dc/dp_u, dc/dp_i and dh/dp_o into `out`, (rows, 3 H), and return it."""
    H = tanh_c.shape[1]
    u, i, o = gates[:, :H], gates[:, H : 2 * H], gates[:, 2 * H : 3 * H]
    through_tanh(i, u, out=out[:, :H])
    through_sigmoid(u, i, out=out[:, H : 2 * H])
    through_sigmoid(tanh_c, o, out=out[:, 2 * H :])
    return out


def _arriving(d_h: torch.Tensor, d_c: torch.Tensor, edges: torch.Tensor, through: torch.Tensor) -> Pair:
    """Gradients of h and c of rows, from those of the edges above them."""
    d_node = d_h.index_select(0, edges)
    return d_node, d_c.index_select(0, edges).addcmul_(d_node, through)


def _multiplied(d_p: torch.Tensor, d_node: torch.Tensor, d_cell: torch.Tensor, H: int) -> torch.Tensor:
    """Turn derivatives of u, i, o into gradients of their pre-activations, in place."""
    d_p[:, :H].mul_(d_cell)
    d_p[:, H : 2 * H].mul_(d_cell)
    d_p[:, 2 * H : 3 * H].mul_(d_node)
    return d_p


def _leaf_gradient(
    leaves: torch.Tensor,
    tanh_c: torch.Tensor,
    through: torch.Tensor,
    d_h: torch.Tensor,
    d_c: torch.Tensor,
    levels: TreeLevels,
    H: int,
    edges: torch.Tensor | None = None,
) -> torch.Tensor:
    rows = slice(0, levels.leaves)
    above = (levels.edges if edges is None else edges)[rows]
    d_node, d_cell = _arriving(d_h, d_c, above, through[rows])
    return _multiplied(_gate_derivatives(leaves, tanh_c[rows], torch.empty_like(leaves)), d_node, d_cell, H)


def _rows_of(d: torch.Tensor | None, rows: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return like.new_zeros(len(rows), like.shape[1]) if d is None else d.index_select(0, rows)
