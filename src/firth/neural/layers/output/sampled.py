"""Output layers that train on a sample of words: importance sampling, noise-contrastive estimation, negative sampling.

What: in training only the target and sampled words are scored, drawn once per batch. An importance-sampled softmax
estimates the sum over all words. Noise-contrastive estimation (NCE) is a logistic classifier of text words against
noise words, whose scores become normalised by themselves; the normaliser Z is a constant, fixed or learned. Negative
sampling, the objective of word2vec, gives scores and no probabilities.

Objective: with scores s = W h + b, less log Z for NCE, K words drawn from q for NCE, S of them weighted as k for
negative sampling, and pi_w the probability that w is among distinct words that are drawn,

    importance   loss = -s_target + log( exp(s_target) + sum_{w drawn, w != target} exp(s_w) / pi_w )
    nce          loss = -log sigma(x_target) - sum_n log sigma(-x_n),   x_w = s_w - log(K q(w))
    negative     loss = -log sigma(s_target) - k / S sum_{n != target} log sigma(-s_n)

The expectation of the sum in brackets is the softmax's sum; the gradient of NCE approaches that of -log p(target) as K
grows. The optimal scores of negative sampling are log(p(w | h) / q(w)) - log k: their softmax is not p, because the
loss does not correct for q and k, so that it has no perplexity. The others normalise exactly in `log_prob`.

Source: Bengio and Senecal 2003, "Quick training of probabilistic neural nets by importance sampling", section 3, and
Jean et al. 2015, "On using very large target vocabulary for neural machine translation", section 3.2 (one sample per
batch, scores corrected by - log q); Gutmann and Hyvarinen 2010, "Noise-contrastive estimation", and Mnih and Teh 2012,
"A fast and simple algorithm for training neural probabilistic language models", section 3, equations 8 to 13, and
section 3.2 for Z as a constant; Mikolov et al. 2013, "Distributed representations of words and phrases and their
compositionality", section 2.2.

Departures:
- Importance: the sampled words are distinct, and scores are corrected by the probability of being in the sample
  (`NoiseDistribution.sample_distinct`), not by K q, the expected count with replacement: with q near the text's shares,
  frequent words would fill most of such a sample. The target's term is exact, and a target in the sample is left out of
  the sum; Jean et al. correct the target like the others. For K = V this is the full softmax.
- NCE: the same K words serve all predictions of a batch, in one matrix product; Mnih and Teh sample 25 for each. Noise
  may contain the target, or a word twice, as often as q says. Z is one number for all contexts. Biases start at log q +
  log Z, so that scores are log-probabilities from the start; Mnih and Teh do not say how theirs start.
- Negative sampling: the same S words serve all predictions of a batch, with weight k / S, not k for each. A noise
  word that is the target is left out, as in word2vec. Biases start at log(p(w) / (k q(w))) with p(w) the relative
  frequency of the word, the optimum without context; word2vec has none.
- All samples come from torch's default generator on the CPU, wherever the layer is: a checkpoint saves its state, so
  that a resumed run draws the same noise.

Cost: N (K + 1) D multiplications; V random numbers per batch of the importance-sampled softmax.
"""

import dataclasses
from typing import ClassVar

import torch
from torch.nn import functional

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig, OutputLayer, checked_number, checked_switch
from firth.neural.layers.output.full import FullSoftmax

NO_PROBABILITIES = (
    "a model trained by negative sampling has scores, not probabilities, so it has no perplexity: it learns how much "
    "likelier a word is here than in the noise; use output='nce' or another output for probabilities"
)


class NoiseDistribution:
    """A distribution q over V words, each with a probability above zero.

    Args:
        config: counts of V words; a count of 0 is taken as 1. Uniform without counts.

    Attributes:
        probabilities: (V,) float64 on the CPU: q.
    """

    def __init__(self, config: OutputConfig, power: float = 1.0) -> None:
        self.probabilities = torch.from_numpy(config.shares(checked_number("power", power, 0)))
        self._cumulative = self.probabilities.cumsum(0)

    def sample(self, samples: int) -> torch.Tensor:
        """Return (K,) int64 words, sampled from q with replacement."""
        positions = torch.rand(samples, dtype=torch.float64) * self._cumulative[-1]
        return torch.searchsorted(self._cumulative, positions, right=True).clamp_(max=len(self.probabilities) - 1)

    def sample_distinct(self, samples: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return distinct words, and the probability of each to be among them.

        Each word has a random time from an exponential distribution of rate q; the K words with the smallest times are
        the sample. Given the K + 1st time t, a word is in the sample with probability 1 - exp(-q t). A sum over the
        sample, each term divided by this probability, has the sum over all words as its expectation.

        Args:
            samples: K; all words if there are no more.

        Returns:
            (K,) int64 words in ascending order and (K,) float64 probabilities, 1 if all words are returned.

        Source: Cohen and Kaplan 2007, "Summarizing data using bottom-k sketches", section 3.
        """
        if samples >= len(self.probabilities):
            return torch.arange(len(self.probabilities)), torch.ones_like(self.probabilities)
        times = torch.empty_like(self.probabilities).exponential_() / self.probabilities
        smallest, words = times.topk(samples + 1, largest=False)
        words = words[:-1].sort().values
        return words, -torch.expm1(-self.probabilities[words] * smallest[-1])


class SampledSoftmax(OutputLayer):
    """A full softmax that trains on a sample of words.

    Attributes:
        full: the softmax.
        samples: K.
    """

    def __init__(self, config: OutputConfig, samples: int, power: float = 1.0) -> None:
        super().__init__(config)
        self.samples: int = checked_number("samples", samples, 1, whole=True)
        self.full = FullSoftmax(config)
        self.noise = NoiseDistribution(config, power)

    def log_prob(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) log p; see `OutputLayer.log_prob`."""
        return self.full.log_prob(hidden)

    def log_prob_of(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) log p(target); see `OutputLayer.log_prob_of`."""
        return self.full.log_prob_of(hidden, targets)


class ImportanceSoftmax(SampledSoftmax):
    """A full softmax that trains on a sample of words; see the module.

    Args:
        config: width, words, counts (for q and the initial biases; without them q is uniform) and tied weight.
        samples: K.

    Attributes:
        full: the softmax.
    """

    def __init__(self, config: OutputConfig, *, samples: int = 1024, power: float = 1.0) -> None:
        super().__init__(config, samples, power)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return (N,) the estimate of -log p(target); see `OutputLayer.loss`."""
        words, share = self.noise.sample_distinct(self.samples)
        words = words.to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, words)
        corrected = of_noise - share.log().to(of_noise.dtype).to(of_noise.device)
        rest = corrected.masked_fill(words == targets[:, None], -torch.inf)
        return torch.cat([of_target[:, None], rest], 1).logsumexp(1) - of_target


class ContrastiveSoftmax(SampledSoftmax):
    """Noise-contrastive estimation; see the module.

    Args:
        config: width, words, counts (for q and the initial biases; q is uniform without them) and tied weight.
        samples: K.
        log_z: log Z, or its initial value.
        learn_z: whether it is learned.

    Attributes:
        full: the softmax.
        log_z: (), a parameter if it is learned.
    """

    log_z: torch.Tensor

    def __init__(self, config: OutputConfig, *, samples: int = 1024, log_z: float = 0.0, learn_z: bool = False) -> None:
        super().__init__(config, samples)
        self.register_buffer(
            "_log_share", self.noise.probabilities.log().to(torch.get_default_dtype()), persistent=False
        )
        constant = torch.tensor(checked_number("log_z", log_z))
        self.full.begin_at(self.noise.probabilities.log() + constant)
        if checked_switch("learn_z", learn_z):
            self.log_z = torch.nn.Parameter(constant)
        else:
            self.register_buffer("log_z", constant)

    def loss(self, hidden: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the (N,) logistic loss of text against noise; see `OutputLayer.loss`."""
        noise = self.noise.sample(self.samples).to(targets.device)
        of_target, of_noise = self.full.some_scores(hidden, targets, noise)
        share = self.get_buffer("_log_share") + torch.log(torch.tensor(float(self.samples)))
        text = of_target - self.log_z - share[targets]
        noise_scores = of_noise - self.log_z - share[noise]
        return functional.softplus(-text) + functional.softplus(noise_scores).sum(1)

    def log_scores(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return (N, V) unnormalised scores, whose exponentials sum to about one after successful training."""
        return self.full.scores(hidden) - self.log_z


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
        losses = functional.softplus(of_noise).masked_fill(noise == targets[:, None], 0.0)
        return functional.softplus(-of_target) + self.negative / self.samples * losses.sum(1)

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
