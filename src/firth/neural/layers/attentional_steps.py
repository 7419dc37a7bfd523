"""All steps of an LSTM with attention and input feeding as one node of the autograd graph.

What
    Each step reads the attentional state of the step before, so that steps cannot be computed at once. Everything that
    does not depend on it is computed beforehand for all steps: products with the inputs, keys, and values as they
    enter the attentional state.
Objective
    p_t = x_t + W [h_t-1; a_t-1],   h_t, c_t = lstm(p_t, c_t-1),   alpha_t = softmax_s score(h_t, k_s)
    a_t = m_t * tanh(sum_s alpha_ts v_s + O h_t)
    score(h, k) = h . k, or u . tanh(Q h + k); x, k and v are products of whole sequences, m a mask of dropout.
Source
    Luong, Pham and Manning 2015, sections 3.1 and 3.3.
Departures
    The backward pass is written out, as in `layers.recurrence`: gradients of weights, keys and values are one product
    for all steps each, where autograd adds up one per step.
Cost
    Per step two products, B H (8 H + H) multiplications, and B S H for scores and values each. 7 H + S numbers in
    memory per step and sequence; additive scores are computed anew in the backward pass.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.autograd.function import once_differentiable

from firth.neural.layers.cell_steps import LstmStep
from firth.neural.layers.products import product, step_product

CELL = LstmStep()


class StepWeights(NamedTuple):
    """Weights of the steps.

    Attributes:
        recurrent: (4 H, 2 H), W.
        out: (H, H), O.
        query: (K, H), Q of additive scores, or None.
        score: (K,), u of additive scores, or None.
    """

    recurrent: torch.Tensor
    out: torch.Tensor
    query: torch.Tensor | None = None
    score: torch.Tensor | None = None


def attentional_steps(
    x: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    inside: torch.Tensor,
    mask: torch.Tensor | None,
    weights: StepWeights,
    start: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
) -> tuple[torch.Tensor, torch.Tensor, tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Take all steps.

    Args:
        x: (T, B, 4 H).
        keys: (P, S, K); P sequences, each for B / P consecutive rows. P = B where gradients are needed.
        values: (P, S, H).
        inside: (B, S) or (T, B, S) False at padding and outside a window; True somewhere in each row.
        mask: (T, B, H) on the attentional states, or None.
        start: h, c and a before the first step, (B, H) each.

    Returns:
        (T, B, H) attentional states, (T, B, S) attention, and h, c and a after the last step; in float32 where x has
        half precision.
    """
    apply: Callable[..., tuple[torch.Tensor, ...]] = _Steps.apply  # torch gives it no types
    with torch.autocast(x.device.type, enabled=False):  # products have the precision of x
        a, attention, h, c = apply(x, keys, values, inside, mask, *weights, *start)
    return a, attention, (h, c, a[-1])


class _Steps(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        keys: torch.Tensor,
        values: torch.Tensor,
        inside: torch.Tensor,
        mask: torch.Tensor | None,
        recurrent: torch.Tensor,
        out: torch.Tensor,
        query: torch.Tensor | None,
        score: torch.Tensor | None,
        h: torch.Tensor,
        c: torch.Tensor,
        a: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        (T, B), (P, S, H), half = x.shape[:2], values.shape, x.dtype
        exact = torch.promote_types(x.dtype, torch.float32)
        new: Any = x.new_empty
        p, tanhs = new((T, B, 4 * H), dtype=exact), new((T, B, H), dtype=exact)
        bent, attention = new((T, B, H), dtype=exact), new((T, B, S), dtype=exact)
        read, cells = new((T + 1, B, 2 * H), dtype=exact), new((T + 1, B, H), dtype=exact)  # [h; a] and c
        read[0, :, :H], read[0, :, H:], cells[0] = h, a, c
        k, v = keys.to(exact), values.to(exact)
        w, o = recurrent.to(half), out.to(half).t()
        q = None if query is None else query.to(half).t()
        hidden = torch.zeros(inside.shape, dtype=exact, device=x.device).masked_fill_(~inside, -torch.inf)
        hidden = hidden.expand(T, B, S)
        for t in range(T):
            step_product(x[t], read[t], w, p[t])
            h = read[t + 1, :, :H]
            CELL.forward(p[t], x[t], (h, cells[t]), (h, cells[t + 1]), tanhs[t])
            scores = attention_scores(h, k, q, score)
            torch.softmax(scores.add_(hidden[t]), 1, out=attention[t])
            given = product(h.to(half), o).to(exact)
            shared = given.view(P, -1, H)  # rows that look at the same sequence
            torch.baddbmm(shared, attention[t].view(P, -1, S), v, out=shared)
            torch.tanh(given, out=bent[t])
            if mask is None:
                read[t + 1, :, H:] = bent[t]
            else:
                torch.mul(bent[t], mask[t], out=read[t + 1, :, H:])
        ctx.half = half
        ctx.save_for_backward(keys, values, mask, recurrent, out, query, score, p, tanhs, bent, attention, read, cells)
        return read[1:, :, H:].contiguous(), attention, read[T, :, :H].clone(), cells[T].clone()

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, d_a: torch.Tensor, d_attention: torch.Tensor, d_h: torch.Tensor, d_c: torch.Tensor
    ) -> tuple[torch.Tensor | None, ...]:
        keys, values, mask, recurrent, out, query, score, p, tanhs, bent, attention, read, cells = ctx.saved_tensors
        (T, B, H), half, exact = bent.shape, ctx.half, p.dtype
        k, v, w, o = keys.to(exact), values.to(exact), recurrent.to(half), out.to(half)
        q = None if query is None else query.to(half)
        derivatives = CELL.derivatives(p, tanhs, [read[:T, :, :H], cells[:T]])
        slope = torch.addcmul(torch.ones_like(bent), bent, bent, value=-1)
        slope = slope if mask is None else slope.mul_(mask)
        d_p, d_given, d_scores = torch.empty_like(p), torch.empty_like(bent), torch.empty_like(attention)
        additive = None if q is None else _Additive(k, q, score, T)
        d = [d_h, d_c]
        d_fed = torch.zeros_like(d_a[0])
        for t in range(T - 1, -1, -1):
            torch.mul(torch.add(d_a[t], d_fed), slope[t], out=d_given[t])
            weights = attention[t]
            d_weights = torch.baddbmm(d_attention[t][:, :, None], v, d_given[t][:, :, None])[:, :, 0]
            torch.mul(weights, d_weights - (weights * d_weights).sum(1, keepdim=True), out=d_scores[t])
            d[0] = d[0] + product(d_given[t].to(half), o)
            if additive is None:
                d[0] = torch.baddbmm(d[0][:, None], d_scores[t][:, None], k)[:, 0]
            else:
                d[0] = d[0] + additive.backward(read[t + 1, :, :H], d_scores[t], t)
            before = CELL.backward([table[t] for table in derivatives], d, d_p[t])
            through = product(d_p[t].to(half), w).to(exact)
            assert before[1] is not None, "an LSTM has a cell"
            d, d_fed = [through[:, :H], before[1]], through[:, H:]
        flat = d_p.view(T * B, -1).to(half)
        d_recurrent = product(flat.t(), read[:T].view(T * B, -1).to(half)).to(recurrent.dtype)
        h = read[1:, :, :H]
        d_out = product(d_given.view(T * B, -1).t().to(half), h.reshape(T * B, -1).to(half)).to(out.dtype)
        d_values = torch.bmm(attention.permute(1, 2, 0), d_given.transpose(0, 1)).to(values.dtype)
        if additive is None:
            d_keys, d_query, d_score = torch.bmm(d_scores.permute(1, 2, 0), h.transpose(0, 1)), None, None
        else:
            d_keys, d_query, d_score = additive.gradients(h)
        d_x = d_p.to(half)
        return (
            d_x, d_keys.to(keys.dtype), d_values, None, None, d_recurrent, d_out, d_query, d_score, d[0], d[1], d_fed,
        )  # fmt: skip


class _Additive:
    """Gradients of additive scores, step by step."""

    def __init__(self, keys: torch.Tensor, query: torch.Tensor, score: torch.Tensor, steps: int) -> None:
        self.keys, self.query, self.score = keys, query, score
        self.d_keys, self.d_score = torch.zeros_like(keys), torch.zeros_like(score)
        self.d_queries = keys.new_empty(steps, len(keys), keys.shape[2])

    def backward(self, h: torch.Tensor, d_scores: torch.Tensor, t: int) -> torch.Tensor:
        """Return the gradient of h of (B, H) queries, given that of their (B, S) scores at step t."""
        tanh = _compared(h, self.keys, self.query.t())
        self.d_score += (tanh * d_scores[:, :, None]).sum((0, 1)).to(self.d_score.dtype)
        d_sum = tanh.square_().neg_().add_(1).mul_(d_scores[:, :, None]).mul_(self.score)
        self.d_keys += d_sum
        torch.sum(d_sum, 1, out=self.d_queries[t])
        return product(self.d_queries[t].to(self.query.dtype), self.query).to(h.dtype)

    def gradients(self, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the gradients of keys, Q and u, given the (T, B, H) queries of all steps."""
        flat = self.d_queries.flatten(0, 1).t().to(self.query.dtype)
        return self.d_keys, product(flat, h.flatten(0, 1).to(self.query.dtype)).to(self.score.dtype), self.d_score


def _compared(h: torch.Tensor, keys: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    asked = product(h.to(query.dtype), query).to(keys.dtype)
    return torch.add(keys[:, None], asked.view(len(keys), -1, 1, keys.shape[2])).tanh_().flatten(0, 1)  # (B, S, K)


def attention_scores(
    h: torch.Tensor, keys: torch.Tensor, query: torch.Tensor | None, score: torch.Tensor | None
) -> torch.Tensor:
    """Return the (B, S) scores of (B, H) states, given (P, S, K) keys, and (H, K) Q and (K,) u of additive scores."""
    if query is not None and score is not None:
        return _compared(h, keys, query) @ score.to(keys.dtype)
    if len(h) == len(keys):
        return torch.bmm(keys, h[:, :, None])[:, :, 0]
    return torch.bmm(h.view(len(keys), -1, h.shape[1]), keys.transpose(1, 2)).flatten(0, 1)
