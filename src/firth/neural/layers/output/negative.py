"""Negative sampling: scores that tell a word from drawn ones, and no probabilities.

What: the objective of word2vec in the output slot, for hidden vectors of any kind.

Objective: with scores s = W h + b, S noise words n drawn from q, k of them for each prediction in expectation,

    loss = -log sigma(s_target) - k / S sum_{n != target} log sigma(-s_n)

Its best scores are log(p(w | h) / q(w)) - log k, with q raised to a power and without a place for k or q in the loss:
a softmax of them is not p. That is why it reports no perplexity; noise-contrastive estimation does.

Source: Mikolov et al. 2013, "Distributed representations of words and phrases and their compositionality", section 2.2.

Departures: the same S words serve all predictions of a batch, k / S times each, in the place of k for each prediction.
A noise word that is the target is left out, as their program does. Biases begin at log(p(w) / (k q(w))) with p(w) the
word's share of the text, the best scores of a model without contexts; theirs has no biases.

Cost: N (S + 1) D multiplications.
"""

from typing import Any, ClassVar

import torch
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputLayer, checked_number, shares
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.noise import NoiseDistribution


class NegativeSampling(OutputLayer):
    """Scores, not probabilities; see the module.

    Args:
        width: D, of the hidden vectors.
        words: V.
        counts: (V,) of the words, for q and the biases' beginning; even without them.
        tied: (V, E) the weight of an embedding, to be shared.
        negative: k.
        samples: S.
        power: that counts are raised to for q.

    Attributes:
        full: rows and biases of the words.

    Raises:
        OptionError: there are no samples, or k is not above 0.
        ShapeError: the tied weight has not V rows, or there are not V counts.
    """

    normalised: ClassVar[bool] = False

    def __init__(
        self,
        width: int,
        words: int,
        *,
        counts: Any = None,
        tied: torch.nn.Parameter | None = None,
        negative: float = 10.0,
        samples: int = 512,
        power: float = 0.75,
    ) -> None:
        super().__init__(width, words)
        self.negative: float = checked_number("negative", negative, 0, above=True)
        self.samples: int = checked_number("samples", samples, 1, whole=True)
        self.full = FullSoftmax(width, words, tied=tied)
        self.noise = NoiseDistribution(counts, words, power)
        share = torch.from_numpy(shares(counts, words))
        self.full.begin_at(share.log() - (self.negative * self.noise.probabilities).log())

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) how badly targets and noise are told apart; see `OutputLayer.loss`."""
        noise = self.noise.sample(self.samples).to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, noise)
        each = functional.softplus(of_noise).masked_fill(noise == targets[:, None], 0.0)
        return functional.softplus(-of_target) + self.negative / self.samples * each.sum(1)

    def scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) the scores: greater for words that fit better, and no more than that."""
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
    "a model trained by negative sampling has scores and no probabilities, so it has no perplexity: what it learns is "
    "how much likelier a word is here than in the noise; expected output='nce' or any other kind for probabilities, or "
    "the layer's scores"
)
