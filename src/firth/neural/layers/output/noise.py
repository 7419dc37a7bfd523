"""Words drawn by their counts: what sampled output layers learn against.

All draws are from torch's default generator on the processor, wherever the layer is: its state is that which a
checkpoint keeps, so that a run goes on with the same noise.
"""

from typing import Any

import torch

from firth.neural.layers.output.base import checked_number, shares


class Noise:
    """A distribution q over V words, each with a share above zero.

    Args:
        counts: (V,) of the words, one never met counted once; all words alike without them.
        words: V.
        power: that counts are raised to.

    Attributes:
        share: (V,) float64, on the processor: q.

    Raises:
        OptionError: the power is below 0 or no number.
        ShapeError: there are not V counts.
    """

    def __init__(self, counts: Any, words: int, power: float = 1.0) -> None:
        self.share = torch.from_numpy(shares(counts, words, checked_number("power", power, 0)))
        self._below = self.share.cumsum(0)

    def drawn(self, samples: int) -> torch.Tensor:
        """Return (K,) int64 words, each drawn by q from all.

        Args:
            samples: K.
        """
        where = torch.rand(samples, dtype=torch.float64) * self._below[-1]
        return torch.searchsorted(self._below, where, right=True).clamp_(max=len(self.share) - 1)

    def drawn_apart(self, samples: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return words that are all different, and how probable it was that each would be among them.

        Each word is given a time, drawn from an exponential distribution of rate q; the K words of the least times are
        taken. Given the K + 1st time t, a word is among them with probability 1 - exp(-q t), and sums over the words
        taken, each divided by it, have the sums over all words as their expectation.

        Args:
            samples: K; all words are taken where they are no more.

        Returns:
            (K,) int64 words in rising order and (K,) float64 probabilities, 1 where all words are taken.

        Source: Cohen and Kaplan 2007, "Summarizing data using bottom-k sketches", section 3.
        """
        if samples >= len(self.share):
            return torch.arange(len(self.share)), torch.ones_like(self.share)
        times = torch.empty_like(self.share).exponential_() / self.share
        least, words = times.topk(samples + 1, largest=False)
        words = words[:-1].sort().values
        return words, -torch.expm1(-self.share[words] * least[-1])
