"""Tokens replaced by samples of a small masked language model: the input of ELECTRA's and COCO-LM's encoders.

What
    A generator, a small encoder, predicts hidden tokens. Each hidden position gets a token sampled from what it
    predicts. The generator shares the vectors of tokens, positions and segments with the encoder, and nothing else.
Objective
    x'_t ~ p_G(. | the window with `[MASK]` at hidden positions) at hidden positions t, x'_t = x_t elsewhere; a position
    is replaced if x'_t != x_t. The generator minimises -log p_G(x_t | ...) at hidden positions. Samples carry no
    gradient: what is learned from x' changes the shared vectors, but not the generator.
Source
    Clark, Luong, Le and Manning 2020, "ELECTRA", sections 2 and 3.1 to 3.2.
Departures
    In training, 15 % of the hidden positions keep their token, as in the authors' code; the paper masks all of them.
    Without these a small generator that shares its vectors stays at the frequencies of the tokens for long, and what it
    samples is easily told. In evaluation all are masked. Special tokens are never sampled. A generator has a whole
    number of heads of the encoder's width, at least one.
Cost
    With a quarter of the width and all layers, about a tenth of the encoder's; E V multiplications per hidden token,
    twice: for the loss and for the sample.
"""

import dataclasses
import math
from dataclasses import dataclass

import torch
from torch import nn

from firth.neural.layers.token_masking import TokenMasking
from firth.neural.layers.transformer import ACTIVATIONS
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork, initialise, masked_prediction

GENERATOR_SHARES = {"masked": 0.85, "random": 0.0}  # of the hidden tokens; the others stay


class ReplacedPrediction(nn.Module):
    """Score of each token for having been replaced: w . f(W h + b) + c (Clark et al. 2020, section 2).

    f is the activation of the encoder.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[config.activation]
        self.dense, self.score = nn.Linear(config.dim, config.dim), nn.Linear(config.dim, 1)
        self.apply(initialise)

    @torch.no_grad()
    def begin_at(self, rate: float) -> None:
        """Let all tokens begin with a probability of being replaced, above 0 and below 1."""
        self.score.bias.fill_(math.log(rate / (1 - rate)))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Return (...) scores, positive where a token seems replaced, for (..., D) states."""
        scores: torch.Tensor = self.score(self.activation(self.dense(states)))
        return scores[..., 0]


@dataclass(frozen=True, eq=False)
class Corrupted:
    """A batch with sampled tokens.

    Attributes:
        ids: (B, T) int64.
        hidden: (B, T) bool, where tokens were sampled.
        replaced: (B, T) bool, where the sample is another token than the original.
        losses: (n,) of the generator at hidden positions, in nats.
    """

    ids: torch.Tensor
    hidden: torch.Tensor
    replaced: torch.Tensor
    losses: torch.Tensor


class Corruption(nn.Module):
    """Replaces tokens by samples of a generator."""

    def __init__(self, encoder: EncoderNetwork, masking: TokenMasking, share: float) -> None:
        super().__init__()
        self.masking = masking
        self.generator = EncoderNetwork(
            generator_config(encoder.config, share), encoder.embeddings, neighbours=encoder.neighbours
        )
        self.prediction = masked_prediction(self.generator)

    def forward(self, ids: torch.Tensor) -> Corrupted:
        """Return a batch with sampled tokens.

        Random numbers come from torch's default generator.

        Args:
            ids: (B, T) int64, unchanged.
        """
        masked, hidden = self.masking(ids)
        if not self.training:
            masked = ids.masked_fill(hidden, self.masking.masking.mask_id)
        states = self.generator(masked, at=hidden)
        losses = self.prediction.loss(states, ids[hidden])
        corrupted = ids.clone()
        corrupted[hidden] = self._samples(states.detach())
        return Corrupted(corrupted, hidden, corrupted != ids, losses)

    @torch.no_grad()
    def _samples(self, states: torch.Tensor) -> torch.Tensor:
        """Return (n,) tokens sampled for (n, D) states: the largest score with Gumbel noise (Gumbel 1954)."""
        scores = self.prediction.output.scores(self.prediction(states)).float()
        pieces = len(self.masking.hideable)  # vocabularies of other programs may be padded
        scores[:, :pieces].masked_fill_(~self.masking.hideable, -torch.inf)
        scores[:, pieces:] = -torch.inf
        noise = torch.empty_like(scores).exponential_().log_()
        return scores.sub_(noise).argmax(1)


def generator_config(config: EncoderConfig, share: float) -> EncoderConfig:
    """Return the sizes of a generator whose width is a share of the encoder's."""
    head = config.dim // config.heads
    heads = max(1, round(share * config.heads))
    narrow = heads * head
    ffn_dim = max(1, config.ffn_dim * narrow // config.dim)
    return dataclasses.replace(config, dim=narrow, heads=heads, ffn_dim=ffn_dim)
