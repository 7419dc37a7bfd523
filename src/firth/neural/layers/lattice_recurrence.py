"""An LSTM over a lattice as one node of the autograd graph: states of nodes and probabilities of edges, hand in hand.

What
    Nodes stand between tokens. Edges of 1 to L tokens, K of each length, lead from node to node; each has a row of a
    softmax. A node's state predicts the edges that leave it, and is itself the weighted sum of the states that the
    edges into it lead to; the weights depend on the probabilities of the paths.
Objective
    For an edge e = (i, j) with input x_e and output row r_e, and g_e Gumbel's noise:

        log p(e) = log softmax(V (m_i * h_i) + b)[r_e]               log alpha_j = log sum_{e into j} alpha_i p(e)
        q_i, q_f, q_g, q_o = x_e + U h_i                             w_e = alpha_i p(e) / alpha_j
        c_e = sigma(q_f) * c_i + sigma(q_i) * tanh(q_g)              h_e = sigma(q_o) * tanh(c_e)
        h_j = sum_e v_e h_e,  c_j = sum_e v_e c_e                    v = w;  softmax((log w + g) / temperature);
                                                                     or 1 for one edge drawn by w, 0 for the others
Source
    Buckman and Neubig 2018, "Neural lattice language models", section 3.3; Hochreiter and Schmidhuber 1997 with the
    forget gate of Gers et al. 2000.
Departures
    The backward pass is written out: the gradients of the weights are one product for all nodes, and U h_i is one
    product for all edges that leave a node. Only alpha has gradients; states between calls have none, except those
    where a text begins.
Cost
    Per node the products with U and V, and element-wise arithmetic per edge; R numbers in memory per node for R rows.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.autograd.function import once_differentiable

from firth.neural.layers.cell_steps import through_sigmoid, through_tanh


class Edges(NamedTuple):
    """Edges of lattices of L + T nodes, of which the first L are given.

    Attributes:
        x: (T, B, L, K, 4 H) W x and the biases of the edges into nodes L and later, in torch's order of gates, by their
            length less 1.
        rows: (L + T, B, L, K) int64, output rows of the edges that leave each node, by length less 1.
        absent: (L + T, B, L, K) bool, which of these do not exist, or lead beyond the last node.
        mask: (L + T, B, H) dropout mask m of outputs, or None.
        noise: (T, B, L K) float64, Gumbel's noise for the edges into nodes L and later, or None.
        temperature: of the Gumbel-softmax; 0 for one edge drawn.
    """

    x: torch.Tensor
    rows: torch.Tensor
    absent: torch.Tensor
    mask: torch.Tensor | None = None
    noise: torch.Tensor | None = None
    temperature: float = 0.0


class Nodes(NamedTuple):
    """What is known of L + T nodes; only `totals` has a gradient.

    Attributes:
        totals: (L + T, B) float64, log alpha.
        scores: (L + T, B, L, K) float64, log p of the edges that leave; -inf for those that do not exist.
        hidden: (L + T, B, H).
        cells: (L + T, B, H).
    """

    totals: torch.Tensor
    scores: torch.Tensor
    hidden: torch.Tensor
    cells: torch.Tensor


def run_lattice(
    edges: Edges,
    start: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    recurrent: torch.Tensor,
    output: tuple[torch.Tensor, torch.Tensor],
) -> Nodes:
    """Follow all edges.

    Args:
        start: (L, B, H) outputs and cells, and (L, B) float64 log alpha, of the first nodes.
        recurrent: (4 H, H), U.
        output: (R, H), V, and (R,), b.
    """
    apply: Callable[..., tuple[torch.Tensor, ...]] = _Lattice.apply
    x, *rest = edges
    return Nodes(*apply(x, *start[:2], recurrent, *output, start[2], *rest))


class _Lattice(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        h0: torch.Tensor,
        c0: torch.Tensor,
        recurrent: torch.Tensor,
        output: torch.Tensor,
        bias: torch.Tensor,
        totals0: torch.Tensor,
        rows: torch.Tensor,
        absent: torch.Tensor,
        mask: torch.Tensor | None,
        noise: torch.Tensor | None,
        temperature: float,
    ) -> tuple[torch.Tensor, ...]:
        T, B, L, K, H = *x.shape[:4], h0.shape[2]
        N, E = L + T, L * K
        # States are kept from the last node to the first, so that the L nodes before a node are a slice, nearest first.
        hidden, cells, products = (x.new_empty(N, B, width) for width in (H, H, 4 * H))
        hidden[T:], cells[T:] = h0.flip(0), c0.flip(0)
        torch.matmul(hidden[T:], recurrent.t(), out=products[T:])
        logits, lse = x.new_empty(N, B, len(output)), x.new_empty(N, B)
        totals = torch.empty(N, B, dtype=torch.float64, device=x.device)
        totals[:L] = totals0
        scores = torch.empty(N, B, E, dtype=torch.float64, device=x.device)
        arriving = torch.full((N + L, B, L, K), -torch.inf, dtype=torch.float64, device=x.device)
        p, c, tanh_c = x.new_empty(T, B, L, K, 4, H), x.new_empty(T, B, E, H), x.new_empty(T, B, E, H)
        w = torch.empty(T, B, E, dtype=torch.float64, device=x.device)
        v = w if noise is None else torch.empty_like(w)
        rows, absent = rows.flatten(2), absent.flatten(2)

        def leave(first: int, stop: int) -> None:  # scores of the edges that leave nodes
            out = hidden[N - stop : N - first].flip(0) if stop - first > 1 else hidden[N - stop : N - first]
            if mask is not None:
                out = out * mask[first:stop]
            torch.addmm(bias, out.flatten(0, 1), output.t(), out=logits[first:stop].view(-1, len(output)))
            torch.logsumexp(logits[first:stop], 2, out=lse[first:stop])
            chosen = logits[first:stop].gather(2, rows[first:stop]) - lse[first:stop].unsqueeze(2)
            scores[first:stop] = chosen.masked_fill_(absent[first:stop], -torch.inf)
            for n in range(first, stop):
                through = scores[n] + totals[n].unsqueeze(1)
                _leaving(arriving, n).copy_(through.view(B, L, K).transpose(0, 1))

        leave(0, L)
        for t in range(T):
            n, r = L + t, T - 1 - t
            incoming = arriving[n].view(B, E)
            torch.logsumexp(incoming, 1, out=totals[n])
            torch.sub(incoming, totals[n].unsqueeze(1), out=w[t])
            if noise is not None:
                v[t] = _noisy(w[t] + noise[t], temperature)
            w[t].exp_()
            q = p[t]
            before = products[r + 1 : r + 1 + L].view(L, B, 1, 4, H).transpose(0, 1)
            torch.add(x[t].view(B, L, K, 4, H), before, out=q)
            q[..., :2, :].sigmoid_()
            q[..., 2, :].tanh_()
            q[..., 3, :].sigmoid_()
            i, f, g, o = q.unbind(3)
            cell = c[t].view(B, L, K, H)
            torch.mul(i, g, out=cell)
            cell.addcmul_(f, cells[r + 1 : r + 1 + L].transpose(0, 1).unsqueeze(2))
            torch.tanh(c[t], out=tanh_c[t])
            weights = v[t].to(c.dtype).unsqueeze(1)
            torch.bmm(weights, o.reshape(B, E, H) * tanh_c[t], out=hidden[r].unsqueeze(1))
            torch.bmm(weights, c[t], out=cells[r].unsqueeze(1))
            torch.mm(hidden[r], recurrent.t(), out=products[r])
            leave(n, n + 1)
        ctx.temperature = temperature
        ctx.save_for_backward(recurrent, output, rows, mask, noise, hidden, cells, logits, lse, p, c, tanh_c, w, v)
        rest = scores.view(N, B, L, K), hidden.flip(0), cells.flip(0)
        ctx.mark_non_differentiable(*rest)
        return totals, *rest

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_totals: torch.Tensor, *_: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        recurrent, output, rows, mask, noise, hidden, cells, logits, lse, p, c, tanh_c, w, v = ctx.saved_tensors
        (T, B, L, K, _, H), N, E = p.shape, len(hidden), c.shape[2]
        d_arriving = torch.zeros(N + L, B, L, K, dtype=torch.float64, device=p.device)
        d_products, d_cells = p.new_zeros(N, B, 4 * H), p.new_zeros(N, B, H)
        d_p, d_logits = torch.empty_like(p), torch.empty_like(logits)

        def left(first: int, stop: int) -> torch.Tensor:  # of the outputs, through scores; and of totals
            slices = slice(N - stop, N - first)
            d_scores = torch.stack([_leaving(d_arriving, n).transpose(0, 1).reshape(B, E) for n in range(first, stop)])
            d_totals[first:stop] += d_scores.sum(2)
            d = d_scores.to(p.dtype)
            part = torch.sub(logits[first:stop], lse[first:stop].unsqueeze(2), out=d_logits[first:stop])
            part.exp_().mul_(d.sum(2, keepdim=True).neg_()).scatter_add_(2, rows[first:stop], d)
            d_out: torch.Tensor = (part.flatten(0, 1) @ output).view(stop - first, B, H)
            if mask is not None:
                d_out = d_out * mask[first:stop]
            back: torch.Tensor = d_products[slices].flatten(0, 1) @ recurrent
            return d_out.flip(0) + back.view(stop - first, B, H)

        d_totals = d_totals.clone()
        for t in range(T - 1, -1, -1):
            n, r = L + t, T - 1 - t
            d_h = left(n, n + 1)[0]
            d_c = d_cells[r]
            i, f, g, o = p[t].unbind(3)
            edges = (B, L, K, H)
            tanh_cell, cell = tanh_c[t], c[t]
            h = o.reshape(B, E, H) * tanh_cell
            d_v = (torch.bmm(h, d_h.unsqueeze(2)) + torch.bmm(cell, d_c.unsqueeze(2))).squeeze(2).double()
            weights = v[t].to(p.dtype).unsqueeze(2)
            d_e = weights * d_h.unsqueeze(1)  # (B, E, H) of h_e
            d_o = (d_e * tanh_cell).view(edges)
            d_cell = (weights * d_c.unsqueeze(1)).view(edges).addcmul_(through_tanh(d_e, tanh_cell).view(edges), o)
            before = cells[r + 1 : r + 1 + L].transpose(0, 1).unsqueeze(2)
            d_q = d_p[t]
            through_sigmoid(d_cell * g, i, out=d_q[..., 0, :])
            through_sigmoid(d_cell * before, f, out=d_q[..., 1, :])
            through_tanh(d_cell * i, g, out=d_q[..., 2, :])
            through_sigmoid(d_o, o, out=d_q[..., 3, :])
            d_cells[r + 1 : r + 1 + L] += (d_cell * f).sum(2).transpose(0, 1)
            d_products[r + 1 : r + 1 + L] += d_q.view(B, L, K, 4 * H).sum(2).transpose(0, 1)
            d_incoming = w[t] * d_totals[n].unsqueeze(1)
            if noise is None or ctx.temperature:
                d_log = v[t] * (d_v - (v[t] * d_v).sum(1, keepdim=True)) / (1.0 if noise is None else ctx.temperature)
                d_incoming += d_log  # it adds up to 0, so that nothing comes through the total
            d_arriving[n] = d_incoming.view(B, L, K)
        d_start = left(0, L).flip(0)
        out = hidden.flip(0) if mask is None else hidden.flip(0) * mask
        flat = d_logits.flatten(0, 1)
        d_recurrent = d_products.flatten(0, 1).t() @ hidden.flatten(0, 1)
        d_x = d_p.view(T, B, L, K, 4 * H)
        return (
            d_x, d_start, d_cells[T:].flip(0), d_recurrent, flat.t() @ out.flatten(0, 1), flat.sum(0),
            None, None, None, None, None, None,
        )  # fmt: skip


def _leaving(arriving: torch.Tensor, node: int) -> torch.Tensor:
    """Return the (L, B, K) view of what leaves a node, among what arrives at the nodes after it."""
    (_, B, L, K), strides = arriving.shape, arriving.stride()
    return arriving.as_strided((L, B, K), (strides[0] + strides[2], strides[1], strides[3]), (node + 1) * strides[0])


def _noisy(log_p: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return weights of edges: a softmax, or one edge."""
    if temperature:
        return (log_p / temperature).softmax(1)
    return torch.zeros_like(log_p).scatter_(1, log_p.argmax(1, keepdim=True), 1.0)
