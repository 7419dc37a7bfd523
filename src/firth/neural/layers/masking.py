"""Masked language modelling: tokens are hidden, and predicted from those around them.

What
    Masks, drawn anew at every step, and the head that predicts the hidden tokens: a dense layer, and an output layer
    that may share the embedding's weights. It is computed at hidden positions only.
Objective
    -log p(w_t | the sequence with some tokens hidden), at each hidden position t. A hidden token is replaced by a mask
    (80 %), by a random token (10 %), or by itself (10 %).
Source
    Devlin, Chang, Lee and Toutanova 2019, section 3.1 (task 1) and appendix A.1; Liu et al. 2019, section 4.1 (a new
    mask at every step).
Departures
    Each position is hidden with probability `rate` on its own, so that their number varies; Devlin et al. hide 15 % of
    each sequence. If none of a batch is, one is.
Cost
    V D multiplications per hidden token.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.full import FullSoftmax


@dataclass(frozen=True)
class Masking:
    """How tokens are hidden.

    Attributes:
        mask_id: id of the mask.
        words: V; random tokens have ids from 0 to V - 1.
        rate: probability that a token is hidden.
        masked: share of hidden tokens that are replaced by the mask.
        random: share that are replaced by a random token; the rest stay.
    """

    mask_id: int
    words: int
    rate: float = 0.15
    masked: float = 0.8
    random: float = 0.1

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise OptionError(f"mask_rate={self.rate!r}: expected a probability above 0 and at most 1")
        if min(self.masked, self.random) < 0 or self.masked + self.random > 1:
            raise OptionError(
                f"masked={self.masked!r}, random={self.random!r}: expected shares of at least 0, together at most 1"
            )

    def __call__(self, ids: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (B, T) ids with tokens replaced, and (B, T) bool: the positions to predict.

        Random numbers come from torch's default generator.

        Args:
            ids: (B, T) int64, padded on the right; unchanged.
            lengths: (B,) int64, at least 1 in all.
        """
        tokens = torch.arange(ids.shape[1], device=ids.device) < lengths[:, None]
        draws = torch.rand(2, *ids.shape, device=ids.device)
        hidden = at_least_one(tokens & (draws[0] < self.rate), tokens, draws[0])
        return self.replace(ids, hidden, draws[1], torch.randint(self.words, ids.shape, device=ids.device)), hidden

    def replace(
        self, ids: torch.Tensor, hidden: torch.Tensor, draws: torch.Tensor, other: torch.Tensor
    ) -> torch.Tensor:
        """Return (B, T) ids whose hidden tokens are replaced by the mask, by other tokens, or by themselves.

        Args:
            ids: (B, T) int64, unchanged.
            hidden: (B, T) bool.
            draws: (B, T) from 0 to 1, which of the three happens at each position.
            other: (B, T) int64, the random tokens.
        """
        replaced = ids.masked_fill(hidden & (draws < self.masked), self.mask_id)
        swapped = hidden & (draws >= self.masked) & (draws < self.masked + self.random)
        return torch.where(swapped, other, replaced)


def at_least_one(hidden: torch.Tensor, tokens: torch.Tensor, draws: torch.Tensor) -> torch.Tensor:
    """Return (B, T) bool, the hidden positions; if there are none, that of the least draw of the tokens."""
    if bool(hidden.any()) or not bool(tokens.any()):
        return hidden
    return tokens & (draws == draws[tokens].min())


class MaskedPrediction(nn.Module):
    """The head of a masked language model.

    Args:
        config: of the output layer: D, V, counts, and the embedding's weight, which may be shared.
        norm_eps: added to variances by the layer norm.
        activation: between the dense layer and the norm.
    """

    def __init__(
        self,
        config: OutputConfig,
        *,
        norm_eps: float = 1e-5,
        activation: Callable[[torch.Tensor], torch.Tensor] = functional.gelu,
    ) -> None:
        super().__init__()
        self.activation = activation
        inner = config.width if config.tied is None else config.tied.shape[1]  # E, that of the embedding
        self.dense, self.norm = nn.Linear(config.width, inner), nn.LayerNorm(inner, norm_eps)
        self.output = FullSoftmax(replace(config, width=inner))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, E) inputs of the output layer for (N, D) hidden states."""
        output: torch.Tensor = self.norm(self.activation(self.dense(hidden)))
        return output

    def loss(self, states: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (n,) -log p of the tokens at n hidden positions, in nats.

        Args:
            states: (n, D) of the sequence with tokens replaced.
            targets: (n,) the true tokens.
        """
        return self.output.loss(self(states), targets)

    def scores(self, states: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (n,) log p of the tokens at n hidden positions, in nats, and whether each is the most probable.

        Arguments as in `loss`.
        """
        log_probs = self.output.log_prob(self(states))
        return log_probs.gather(1, targets[:, None])[:, 0], log_probs.argmax(1) == targets
