"""Words that are drawn."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.sampled import NoiseDistribution

COUNTS = np.array([60, 25, 10, 4, 1])


def test_draws_have_the_shares():
    """100,000 draws: a share of 0.6 is met within four standard deviations, sqrt(0.24 / 100000) = 0.0015 each."""
    torch.manual_seed(11)
    drawn = torch.bincount(NoiseDistribution(OutputConfig(1, 5, COUNTS)).sample(100_000), minlength=5) / 100_000
    deviations = np.sqrt(COUNTS / 100 * (1 - COUNTS / 100) / 100_000)
    assert (np.abs(drawn.numpy() - COUNTS / 100) < 4 * deviations).all()


def test_words_drawn_apart_estimate_every_sum():
    """Each word's mean of 1 / probability where it is drawn and 0 elsewhere is 1: no sum over words is biased."""
    torch.manual_seed(12)
    noise, times = NoiseDistribution(OutputConfig(1, 5, COUNTS)), 20_000
    sums, squares = torch.zeros(5, dtype=torch.float64), torch.zeros(5, dtype=torch.float64)
    for _ in range(times):
        words, share = noise.sample_distinct(3)
        assert len(words) == 3
        sums.index_add_(0, words, 1 / share)
        squares.index_add_(0, words, share**-2)
    means = sums / times
    errors = ((squares / times - means**2) / times).sqrt()
    assert ((means - 1).abs() < 4 * errors + 1e-12).all()


@pytest.mark.parametrize("samples", [5, 9])
def test_all_words_are_certain(samples):
    words, share = NoiseDistribution(OutputConfig(1, 5, COUNTS)).sample_distinct(samples)
    assert words.tolist() == [0, 1, 2, 3, 4]
    assert share.tolist() == [1] * 5


def test_draws_follow_the_default_generator():
    noise, draws = NoiseDistribution(OutputConfig(1, 5, COUNTS)), []
    for _ in range(2):
        torch.manual_seed(13)
        draws.append((noise.sample(50).tolist(), noise.sample_distinct(3)[1].tolist()))
    assert draws[0] == draws[1]
    assert noise.sample(50).tolist() != draws[0][0]


@pytest.mark.parametrize("power", [-1, float("inf"), "half"])
def test_a_wrong_power_is_refused(power):
    with pytest.raises(OptionError, match="expected a number of at least 0"):
        NoiseDistribution(OutputConfig(1, 5, COUNTS), power)
