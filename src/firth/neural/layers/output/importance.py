"""The importance-sampled softmax: training estimates the sum over all words from a sample.

What: a full softmax that in training computes only the target and K words, drawn once per batch.

Objective: with scores s = W h + b, words S drawn so that each is among them with probability pi_w,

    loss = -s_target + log( exp(s_target) + sum_{w in S, w != target} exp(s_w) / pi_w )

The expectation of the sum in brackets is the softmax's sum. `log_prob` and `log_prob_of` compute the full softmax.

Source: Bengio and Senecal 2003, "Quick training of probabilistic neural nets by importance sampling", section 3;
Jean et al. 2015, "On using very large target vocabulary for neural machine translation", section 3.2, for one sample
per batch and for the correction of scores by - log q.

Departures: the sampled words are distinct, and scores are corrected by the probability of being in the sample
(`NoiseDistribution.sample_distinct`), not by K q, the expected count with replacement: with q near the text's shares,
frequent words would fill most of such a sample. The target's term is exact, and a target in the sample is left out of
the sum; Jean et al. correct the target like the others. For K = V this is the full softmax.

Cost: N (K + 1) D multiplications, and V random numbers per batch.
"""

import torch

from firth.neural.layers.output.base import OutputConfig, OutputLayer, checked_number
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.output.noise import NoiseDistribution


class ImportanceSoftmax(OutputLayer):
    """A full softmax that trains on a sample of words; see the module.

    Args:
        config: width, words, counts (for q and the initial biases; without them q is uniform) and tied weight.
        samples: K.

    Attributes:
        full: the softmax.
    """

    def __init__(self, config: OutputConfig, *, samples: int = 1024, power: float = 1.0) -> None:
        super().__init__(config)
        self.samples: int = checked_number("samples", samples, 1, whole=True)
        self.full = FullSoftmax(config)
        self.noise = NoiseDistribution(config, power)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) the estimate of -log p(target); see `OutputLayer.loss`."""
        words, share = self.noise.sample_distinct(self.samples)
        words = words.to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, words)
        corrected = of_noise - share.log().to(of_noise.dtype).to(of_noise.device)
        others = corrected.masked_fill(words == targets[:, None], -torch.inf)
        return torch.cat([of_target[:, None], others], 1).logsumexp(1) - of_target

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        return self.full.log_prob(hidden)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        return self.full.log_prob_of(hidden, targets)
