"""Heads over the states of an encoder that tell whether tokens were replaced."""

import math

import torch
from torch import nn

from firth.neural.layers.transformer import ACTIVATIONS
from firth.neural.models.pretraining.network import EncoderConfig, initialise


class ReplacedPrediction(nn.Module):
    """Score of each token for having been replaced: w . f(W h + b) + c (Clark et al. 2020, section 2).

    f is the activation of the encoder.

    Args:
        config: of the encoder.
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
