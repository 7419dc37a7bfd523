"""The log partition function of tag sequences and its gradient, as one node of the autograd graph.

What
    The forward recurrence for the whole batch, and the backward one for the gradient: the marginal probabilities of
    tags and of neighbouring tags.
Objective
    With E = exp e and A = exp of the transitions, both divided by their largest values, and a_t, b_t scaled forward and
    backward probabilities:

        a_t(j) = E_t(j) sum_i a_{t-1}(i) A_ij / c_t,     c_t such that sum_j a_t(j) = 1
        b_t(i) = sum_j A_ij E_{t+1}(j) b_{t+1}(j) / c_{t+1},     b_T(j) = exp z_j
        log Z = log sum_j a_T(j) exp z_j + sum_t log c_t + what E and A were divided by
        p(y_t = j) = a_t(j) b_t(j) / n,     p(y_t = i, y_{t+1} = j) = a_t(i) A_ij E_{t+1}(j) b_{t+1}(j) / (c_{t+1} n)

    with n the sum over j of a_T(j) exp z_j.
Source
    Rabiner 1989, "A tutorial on hidden Markov models", equations 19 to 27 and section V.A (scaling).
Departures
    Double precision throughout. Where forbidden transitions let the probability of a tag fall below e^-345 of its
    token's, a later token could lose it, and it may be the only way: `forward_backward` says of which sequences.
Cost
    Per token and sequence K^2 multiplications forward and 2 K^2 backward; 2 K exponentials.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.function import once_differentiable

TINY = torch.finfo(torch.float64).tiny
LARGEST = 80.0  # size of scores: from token to token, E and A lower a probability by e^-320 at most
LEAST = 1e-150  # so that no probability above this one is lost at the next token: 1e-150 e^-320 is above TINY


def forward_backward(
    tags: torch.Tensor, transitions: torch.Tensor, first: torch.Tensor, last: torch.Tensor, lengths: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B,) log Z in double precision, -inf where there is no sequence, and (B,) whether that is exact.

    The arguments are those of `chains.Chain`; no finite score is above `LARGEST` in size.
    """
    apply: Callable[..., tuple[torch.Tensor, torch.Tensor]] = _LogPartition.apply  # torch gives it no types
    return apply(tags, transitions, first, last, lengths)


class _LogPartition(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, tags: Any, transitions: Any, first: Any, last: Any, lengths: Any) -> tuple[Any, Any]:
        order = lengths.argsort(descending=True)  # sequences that have a token t are the first ones
        ordered = lengths[order]
        active = (ordered.unsqueeze(1) > torch.arange(tags.shape[1], device=tags.device)).sum(0).tolist()
        by_token = tags.index_select(0, order).transpose(0, 1).double()  # (T, B, K)
        highest = _finite(by_token.amax(2, keepdim=True))
        E = (by_token - highest).exp_()
        A, of_A = _scaled(transitions)
        ends, of_ends = _scaled(last)
        start, of_start = _scaled(first)
        a = torch.zeros_like(E)
        c = torch.ones_like(highest)
        torch.mul(E[0], start, out=a[0])
        for t, count in enumerate(active):
            rows = a[t, :count]
            if t:
                torch.mul(torch.mm(a[t - 1, :count], A), E[t, :count], out=rows)
            torch.sum(rows, 1, keepdim=True, out=c[t, :count])
            rows.div_(c[t, :count].clamp(min=TINY))
        n = (_of_last_tokens(a, ordered) * ends).sum(1)
        steps = torch.arange(tags.shape[1], device=tags.device).view(-1, 1, 1) < ordered.view(1, -1, 1)
        logs = ((c.log() + highest) * steps).sum((0, 2))
        total = n.log() + logs + of_ends + of_start + of_A * (ordered - 1)
        exact = torch.where(a > 0, a, 1.0).amin((0, 2)) >= LEAST
        ctx.active = active
        ctx.dtype = tags.dtype
        ctx.save_for_backward(order, ordered, E, A, ends, a, c.clamp_(min=TINY), n)
        ctx.mark_non_differentiable(exact)
        return torch.empty_like(total).index_copy_(0, order, total), torch.empty_like(exact).index_copy_(
            0, order, exact
        )

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor, _: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        order, ordered, E, A, ends, a, c, n = ctx.saved_tensors
        K, active = len(A), ctx.active
        b = ends * (gradient.index_select(0, order) / n.clamp(min=TINY)).unsqueeze(1)  # b times the gradient over n
        d_last = (_of_last_tokens(a, ordered) * b).sum(0)
        p = torch.zeros_like(a)
        after = torch.zeros_like(a[1:])  # E_{t+1} b_{t+1} / c_{t+1}
        for t, count in reversed(list(enumerate(active))):
            rows = b[:count]
            torch.mul(a[t, :count], rows, out=p[t, :count])
            if t:
                torch.div(rows.mul_(E[t, :count]), c[t, :count], out=after[t - 1, :count])
                torch.mm(after[t - 1, :count], A.t(), out=rows)
        d_A = A * torch.mm(a[:-1].reshape(-1, K).t(), after.reshape(-1, K))
        d_tags = torch.empty_like(p.transpose(0, 1)).index_copy_(0, order, p.transpose(0, 1))
        return d_tags.to(ctx.dtype), d_A.to(ctx.dtype), p[0].sum(0).to(ctx.dtype), d_last.to(ctx.dtype), None


def _of_last_tokens(values: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """(T, B, K) to (B, K)."""
    return values[lengths - 1, torch.arange(len(lengths), device=values.device)]


def _scaled(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Exponentials divided by the largest, and its logarithm."""
    highest = _finite(scores.max().double())
    return (scores.double() - highest).exp(), highest


def _finite(highest: torch.Tensor) -> torch.Tensor:
    return torch.where(highest > -torch.inf, highest, torch.zeros_like(highest))
