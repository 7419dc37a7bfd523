"""Multi-head attention: several scaled dot-product attentions in parallel, each over its own projections.

What: H heads; queries, keys and values are projected, attended to, concatenated and projected back. Keys and values
    come from the queries' own sequence, from another one (cross-attention), or from a cache of earlier steps.
Objective: head_h = softmax(q_h k_h / sqrt(D / H)) v_h over the keys that the mask allows; output
    [head_1 ... head_H] W + b.
Source: Vaswani et al. 2017, section 3.2.2.
Departures: biases in all four projections, as in GPT-2 and PyTorch's own module; a query without any allowed key
    returns zeros. Relative and rotary positions are arguments: `firth.neural.layers.positions`.
Cost: O(T D^2 + T S D) time. PyTorch's fused kernel never holds the (T, S) scores, unless weights are requested or
    positions add a bias; then memory is O(B H T S).
"""

import math

import torch
from torch import nn
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.attention import attention_weights, scaled_dot_scores
from firth.neural.layers.dropout import DropoutMask
from firth.neural.layers.masks import causal_mask
from firth.neural.layers.positions import PairPositions


class MultiHeadAttention(nn.Module):
    """Multi-head attention with H heads.

    Args:
        width: D, of queries, keys, values and output; each head has D / H.
        heads: H, a divisor of D.
        positions: position encoding inside attention; None if positions are added to the input.
    """

    def __init__(self, width: int, heads: int, *, dropout: float = 0.0, positions: PairPositions | None = None) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            raise OptionError(f"heads={heads}: expected a divisor of the width {width}, which the heads share")
        self.width, self.heads, self.dropout = width, heads, DropoutMask(dropout)
        self.in_proj = nn.Linear(width, 3 * width)  # rows: queries, keys, values
        self.out_proj = nn.Linear(width, width)
        self.positions = positions

    def project(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T, D) queries, and (B, T, 2 D) keys and values, of one sequence by one matrix product."""
        queries, keys_values = torch.split(self.in_proj(x), [self.width, 2 * self.width], -1)
        return queries, keys_values

    def queries(self, x: torch.Tensor) -> torch.Tensor:
        """Return (B, T, D) queries only, for cross-attention."""
        return functional.linear(x, self.in_proj.weight[: self.width], self.in_proj.bias[: self.width])

    def keys_values(self, memory: torch.Tensor) -> torch.Tensor:
        """Return (B, S, 2 D) keys and values of another sequence, which may be cached for later queries."""
        return functional.linear(memory, self.in_proj.weight[self.width :], self.in_proj.bias[self.width :])

    def attend(
        self,
        queries: torch.Tensor,
        keys_values: torch.Tensor,
        mask: torch.Tensor | None = None,
        *,
        causal: bool = False,
        at: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return (B, T, D) attention output, or (n, D) at chosen positions.

        Args:
            queries: (B, T, D), projected.
            keys_values: (B, S, 2 D), projected; the last query is at the position of the last key.
            mask: True where a query may attend, broadcasting to (B, T, S); None for everywhere.
            causal: whether to hide keys after each query's own position as well; only where T = S.
            at: (B, T) bool, the n positions whose output is needed; None for all.
        """
        q, k, v = self._split_heads(queries, keys_values)
        q, k, bias = self._with_positions(q, k)
        empty = None
        if mask is not None:
            mask = _for_heads(mask)
            empty = ~mask.any(-1, keepdim=True)
            mask = mask | empty  # attend everywhere, then zero below: no row of the softmax is 0 / 0
        if bias is not None:
            mask, causal = _as_bias(bias, mask, causal), False
        output = functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, dropout_p=self.dropout.rate if self.dropout.active else 0.0, is_causal=causal
        )
        if empty is not None:
            output = output.masked_fill(empty, 0.0)
        return self._join_heads(output, at)

    def forward(
        self, x: torch.Tensor, memory: torch.Tensor | None = None, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return (B, T, D), the attention of a sequence to itself or to a memory.

        Args:
            x: (B, T, D).
            memory: (B, S, D), or None for `x` itself.
            mask: True where a query may attend, broadcasting to (B, T, S).
        """
        return self.attend(*self._project_both(x, memory), mask)

    def with_weights(
        self, x: torch.Tensor, memory: torch.Tensor | None = None, mask: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return attention and its (B, H, T, S) weights, without dropout; see `forward`."""
        queries, keys_values = self._project_both(x, memory)
        weights = self.weights(queries, keys_values, mask)
        return self._join_heads(weights @ self._split_heads(queries, keys_values)[2]), weights

    def weights(
        self,
        queries: torch.Tensor,
        keys_values: torch.Tensor,
        mask: torch.Tensor | None = None,
        *,
        causal: bool = False,
    ) -> torch.Tensor:
        """Return the (B, H, T, S) weights of `attend`, without dropout."""
        q, k, _ = self._split_heads(queries, keys_values)
        q, k, bias = self._with_positions(q, k)
        scores = scaled_dot_scores(q, k)
        if causal:
            mask = causal_mask(q.shape[-2], device=q.device)
        return attention_weights(scores if bias is None else scores + bias, None if mask is None else _for_heads(mask))

    def _project_both(self, x: torch.Tensor, memory: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.project(x) if memory is None else (self.queries(x), self.keys_values(memory))

    def _split_heads(
        self, queries: torch.Tensor, keys_values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        keys, values = keys_values.chunk(2, -1)
        q, k, v = (part.reshape(*part.shape[:2], self.heads, -1).transpose(1, 2) for part in (queries, keys, values))
        return q, k, v  # each (B, H, T or S, D / H)

    def _with_positions(
        self, q: torch.Tensor, k: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
        if self.positions is None:
            return q, k, None
        q, k, bias = self.positions(q, k)
        return q, k, None if bias is None else bias / math.sqrt(q.shape[-1])

    def _join_heads(self, heads: torch.Tensor, at: torch.Tensor | None = None) -> torch.Tensor:
        joined = heads.transpose(1, 2).flatten(2)
        output: torch.Tensor = self.out_proj(joined if at is None else joined[at])
        return output


def _for_heads(mask: torch.Tensor) -> torch.Tensor:
    return mask[:, None] if mask.dim() == 3 else mask


def _as_bias(bias: torch.Tensor, mask: torch.Tensor | None, causal: bool) -> torch.Tensor:
    if causal:
        steps = torch.ones(bias.shape[-2:], dtype=torch.bool, device=bias.device).tril()
        mask = steps if mask is None else mask & steps
    return bias if mask is None else bias.masked_fill(~mask, -torch.inf)
