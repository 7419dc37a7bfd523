"""Multi-head attention: several scaled attentions side by side, each over its own projection of queries and keys.

What: H heads; queries, keys and values are projected, attended to, laid side by side and projected back. Keys and
    values come from the queries' own sequence, from another one (cross-attention), or from a cache of earlier steps.
Objective: head_h = softmax(q_h k_h / sqrt(D / H)) v_h over the keys that may be seen; output
    [head_1 ... head_H] W + b.
Source: Vaswani et al. 2017, section 3.2.2.
Departures: biases in all four projections, as GPT-2 and PyTorch's own module have; a query that may see nothing
    takes zeros. Positions within the attention (relative, rotary) are handed in: `firth.neural.layers.positions`.
Cost: O(T D^2 + T S D) time. Without weights asked for, dropout or a bias of positions, PyTorch's fused kernel never
    holds the (T, S) scores; otherwise O(B H T S) memory.
"""

import math

import torch
from torch import nn
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.attention import attention_weights, scaled_dot_scores
from firth.neural.layers.dropout import Noise
from firth.neural.layers.positions import PairPositions


class MultiHeadAttention(nn.Module):
    """H heads of scaled attention.

    Args:
        width: D, of queries, memory and output; the heads share it out.
        heads: H, a divisor of D.
        dropout: share of the attention weights that are dropped in training.
        positions: how places enter the scores; None where they were added to the input.

    Raises:
        OptionError: the heads do not divide the width.
    """

    def __init__(self, width: int, heads: int, *, dropout: float = 0.0, positions: PairPositions | None = None) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            raise OptionError(f"heads={heads}: expected a divisor of the width {width}, which the heads share out")
        self.width, self.heads, self.noise = width, heads, Noise(dropout)
        self.inward = nn.Linear(width, 3 * width)  # rows: queries, keys, values
        self.outward = nn.Linear(width, width)
        self.positions = positions

    def projected(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return queries (B, T, D) and keys with values (B, T, 2 D) of one sequence, by one matrix product."""
        queries, seen = torch.split(self.inward(x), [self.width, 2 * self.width], -1)
        return queries, seen

    def queries(self, x: torch.Tensor) -> torch.Tensor:
        """Return the (B, T, D) queries alone, for a memory that is another sequence."""
        return functional.linear(x, self.inward.weight[: self.width], self.inward.bias[: self.width])

    def keys_values(self, memory: torch.Tensor) -> torch.Tensor:
        """Return the (B, S, 2 D) keys and values of a memory, which may be kept for later queries."""
        return functional.linear(memory, self.inward.weight[self.width :], self.inward.bias[self.width :])

    def attend(
        self, queries: torch.Tensor, seen: torch.Tensor, mask: torch.Tensor | None = None, *, causal: bool = False
    ) -> torch.Tensor:
        """Return what queries take from a memory.

        Args:
            queries: (B, T, D), projected.
            seen: (B, S, 2 D), projected keys and values; the last query stands at the last key.
            mask: True where a query may look, broadcasting to (B, T, S); None for everywhere.
            causal: whether each query also sees nothing after its own place; only where T = S.

        Returns:
            (B, T, D).
        """
        q, k, v = self._headed(queries, seen)
        q, k, bias = self._placed(q, k)
        blind = None
        if mask is not None:
            mask = _for_heads(mask)
            blind = ~mask.any(-1, keepdim=True)
            mask = mask | blind  # looking everywhere, then taken away below: no row of the softmax is 0 / 0
        if bias is not None:
            mask, causal = _as_bias(bias, mask, causal), False
        taken = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.noise.rate if self.noise.active else 0.0, is_causal=causal
        )
        if blind is not None:
            taken = taken.masked_fill(blind, 0.0)
        return self._joined(taken)

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor | None = None, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return attention of a sequence to itself or to a memory.

        Args:
            x: (B, T, D).
            memory: (B, S, D), or None for `x` itself.
            mask: True where a query may look, broadcasting to (B, T, S).

        Returns:
            (B, T, D).
        """
        return self.attend(*self._both(x, memory), mask)

    def with_weights(
        self, x: torch.Tensor, memory: torch.Tensor | None = None, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return attention and its (B, H, T, S) weights, no dropout upon them; see `forward`."""
        q, k, v = self._headed(*self._both(x, memory))
        q, k, bias = self._placed(q, k)
        scores = scaled_dot_scores(q, k)
        weights = attention_weights(
            scores if bias is None else scores + bias, None if mask is None else _for_heads(mask)
        )
        return self._joined(weights @ v), weights

    def _both(self, x: torch.Tensor, memory: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.projected(x) if memory is None else (self.queries(x), self.keys_values(memory))

    def _headed(self, queries: torch.Tensor, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        keys, values = seen.chunk(2, -1)
        q, k, v = (part.reshape(*part.shape[:2], self.heads, -1).transpose(1, 2) for part in (queries, keys, values))
        return q, k, v  # each (B, H, T or S, D / H)

    def _placed(self, q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        if self.positions is None:
            return q, k, None
        q, k, bias = self.positions(q, k)
        return q, k, None if bias is None else bias / math.sqrt(q.shape[-1])

    def _joined(self, heads: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = self.outward(heads.transpose(1, 2).flatten(2))
        return output


def _for_heads(mask: torch.Tensor) -> torch.Tensor:
    return mask[:, None] if mask.dim() == 3 else mask


def _as_bias(bias: torch.Tensor, mask: torch.Tensor | None, causal: bool) -> torch.Tensor:
    if causal:
        steps = torch.ones(bias.shape[-2:], dtype=torch.bool, device=bias.device).tril()
        mask = steps if mask is None else mask & steps
    return bias if mask is None else bias.masked_fill(~mask, -torch.inf)
