"""The noise distribution of sampled output layers.

All samples come from torch's default generator on the CPU, wherever the layer is: a checkpoint saves its state, so
that a resumed run draws the same noise.
"""

import torch

from firth.neural.layers.output.base import OutputConfig, checked_number


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
