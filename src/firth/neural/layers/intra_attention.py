"""Intra-attention of a decoder: over the source with a memory of what was attended to, and over its own past.

What
    Intra-temporal attention makes source positions with high scores at earlier steps less attractive. Intra-decoder
    attention looks at the decoder's states of earlier steps. Both keep long outputs from repeating themselves.
Objective
    temporal: e'_ti = exp(e_ti) at the first step, exp(e_ti) / sum_{j < t} exp(e_ji) later; alpha_ti = e'_ti / sum e'_t
    decoder: alpha_tj = softmax_{j < t} h_t W h_j, c_t = sum_j alpha_tj h_j, zeros at the first step
Source
    Paulus, Xiong and Socher 2018, sections 2.1 (equations 2 to 5) and 2.2 (equations 6 to 8).
Departures
    Sums are kept as logarithms, so that no score overflows.
Cost
    B S additions per step for the first, B t H multiplications at step t for the second; B T H numbers in memory.
"""

from typing import NamedTuple

import torch
from torch import nn

from firth.neural.layers.attention import MultiplicativeScores, attention_weights

NOTHING = -1e30  # logarithm of a sum before the first step; finite, as -inf - -inf is not a number


class IntraState(NamedTuple):
    """What intra-attention keeps between steps.

    Attributes:
        sums: (B, S) logarithm of the sum of exp(scores) of all steps before; without columns where it is not used.
        states: (B, t, H) of the steps before; without columns where it is not used.
    """

    sums: torch.Tensor
    states: torch.Tensor


def temporal_scores(scores: torch.Tensor, sums: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B, T, S) scores less the logarithms of the sums of all steps before, and (B, S) logarithms of new sums.

    Args:
        scores: (B, T, S), T >= 1.
        sums: (B, S) of the steps before, `NOTHING` at the first.
    """
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    every = torch.cat([sums.to(scores.dtype)[:, None], scores], 1).logcumsumexp(1)  # (B, T + 1, S)
    before = every[:, :-1]
    return scores - before.masked_fill(before <= NOTHING / 2, 0.0), every[:, -1]


class IntraDecoderAttention(nn.Module):
    """Attention over the decoder's states of the steps before.

    Args:
        width: H.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scores = MultiplicativeScores(width, width)

    def forward(self, states: torch.Tensor, before: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the (B, T, H) contexts of T steps, and the (B, t + T, H) states up to them.

        Args:
            states: (B, T, H) of these steps.
            before: (B, t, H) of the steps before.
        """
        every = torch.cat([before.to(states.dtype), states], 1)
        (T, t), keys = (states.shape[1], before.shape[1]), every[:, :-1]
        if not keys.shape[1]:
            return torch.zeros_like(states), every
        earlier = torch.ones(T, t + T - 1, dtype=torch.bool, device=states.device).tril(t - 1)
        weights = attention_weights(self.scores(states, keys), earlier)
        return weights @ keys, every
