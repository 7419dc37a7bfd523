"""The transformer block: attention, then a network on each place by itself, each beside a way around it.

What: one block, used in an encoder (it sees the whole sequence), in a language model (it sees what came before, from
    a cache where there is one) and in a decoder (it also looks at a memory); and the encoder.
Objective: pre-norm x + f(norm(x)), post-norm norm(x + f(x)), for f = attention, attention to the memory, and the
    network W_2 g(W_1 x + b_1) + b_2 with g = GELU or ReLU. Pre-norm stacks normalise once more at their end.
Source: Vaswani et al. 2017, sections 3.1 and 3.3 (post-norm, ReLU); Radford et al. 2019, section 2.3 (pre-norm, GELU,
    the last norm, the scaled start); Xiong et al. 2020 (why pre-norm needs less warmup).
Departures: matrices start uniform with variance 1 / fan-in, so that what is of variance 1 stays so; how many numbers
    a matrix writes does not count, as it does for Glorot. Those that write into the sum, of which n blocks have 2 n
    (3 n with a memory), are divided by the square root of that number, as GPT-2's are. Biases start at 0.
Cost: O(T D^2 + T^2 D) a block; the network of inner width 4 D is two thirds of the products.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.masks import padding_mask
from firth.neural.layers.multi_head import MultiHeadAttention
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
class BlockShape:
    """What the blocks of a stack have in common.

    Attributes:
        width: D.
        heads: H, a divisor of D.
        inner: units of the network on each place; None for 4 D.
        norm: "pre" or "post": where the layer norm stands.
        activation: "gelu" or "relu".
        dropout: share dropped of what each part adds, of the network's units and of attention weights.

    Raises:
        OptionError: a name is none of these.
    """

    width: int
    heads: int
    inner: int | None = None
    norm: str = "pre"
    activation: str = "gelu"
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name, known in (("norm", NORMS), ("activation", tuple(ACTIVATIONS))):
            if getattr(self, name) not in known:
                raise OptionError(f"{name}={getattr(self, name)!r}: expected one of {', '.join(known)}")


class TransformerBlock(nn.Module):
    """One block.

    Args:
        shape: width, heads and the rest.
        memory: whether it also looks at a memory, as decoders do.
        positions: how places enter the scores; None where they were added to the input.
    """

    def __init__(self, shape: BlockShape, *, memory: bool = False, positions: PairPositions | None = None) -> None:
        super().__init__()
        width, inner = shape.width, shape.inner or 4 * shape.width
        self.pre = shape.norm == "pre"
        self.activation = ACTIVATIONS[shape.activation]
        self.attention = MultiHeadAttention(width, shape.heads, dropout=shape.dropout, positions=positions)
        self.to_memory = MultiHeadAttention(width, shape.heads, dropout=shape.dropout) if memory else None
        self.rise, self.fall = nn.Linear(width, inner), nn.Linear(inner, width)
        self.attention_norm, self.network_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.memory_norm = nn.LayerNorm(width) if memory else None
        self.dropout = Dropout(shape.dropout)

    def forward(
        self,
        x: torch.Tensor,
        cache: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
        *,
        causal: bool = False,
        memory: torch.Tensor | None = None,
        memory_mask: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the block's output, and the keys and values that later steps may look at.

        Args:
            x: (B, T, D).
            cache: (B, P, 2 D) keys and values of steps before, or None.
            mask: True where a step may look, broadcasting to (B, T, P + T).
            causal: whether steps see nothing after themselves; only without a cache, where `mask` says it otherwise.
            memory: (B, S, D), for a block that looks at one.
            memory_mask: True where a step may look at the memory, broadcasting to (B, T, S).

        Returns:
            (B, T, D) and (B, P + T, 2 D).
        """
        queries, seen = self.attention.projected(self._before(x, self.attention_norm))
        seen = seen if cache is None else torch.cat((cache, seen), 1)
        x = self._after(x, self.attention.attend(queries, seen, mask, causal=causal), self.attention_norm)
        if self.to_memory is not None and self.memory_norm is not None:
            looked_up = self.to_memory(self._before(x, self.memory_norm), memory, memory_mask)
            x = self._after(x, looked_up, self.memory_norm)
        return self._after(x, self._network(self._before(x, self.network_norm)), self.network_norm), seen

    def start(self, added: int) -> None:
        """Set parameters to their start, which keeps the variance of what passes.

        Args:
            added: how many such parts the whole stack adds to its input: two a block, three with a memory.
        """
        for part in self.modules():
            if isinstance(part, nn.Linear):
                _keep_variance(part)
        writers = [self.attention.outward, self.fall] + ([self.to_memory.outward] if self.to_memory else [])
        with torch.no_grad():
            for writer in writers:
                writer.weight /= added**0.5

    def _network(self, x: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = self.fall(self.dropout(self.activation(self.rise(x))))
        return output

    def _before(self, x: torch.Tensor, norm: nn.LayerNorm) -> torch.Tensor:
        return _normalised(norm, x) if self.pre else x

    def _after(self, x: torch.Tensor, change: torch.Tensor, norm: nn.LayerNorm) -> torch.Tensor:
        total = x + self.dropout(change)
        return total if self.pre else _normalised(norm, total)


def _normalised(norm: nn.LayerNorm, x: torch.Tensor) -> torch.Tensor:
    output: torch.Tensor = norm(x)
    return output


def _keep_variance(linear: nn.Linear) -> None:
    bound = (3.0 / linear.in_features) ** 0.5  # a uniform number up to b has variance b^2 / 3
    nn.init.uniform_(linear.weight, -bound, bound)
    if linear.bias is not None:
        nn.init.zeros_(linear.bias)


def blocks(shape: BlockShape, layers: int, *, memory: bool = False, positions: str = "learned") -> nn.ModuleList:
    """Return the blocks of a stack, at their start.

    Args:
        shape: what they have in common.
        layers: how many.
        memory: whether they look at one.
        positions: "relative" and "rotary" act within each block; any other name does not.
    """
    made = nn.ModuleList()
    for _ in range(layers):
        block = TransformerBlock(shape, memory=memory, positions=_within(positions, shape))
        block.start((3 if memory else 2) * layers)
        made.append(block)
    return made


def _within(positions: str, shape: BlockShape) -> PairPositions | None:
    if positions == "relative":
        return RelativePositions(shape.width, shape.heads)
    return RotaryPositions() if positions == "rotary" else None


def added_positions(kind: str, width: int, context: int) -> LearnedPositions | SinusoidalPositions | None:
    """Return what adds places to the input, or None for a kind that acts within the blocks.

    Args:
        kind: one of `firth.neural.layers.positions.POSITIONS`.
        width: D.
        context: places there are.

    Raises:
        OptionError: there is no such kind.
    """
    if kind not in POSITIONS:
        raise OptionError(f"positions={kind!r}: expected one of {', '.join(POSITIONS)}")
    if kind == "learned":
        return LearnedPositions(width, context)
    return SinusoidalPositions(width, context) if kind == "sinusoidal" else None


class TransformerEncoder(nn.Module):
    """Blocks that see the whole sequence.

    Args:
        shape: what the blocks have in common.
        layers: how many.
        context: the longest sequence, in steps, where positions are added.
        positions: as in `added_positions`.
    """

    def __init__(self, shape: BlockShape, layers: int, *, context: int, positions: str = "learned") -> None:
        super().__init__()
        self.width = shape.width
        self.positions = added_positions(positions, shape.width, context)
        self.blocks = blocks(shape, layers, positions=positions)
        self.norm = nn.LayerNorm(shape.width) if shape.norm == "pre" else nn.Identity()
        self.dropout = Dropout(shape.dropout)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, T, D) outputs; those behind the end of a sequence mean nothing.

        Args:
            x: (B, T, D).
            lengths: (B,) real steps of each sequence; None where all are.
        """
        mask = None if lengths is None else padding_mask(lengths, x.shape[1])
        x = self.dropout(x if self.positions is None else self.positions(x))
        for block in self.blocks:
            x, _ = block(x, mask=mask)
        output: torch.Tensor = self.norm(x)
        return output
