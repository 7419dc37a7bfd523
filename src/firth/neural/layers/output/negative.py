"""Negative sampling: scores that distinguish a word from noise words; no probabilities.

What: the objective of word2vec as an output layer, for any hidden states.

Objective: with scores s = W h + b, S noise words n from q, weighted as k for each prediction,

    loss = -log sigma(s_target) - k / S sum_{n != target} log sigma(-s_n)

Its optimal scores are log(p(w | h) / q(w)) - log k: their softmax is not p, because the loss does not correct for q and
k. So this layer has no perplexity; noise-contrastive estimation does.

Source: Mikolov et al. 2013, "Distributed representations of words and phrases and their compositionality", section 2.2.

Departures: the same S words serve all predictions of a batch, with weight k / S, instead of k for each prediction. A
noise word that is the target is left out, as in their program. Biases start at log(p(w) / (k q(w))) with p(w) the
relative frequency of the word, the optimum without context; theirs has no biases.

Cost: N (S + 1) D multiplications.
"""

import dataclasses
from typing import ClassVar

import torch
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig, OutputLayer, checked_number
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.noise import NoiseDistribution


class NegativeSampling(OutputLayer):
    """Scores, not probabilities; see the module.

    Args:
        config: width, words, counts (for q and the initial biases; uniform without them) and tied weight.
        negative: k.
        samples: S.

    Attributes:
        full: weights and biases of the words.

    Raises:
        OptionError: there are no samples, or k is not above 0.
        ShapeError: the tied weight does not have V rows, or there are not V counts.
    """

    normalised: ClassVar[bool] = False

    def __init__(
        self, config: OutputConfig, *, negative: float = 10.0, samples: int = 512, power: float = 0.75
    ) -> None:
        super().__init__(config)
        self.negative: float = checked_number("negative", negative, 0, above=True)
        self.samples: int = checked_number("samples", samples, 1, whole=True)
        self.full = FullSoftmax(dataclasses.replace(config, counts=None))
        self.noise = NoiseDistribution(config, power)
        share = torch.from_numpy(config.shares())
        self.full.begin_at(share.log() - (self.negative * self.noise.probabilities).log())

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the (N,) logistic loss of targets against noise; see `OutputLayer.loss`."""
        noise = self.noise.sample(self.samples).to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, noise)
        each = functional.softplus(of_noise).masked_fill(noise == targets[:, None], 0.0)
        return functional.softplus(-of_target) + self.negative / self.samples * each.sum(1)

    def scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) scores: higher for words that fit better, but no log-probabilities."""
        return self.full.scores(hidden)

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Refuse; see `OutputLayer.log_prob`.

        Raises:
            OptionError: always.
        """
        raise OptionError(NO_PROBABILITIES)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Refuse; see `OutputLayer.log_prob_of`.

        Raises:
            OptionError: always.
        """
        raise OptionError(NO_PROBABILITIES)


NO_PROBABILITIES = (
    "a model trained by negative sampling has scores, not probabilities, so it has no perplexity: it learns how much "
    "likelier a word is here than in the noise; use output='nce' or another output for probabilities"
)
