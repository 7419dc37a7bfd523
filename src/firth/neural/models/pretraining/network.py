"""The transformer encoder that is pretrained: BERT's network, as a configuration of firth's stack.

What
    Vectors of tokens, of their positions and of their segments are added and normalised; post-norm blocks of attention
    over the whole sequence follow. The vectors may be narrower than the blocks, as in ELECTRA.
Objective
    x = W norm(E[w_t] + P[t] + S[s_t]), with W only where the widths differ; h = blocks(x)
Source
    Devlin et al. 2019, section 3; Clark et al. 2020, "ELECTRA", section 3.2 (narrow embeddings, a matrix to the blocks'
    width).
Departures
    Parameters start from a normal distribution with standard deviation 0.02 that is not truncated. Dropout before the
    blocks follows the matrix W. Unless `neighbours` is off, attention of the first block starts at neighbouring
    positions: a quarter of the coordinates of P starts as sines and cosines, and the heads' queries as these waves at
    one position to the left, to the right, two to the left ... . From random parameters all heads start with the mean
    of the window, and the loss of masked tokens stays near that of their frequencies for millions of tokens. Trockman
    and Kolter 2023, "Mimetic initialization of self-attention layers", start attention at similar positions likewise.
Cost
    12 D^2 + 2 T D multiplications per token and block.
"""

import math
from dataclasses import dataclass
from typing import cast

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.masking import MaskedPrediction
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.transformer import ACTIVATIONS, TransformerBlock, TransformerConfig, TransformerEncoder

SPREAD = 0.02  # standard deviation of new parameters
TYPES = 2  # segments
WAVE_SHARE = 4  # one coordinate of so many holds a wave
AMPLITUDE = 3 * SPREAD  # of waves
FASTEST, SLOWEST = 3.0, 0.05  # radians a position
NEIGHBOURS = 4  # heads that start at one, at least
SCORE = 8.0  # of attention at the position where a head starts; the mean over all others is near 0


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Sizes of an encoder.

    Attributes:
        vocabulary: V.
        dim: D, of the blocks.
        embedding_dim: E, of the vectors of tokens.
        layers: number of blocks.
        heads: H, a divisor of D.
        ffn_dim: width of the feed-forward network.
        max_length: positions, special tokens included.
        types: segments.
        dropout: rate.
        activation: "gelu" or "relu".
        norm_eps: added to variances by layer norms.

    Raises:
        OptionError: a size is below 1, the heads do not divide the width, a rate is out of its range, or there is
            no such activation.
    """

    vocabulary: int
    dim: int = 256
    embedding_dim: int = 256
    layers: int = 4
    heads: int = 4
    ffn_dim: int = 1024
    max_length: int = 128
    types: int = TYPES
    dropout: float = 0.1
    activation: str = "gelu"
    norm_eps: float = 1e-12

    def __post_init__(self) -> None:
        for name in ("vocabulary", "dim", "embedding_dim", "layers", "heads", "ffn_dim", "max_length", "types"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: expected at least 1")
        if not 0 <= self.dropout < 1 or not 0 < self.norm_eps < 1:
            raise OptionError(
                f"dropout={self.dropout}, norm_eps={self.norm_eps}: expected a rate of at least 0 and below 1, and a "
                "number above 0 and below 1"
            )
        if self.dim % self.heads:
            raise OptionError(f"heads={self.heads}: expected a divisor of dim={self.dim}, which the heads share")
        if self.activation not in ACTIVATIONS:
            raise OptionError(f"activation={self.activation!r}: expected one of {', '.join(ACTIVATIONS)}")

    @property
    def blocks(self) -> TransformerConfig:
        """Configuration of the blocks."""
        return TransformerConfig(
            width=self.dim, heads=self.heads, ffn_dim=self.ffn_dim, norm="post", activation=self.activation,
            dropout=self.dropout, norm_eps=self.norm_eps,
        )  # fmt: skip


class TokenEmbeddings(nn.Module):
    """Vectors of tokens with their positions and segments."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width = config.embedding_dim
        self.word, self.position = nn.Embedding(config.vocabulary, width), nn.Embedding(config.max_length, width)
        self.segment = nn.Embedding(config.types, width)
        self.norm = nn.LayerNorm(width, config.norm_eps)

    def forward(self, ids: torch.Tensor, types: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, T, E) vectors.

        Args:
            ids: (B, T) int64.
            types: (B, T) int64, the segment of each token; None for the first.
        """
        segments = self.segment.weight[0] if types is None else self.segment(types)
        vectors: torch.Tensor = self.norm(self.word(ids) + self.position.weight[: ids.shape[1]] + segments)
        return vectors


class EncoderNetwork(nn.Module):
    """The encoder: tokens to states.

    Args:
        config: sizes.
        embeddings: of another encoder, to share; None for new ones.
        neighbours: whether attention of the first block starts at neighbouring positions; those who load parameters
            need not ask for it.

    Attributes:
        embeddings: vectors of tokens.
        width: D.
    """

    def __init__(
        self, config: EncoderConfig, embeddings: TokenEmbeddings | None = None, *, neighbours: bool = False
    ) -> None:
        super().__init__()
        self.config, self.width, self.neighbours = config, config.dim, neighbours
        self.embeddings = TokenEmbeddings(config) if embeddings is None else embeddings
        same = config.embedding_dim == config.dim
        self.project = nn.Identity() if same else nn.Linear(config.embedding_dim, config.dim)
        self.blocks = TransformerEncoder(config.blocks, config.layers, context=0, positions="none")
        for part in (self.project, self.blocks, *([self.embeddings] if embeddings is None else [])):
            part.apply(initialise)
        if neighbours:
            if embeddings is None:
                add_waves(self.embeddings)
            attend_to_neighbours(self)

    def states(
        self,
        ids: torch.Tensor,
        lengths: torch.Tensor | None = None,
        types: torch.Tensor | None = None,
        *,
        frozen: int = 0,
    ) -> list[torch.Tensor]:
        """Return the (B, T, D) input of the blocks, and the output of each; all meaningless at padding.

        Args:
            ids: (B, T) int64, padded on the right.
            lengths: (B,) int64; None if all rows have T tokens.
            types: (B, T) int64 segments; None for the first.
            frozen: parts that do not learn: the vectors of tokens, then the blocks from the first.
        """
        with torch.set_grad_enabled(torch.is_grad_enabled() and not frozen):
            x = self.project(self.embeddings(ids, types))
        return self.blocks.states(x, lengths, frozen=max(frozen - 1, 0))

    def forward(
        self,
        ids: torch.Tensor,
        lengths: torch.Tensor | None = None,
        types: torch.Tensor | None = None,
        *,
        at: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the (B, T, D) outputs of the last block, or (n, D) at chosen positions.

        Args:
            at: (B, T) bool, the n positions whose output is needed; None for all.
        """
        outputs: torch.Tensor = self.blocks(self.project(self.embeddings(ids, types)), lengths, at)
        return outputs


def initialise(module: nn.Module) -> None:
    """Draw the parameters of a layer as BERT does."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=SPREAD)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


def wave_rates(width: int) -> torch.Tensor:
    """Return the (M,) rates of the waves in vectors of positions of a width, in radians a position."""
    return torch.exp(torch.linspace(math.log(FASTEST), math.log(SLOWEST), width // WAVE_SHARE // 2))


@torch.no_grad()
def add_waves(embeddings: TokenEmbeddings) -> None:
    """Let the first coordinates of the vectors of positions be M sines, then M cosines."""
    table = embeddings.position.weight
    rates = wave_rates(table.shape[1])
    if not len(rates):  # too narrow
        return
    phases = torch.arange(len(table)).unsqueeze(1) * rates
    waves = torch.cat([phases.sin(), phases.cos()], 1)
    table.mul_(0.1)  # what is left of the random values would hide the words
    table[:, : waves.shape[1]] += AMPLITUDE * waves


@torch.no_grad()
def attend_to_neighbours(network: EncoderNetwork) -> None:
    """Let the heads of the first block start at one position to the left, to the right, two to the left and so on.

    Where it has fewer than four, those of the next blocks go on.

    With sines and cosines of the position as its coordinates, W_q x turns each wave by its rate times the distance, so
    that queries equal the keys at that distance: q_t . k_s is the sum over the waves of cos(rate (s - t - distance)).
    """
    config, rates = network.config, wave_rates(network.config.embedding_dim)
    waves, head = len(rates), config.dim // config.heads
    if isinstance(network.project, nn.Linear):  # as many waves as fit into half of the width keep their coordinates
        chosen = _spaced(waves, config.dim // 4)
        weight = network.project.weight
        nn.init.normal_(weight, std=config.embedding_dim**-0.5)
        weight[: 2 * len(chosen)] = torch.eye(weight.shape[1])[torch.cat([chosen, waves + chosen])]
        rates, waves = rates[chosen], len(chosen)
    chosen = _spaced(waves, head // 2)
    count = len(chosen)
    if not count:
        return
    share = 2 * waves / config.embedding_dim  # of coordinates with a wave, before the norm
    variance = 2 * SPREAD**2 + share * AMPLITUDE**2 / 2  # of words and segments, and of waves
    scale = (SCORE * math.sqrt(head) / (count * AMPLITUDE**2 / variance)) ** 0.5
    sines, cosines = chosen, waves + chosen
    for number in range(max(config.heads, min(NEIGHBOURS, config.heads * config.layers))):
        block, head_number = divmod(number, config.heads)
        weight = cast("TransformerBlock", network.blocks.blocks[block]).attention.in_proj.weight
        distance = (number // 2 + 1) * (-1 if number % 2 == 0 else 1)
        turn = rates[chosen] * distance
        query = head_number * head + torch.arange(count)
        key = config.dim + query
        weight[query, sines] += scale * turn.cos()
        weight[query, cosines] += scale * turn.sin()
        weight[query + count, sines] -= scale * turn.sin()
        weight[query + count, cosines] += scale * turn.cos()
        weight[key, sines] += scale
        weight[key + count, cosines] += scale


def _spaced(number: int, most: int) -> torch.Tensor:
    """Return at most so many of a number of places, evenly spaced."""
    return torch.linspace(0, number - 1, min(number, most)).round().long() if number and most else torch.zeros(0).long()


def masked_prediction(encoder: EncoderNetwork) -> MaskedPrediction:
    """Return a new head that predicts hidden tokens, whose output layer shares the vectors of tokens."""
    config, table = encoder.config, cast("torch.nn.Parameter", encoder.embeddings.word.weight)
    head = MaskedPrediction(
        OutputConfig(config.dim, config.vocabulary, tied=table), norm_eps=config.norm_eps,
        activation=ACTIVATIONS[config.activation],
    )  # fmt: skip
    initialise(head.dense)
    return head
