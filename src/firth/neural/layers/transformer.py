"""The transformer block: attention, then a feed-forward network, each with a residual connection; and the encoder.

What: one block serves as an encoder block (it attends to the whole sequence), a language model's block (to earlier
    steps, from a cache) and a decoder block (also to a memory, by cross-attention).
Objective: pre-norm x + f(norm(x)), post-norm norm(x + f(x)), for f = attention, cross-attention, and the feed-forward
    network W_2 g(W_1 x + b_1) + b_2 with g = GELU or ReLU. Pre-norm stacks end with one more norm.
Source: Vaswani et al. 2017, sections 3.1 and 3.3 (post-norm, ReLU); Radford et al. 2019, section 2.3 (pre-norm, GELU,
    the last norm, scaled initial weights); Xiong et al. 2020 (why pre-norm needs less warm-up).
Departures: initial matrices are uniform with variance 1 / fan-in, so that a variance of 1 is preserved; Glorot's
    initialisation also counts the fan-out. Matrices that write into the residual stream, of which n blocks have 2 n (3
    n with a memory), are divided by the square root of that number, as in GPT-2. Biases start at 0.
Cost: O(T D^2 + T^2 D) per block; a feed-forward network of width 4 D takes two thirds of the products.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import padding_mask
from firth.neural.layers.multi_head_attention import MultiHeadAttention
from firth.neural.layers.positions import (
    POSITIONS,
    LearnedPositions,
    PairPositions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
)

ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "gelu": nn.functional.gelu,
    "relu": nn.functional.relu,
}
NORMS = ("pre", "post")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """Configuration that the blocks of a stack share.

    Attributes:
        width: D.
        heads: H, a divisor of D.
        ffn_dim: width of the feed-forward network; None for 4 D.
        norm: "pre" or "post": layer norm before each part, or after its residual connection.
        activation: of the feed-forward network: "gelu" or "relu".
        dropout: rate on the output of each part, on the feed-forward network and on attention weights.
        norm_eps: added to variances by layer norms.
    """

    width: int
    heads: int
    ffn_dim: int | None = None
    norm: str = "pre"
    activation: str = "gelu"
    dropout: float = 0.1
    norm_eps: float = 1e-5

    def __post_init__(self) -> None:
        for name, choices in (("norm", NORMS), ("activation", tuple(ACTIVATIONS))):
            if getattr(self, name) not in choices:
                raise OptionError(f"{name}={getattr(self, name)!r}: expected one of {', '.join(choices)}")


class TransformerBlock(nn.Module):
    """One transformer block.

    Args:
        memory: whether the block has cross-attention, as in decoders.
        positions: position encoding inside attention; None if positions are added to the input.
    """

    def __init__(
        self, config: TransformerConfig, *, memory: bool = False, positions: PairPositions | None = None
    ) -> None:
        super().__init__()
        width, ffn_dim = config.width, config.ffn_dim or 4 * config.width
        self.pre_norm = config.norm == "pre"
        self.activation = ACTIVATIONS[config.activation]
        self.attention = MultiHeadAttention(width, config.heads, dropout=config.dropout, positions=positions)
        self.cross_attention = MultiHeadAttention(width, config.heads, dropout=config.dropout) if memory else None
        self.up_proj, self.down_proj = nn.Linear(width, ffn_dim), nn.Linear(ffn_dim, width)
        eps = config.norm_eps
        self.attention_norm, self.ffn_norm = nn.LayerNorm(width, eps), nn.LayerNorm(width, eps)
        self.cross_attention_norm = nn.LayerNorm(width, eps) if memory else None
        self.dropout = Dropout(config.dropout)

    def forward(
        self,
        x: torch.Tensor,
        kv_cache: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
        *,
        causal: bool = False,
        remembered: torch.Tensor | None = None,
        memory_mask: torch.Tensor | None = None,
        at: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the (B, T, D) output, or (n, D) at chosen positions, and the (B, P + T, 2 D) cache for later steps.

        Args:
            x: (B, T, D).
            kv_cache: (B, P, 2 D) keys and values of P earlier steps, or None.
            mask: True where a step may attend, broadcasting to (B, T, P + T).
            causal: whether steps attend to no later step; without a cache only, otherwise use `mask`.
            remembered: (B, S, 2 D) keys and values of a memory, from `remember`, for cross-attention; with fewer rows,
                each serves as many consecutive ones, and so does the mask.
            memory_mask: True where a step may attend to the memory, broadcasting to (B, T, S).
            at: (B, T) bool, the n positions whose output is needed, in a block without cross-attention; None for all.
        """
        x, kv_cache = self._attend_to_self(x, kv_cache, mask, causal=causal, at=at)
        if self.cross_attention is not None and self.cross_attention_norm is not None:
            assert remembered is not None, "a block with cross-attention attends to a memory"
            queries = self.cross_attention.queries(self._before(x, self.cross_attention_norm))
            shared = queries.reshape(len(remembered), -1, x.shape[2])
            change = self.cross_attention.attend(shared, remembered, memory_mask).view(x.shape)
            x = self._after(x, change, self.cross_attention_norm)
        return self._after(x, self._feed_forward(self._before(x, self.ffn_norm)), self.ffn_norm), kv_cache

    def cross_weights(self, x: torch.Tensor, remembered: torch.Tensor, memory_mask: torch.Tensor) -> torch.Tensor:
        """Return the (B, H, T, S) weights of cross-attention at the first T steps; arguments as in `forward`."""
        assert self.cross_attention is not None, "the block attends to a memory"
        assert self.cross_attention_norm is not None, "likewise"
        x, _ = self._attend_to_self(x, None, None, causal=True)
        queries = self.cross_attention.queries(self._before(x, self.cross_attention_norm))
        return self.cross_attention.weights(queries, remembered, memory_mask)

    def remember(self, memory: torch.Tensor) -> torch.Tensor:
        """Return the (B, S, 2 D) keys and values of a (B, S, D) memory, for any number of calls."""
        assert self.cross_attention is not None, "the block has cross-attention"
        return self.cross_attention.keys_values(memory)

    def initialise(self, residual_writes: int) -> None:
        """Initialise parameters so that variances are preserved.

        Args:
            residual_writes: parts of the whole stack that add to the residual stream: 2 per block, 3 with a memory.
        """
        for part in self.modules():
            if isinstance(part, nn.Linear):
                _preserve_variance(part)
        writers = [self.attention.out_proj, self.down_proj]
        writers += [self.cross_attention.out_proj] if self.cross_attention else []
        with torch.no_grad():
            for writer in writers:
                writer.weight /= residual_writes**0.5

    def _attend_to_self(
        self,
        x: torch.Tensor,
        kv_cache: torch.Tensor | None,
        mask: torch.Tensor | None,
        *,
        causal: bool,
        at: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        queries, keys_values = self.attention.project(self._before(x, self.attention_norm))
        kv_cache = keys_values if kv_cache is None else torch.cat((kv_cache, keys_values), 1)
        change = self.attention.attend(queries, kv_cache, mask, causal=causal, at=at)
        return self._after(x if at is None else x[at], change, self.attention_norm), kv_cache

    def _feed_forward(self, x: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = self.down_proj(self.dropout(self.activation(self.up_proj(x))))
        return output

    def _before(self, x: torch.Tensor, norm: nn.LayerNorm) -> torch.Tensor:
        return _normalised(norm, x) if self.pre_norm else x

    def _after(self, x: torch.Tensor, change: torch.Tensor, norm: nn.LayerNorm) -> torch.Tensor:
        total = x + self.dropout(change)
        return total if self.pre_norm else _normalised(norm, total)


def _normalised(norm: nn.LayerNorm, x: torch.Tensor) -> torch.Tensor:
    output: torch.Tensor = norm(x)
    return output


def _preserve_variance(linear: nn.Linear) -> None:
    bound = (3.0 / linear.in_features) ** 0.5  # a uniform number up to b has variance b^2 / 3
    nn.init.uniform_(linear.weight, -bound, bound)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def transformer_blocks(
    config: TransformerConfig, layers: int, *, memory: bool = False, positions: str = "learned"
) -> nn.ModuleList:
    """Return the initialised blocks of a stack.

    Args:
        positions: "relative" and "rotary" act inside each block; other names do not.
    """
    blocks = nn.ModuleList()
    for _ in range(layers):
        block = TransformerBlock(config, memory=memory, positions=_pair_positions(positions, config))
        block.initialise((3 if memory else 2) * layers)
        blocks.append(block)
    return blocks


def _pair_positions(positions: str, config: TransformerConfig) -> PairPositions | None:
    if positions == "relative":
        return RelativePositions(config.width, config.heads)
    return RotaryPositions() if positions == "rotary" else None


def added_positions(kind: str, width: int, context: int) -> LearnedPositions | SinusoidalPositions | None:
    """Return the layer that adds positions to the input, or None for a kind that acts inside the blocks.

    Args:
        width: D.
    """
    if kind not in POSITIONS:
        raise OptionError(f"positions={kind!r}: expected one of {', '.join(POSITIONS)}")
    if kind == "learned":
        return LearnedPositions(width, context)
    return SinusoidalPositions(width, context) if kind == "sinusoidal" else None


class TransformerEncoder(nn.Module):
    """Blocks that attend to the whole sequence.

    Args:
        context: maximum length of a sequence in steps, if positions are added.
        positions: as in `added_positions`.
    """

    def __init__(self, config: TransformerConfig, layers: int, *, context: int, positions: str = "learned") -> None:
        super().__init__()
        self.width = config.width
        self.positions, self.context = added_positions(positions, config.width, context), context
        self.blocks = transformer_blocks(config, layers, positions=positions)
        self.norm = nn.LayerNorm(config.width, config.norm_eps) if config.norm == "pre" else nn.Identity()
        self.dropout = Dropout(config.dropout)

    def forward(
        self, x: torch.Tensor, lengths: torch.Tensor | None = None, at: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return (B, T, D) outputs, meaningless at padding, or (n, D) at chosen positions.

        Args:
            x: (B, T, D); steps past the context are padding.
            lengths: (B,) steps of each sequence, at most the context if positions are added; None if all have T.
            at: (B, T) bool, the n positions whose output is needed: the last block computes no other; None for all.
        """
        return self.states(x, lengths, at=at)[-1]

    def states(
        self, x: torch.Tensor, lengths: torch.Tensor | None = None, *, frozen: int = 0, at: torch.Tensor | None = None
    ) -> list[torch.Tensor]:
        """Return the (B, T, D) input of the blocks and the output of each; the last is normalised in pre-norm stacks.

        Args:
            x: (B, T, D); steps past the context are padding.
            lengths: (B,) steps of each sequence, at most the context if positions are added; None if all have T.
            frozen: blocks, the first ones, that do not learn.
            at: as in `forward`, of the last output.
        """
        mask = None if lengths is None else padding_mask(lengths, x.shape[1])
        if self.positions is not None:
            x = torch.cat([self.positions(x[:, : self.context]), x[:, self.context :]], 1)
        states = [self.dropout(x)]
        for number, block in enumerate(self.blocks):
            with torch.set_grad_enabled(torch.is_grad_enabled() and number >= frozen):
                last = number == len(self.blocks) - 1
                states.append(block(states[-1], mask=mask, at=at if last else None)[0])
        states[-1] = self.norm(states[-1])
        return states
