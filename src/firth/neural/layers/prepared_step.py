"""One step of an LSTM with attention and input feeding, for searches: without gradients, with weights prepared once.

What
    The step of `layers.attentional_steps`. A search takes one after another, and all have the same weights.
Objective
    As there; the input and both states enter one product, W [x; h; a].
Source
    Luong, Pham and Manning 2015, sections 3.1 and 3.3.
Departures
    None in the result, but for rounding.
Cost
    Per step two products, B H (4 D + 8 H + H) multiplications, and B S H for scores and values each. Nothing is kept
    for a backward pass.
"""

import torch

from firth.neural.layers.attentional_steps import CELL, StepWeights, attention_scores
from firth.neural.layers.products import PreparedLinear

States = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class PreparedStep:
    """The step.

    Args:
        inputs: (4 H, D), weight of x.
        bias: (4 H,).
    """

    @torch.no_grad()
    def __init__(self, inputs: torch.Tensor, bias: torch.Tensor, weights: StepWeights) -> None:
        self._gates = PreparedLinear(torch.cat([inputs, weights.recurrent], 1), bias)
        self._out = PreparedLinear(weights.out)
        self._query = None if weights.query is None else weights.query.detach().t()
        self._score = None if weights.score is None else weights.score.detach()

    @torch.no_grad()
    def __call__(
        self, x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, inside: torch.Tensor, before: States
    ) -> tuple[torch.Tensor, States]:
        """Return the (B, S) attention, and h, c and a after the step.

        Args:
            x: (B, D).
            keys: (P, S, K); P sequences, each for B / P consecutive rows.
            values: (P, S, H).
            inside: (P, S) or (B, S) False at padding and outside a window; True somewhere in each row.
            before: h, c and a before the step, (B, H) each.
        """
        h, c, a = before
        (P, S, H), exact = values.shape, torch.promote_types(c.dtype, torch.float32)
        with torch.autocast(x.device.type, enabled=False):
            keys, values = keys.to(exact), values.to(exact)
            p = self._gates(torch.cat([x, h, a], 1)).to(exact)
            h, c, tanh = torch.empty((3, len(x), H), dtype=exact, device=x.device)
            CELL.forward(p, p, before[:2], (h, c), tanh)
            scores = attention_scores(h, keys, self._query, self._score).view(P, -1, S)
            attention = scores.masked_fill_(~inside.view(P, -1, S), -torch.inf).softmax(2)
            context = torch.baddbmm(self._out(h).to(exact).view(P, -1, H), attention, values)
            return attention.view(-1, S), (h, c, context.tanh_().view(-1, H))
