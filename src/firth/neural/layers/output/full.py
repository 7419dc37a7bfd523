"""Full softmax: one row of weights per word, all of them for every prediction.

What: the reference for all other output layers, with weights of its own or tied to the embedding.

Objective: with hidden state h, row u_w and bias b_w of each word,

    p(w | h) = exp(h . u_w + b_w) / sum_v exp(h . u_v + b_v),      loss = -log p(target | h)

and P h in place of h, if weights are tied to an embedding of another width than h.

Source: Bengio et al. 2003, "A neural probabilistic language model", section 2; for tied weights Press and Wolf 2017,
"Using the output embedding to improve language models", section 3, and Inan, Khosravi and Socher 2017, "Tying word
vectors and word classifiers", section 3.

Departures: with counts, biases start at the logarithm of the words' relative frequencies, so that the first predictions
are those of a unigram model; Press and Wolf start at 0.

Cost: N V D multiplications forward and twice that backward; one (N, V) array.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from firth.errors import ShapeError
from firth.neural.layers.output.base import (
    OutputConfig,
    OutputLayer,
    PreparedScores,
    checked_number,
    checked_switch,
    start_uniform,
)
from firth.neural.layers.output.cross_entropy import linear_cross_entropy, log_normalisers
from firth.neural.layers.products import PreparedLinear, linear


class FullSoftmax(OutputLayer):
    """A softmax over all words; see the module.

    Args:
        config: width, words, counts (for the initial biases; without them biases start at 0) and tied weight.
        bias: whether words have biases.
        smoothing: label smoothing of the loss in training: the share of the target's probability that all words share.

    Attributes:
        weight: (V, D), or (V, E) if tied.
        bias: (V,) or None.
        projection: (E, D), or None if E is D.
    """

    bias: torch.nn.Parameter | None
    projection: torch.nn.Parameter | None

    def __init__(self, config: OutputConfig, *, bias: bool = True, smoothing: float = 0.0) -> None:
        super().__init__(config)
        self.smoothing = checked_number("smoothing", smoothing, 0, 0.99)
        width, words, tied = config.width, config.words, config.tied
        if tied is not None and (tied.dim() != 2 or len(tied) != words):
            raise ShapeError(f"a tied weight of shape {tuple(tied.shape)}: expected {words} rows, one per word")
        self.weight = start_uniform(torch.empty(words, width), width) if tied is None else tied
        inner = self.weight.shape[1]
        self.projection = start_uniform(torch.empty(inner, width), width) if inner != width else None
        self.bias = torch.nn.Parameter(_first_bias(config)) if checked_switch("bias", bias) else None

    def scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) h . u_w + b_w of all words."""
        return linear(self.projected(hidden), self.weight, self.bias)

    def some_scores(
        self, hidden: torch.Tensor, targets: torch.Tensor, noise: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (N,) scores of the targets, and (N, K) scores of noise words.

        Args:
            hidden: (N, D).
            targets: (N,) int64.
            noise: (K,) int64, the same for all hidden states.
        """
        words = torch.cat([targets, noise])  # looked up together, so that the weight gets one gradient
        rows, biases = functional.embedding(words, self.weight), None if self.bias is None else self.bias[words]
        inner, count = self.projected(hidden), len(targets)
        if biases is None:
            return (inner * rows[:count]).sum(1), functional.linear(inner, rows[count:])
        return (inner * rows[:count]).sum(1) + biases[:count], functional.linear(inner, rows[count:], biases[count:])

    @torch.no_grad()
    def begin_at(self, scores: torch.Tensor) -> None:
        """Set the biases to (V,) scores, those for a hidden state of zeros."""
        assert self.bias is not None
        self.bias.copy_(scores)

    def projected(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, E) hidden states, projected to the width of the weights."""
        return hidden if self.projection is None else functional.linear(hidden, self.projection)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) -log p(target); see `OutputLayer.loss`."""
        smoothing = self.smoothing if self.training else 0.0
        return linear_cross_entropy(self.projected(hidden), self.weight, self.bias, targets, smoothing)

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        return functional.log_softmax(self.scores(hidden), 1)

    def prepared(self) -> PreparedScores:
        """Return what scores words in a search: log-probabilities of all words are never written."""
        scores_of = self.prepared_scores()

        def prepared(hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            scores = scores_of(hidden)
            return scores, log_normalisers(scores)

        return prepared

    def prepared_scores(self, words: torch.Tensor | None = None) -> Callable[[torch.Tensor], torch.Tensor]:
        """Return what computes `scores` in a search; of some words only, given their (C,) int64 ids."""
        chosen = slice(None) if words is None else words
        scores_of = PreparedLinear(self.weight[chosen], None if self.bias is None else self.bias[chosen])
        return lambda hidden: scores_of(self.projected(hidden))

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        return -linear_cross_entropy(self.projected(hidden), self.weight, self.bias, targets)


def _first_bias(config: OutputConfig) -> torch.Tensor:
    """Return (V,) log relative frequencies, or zeros."""
    if config.counts is None:
        return torch.zeros(config.words)
    return torch.from_numpy(np.log(config.shares())).to(torch.get_default_dtype())
