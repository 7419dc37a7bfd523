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
    blocks follows the matrix W.
Cost
    12 D^2 + 2 T D multiplications per token and block.
"""

from dataclasses import dataclass

import torch
from torch import nn

from firth.errors import OptionError
from firth.neural.layers.transformer import ACTIVATIONS, TransformerConfig, TransformerEncoder

SPREAD = 0.02  # standard deviation of new parameters
TYPES = 2  # segments


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
    """Vectors of tokens with their positions and segments.

    Args:
        config: of the encoder.
    """

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

    Attributes:
        config: as given.
        embeddings: vectors of tokens.
        width: D.
    """

    def __init__(self, config: EncoderConfig, embeddings: TokenEmbeddings | None = None) -> None:
        super().__init__()
        self.config, self.width = config, config.dim
        self.embeddings = TokenEmbeddings(config) if embeddings is None else embeddings
        same = config.embedding_dim == config.dim
        self.project = nn.Identity() if same else nn.Linear(config.embedding_dim, config.dim)
        self.blocks = TransformerEncoder(config.blocks, config.layers, context=0, positions="none")
        for part in (self.project, self.blocks, *([self.embeddings] if embeddings is None else [])):
            part.apply(initialise)

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
        self, ids: torch.Tensor, lengths: torch.Tensor | None = None, types: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the (B, T, D) outputs of the last block; arguments as in `states`."""
        outputs: torch.Tensor = self.blocks(self.project(self.embeddings(ids, types)), lengths)
        return outputs


def initialise(module: nn.Module) -> None:
    """Draw the parameters of a layer as BERT does."""
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=SPREAD)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
