"""Stochastic nodes: draws that have the right frequencies, and gradients where they should be."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.stochastic import (
    annealed_temperature,
    gaussian,
    gaussian_kl,
    gumbel_max,
    gumbel_noise,
    gumbel_softmax,
    straight_through,
)

SCORES = torch.tensor([0.0, 1.0, -1.0, 2.0, 0.5], dtype=torch.float64)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_gaussian_draws_have_their_mean_and_variance():
    """100,000 draws: the mean of N(3, 4) within 5 standard errors, 2 / sqrt(1e5).

    The variance within 5 of its own, 4 sqrt(2 / 1e5).
    """
    draws = gaussian(torch.full((100_000,), 3.0), torch.full((100_000,), math.log(4.0)), generator=seeded())
    assert draws.mean().item() == pytest.approx(3, abs=5 * 2 / 316)
    assert draws.var().item() == pytest.approx(4, abs=5 * 4 * math.sqrt(2e-5))


def test_gradients_of_a_gaussian_draw():
    """z = m + e^(l / 2) e: dz/dm = 1 and dz/dl = e^(l / 2) e / 2 = (z - m) / 2."""
    mean, log_variance = torch.tensor([1.5], requires_grad=True), torch.tensor([0.7], requires_grad=True)
    draw = gaussian(mean, log_variance, generator=seeded())
    draw.sum().backward()
    assert mean.grad.item() == 1
    assert log_variance.grad.item() == pytest.approx((draw - mean).item() / 2, abs=1e-6)


def test_kl_by_hand():
    """N(1, 4) from N(0, 1): (0 - ln 4 + 4 + 1 - 1) / 2 = 2 - ln 2 = 1.3069; two such dimensions twice that."""
    found = gaussian_kl(torch.ones(3, 2), torch.full((3, 2), math.log(4.0)))
    assert found.tolist() == pytest.approx([2 * (2 - math.log(2))] * 3, abs=1e-6)


def test_kl_is_the_mean_of_the_difference_of_logarithms():
    """KL = E[log q(z) - log p(z)] over 400,000 draws z of q, within 5 standard errors."""
    mean, spread = torch.tensor([0.5, -1.0], dtype=torch.float64), torch.tensor([0.3, -0.8], dtype=torch.float64)
    prior_mean, prior_spread = torch.tensor([0.0, 1.0]).double(), torch.tensor([0.5, 0.2]).double()
    draws = gaussian(mean.expand(400_000, 2), spread.expand(400_000, 2), generator=seeded())

    def log_density(z, m, log_variance):
        return torch.distributions.Normal(m, (0.5 * log_variance).exp()).log_prob(z).sum(-1)

    differences = log_density(draws, mean, spread) - log_density(draws, prior_mean, prior_spread)
    error = (differences.std() / math.sqrt(len(differences))).item()
    exact = gaussian_kl(mean, spread, prior_mean, prior_spread).item()
    assert differences.mean().item() == pytest.approx(exact, abs=5 * error)
    assert 5 * error < 0.02


def test_gumbel_noise_has_its_mean_and_variance():
    """Mean 0.5772 (Euler's constant), variance pi^2 / 6 = 1.6449; 1,000,000 draws, errors 0.0013 and 0.0034 each."""
    noise = gumbel_noise(torch.empty(1_000_000, dtype=torch.float64), generator=seeded())
    assert noise.mean().item() == pytest.approx(np.euler_gamma, abs=0.005)
    assert noise.var().item() == pytest.approx(math.pi**2 / 6, abs=0.015)


@pytest.mark.parametrize("kind", ["max", "softmax", "straight-through"])
def test_draws_have_the_frequencies_of_the_softmax(kind):
    """100,000 draws against softmax(scores) by chi-square; scores twice as steep would give p < 1e-100."""
    rows = SCORES.expand(100_000, 5)
    if kind == "max":
        drawn = gumbel_max(rows, generator=seeded())
    else:
        relaxed = gumbel_softmax(rows, 0.7, generator=seeded())
        drawn = (relaxed if kind == "softmax" else straight_through(relaxed)).argmax(-1)
    counts = torch.bincount(drawn, minlength=5).numpy()
    assert chisquare(counts, 100_000 * SCORES.softmax(0).numpy()).pvalue > 0.01
    assert chisquare(counts, 100_000 * (2 * SCORES).softmax(0).numpy()).pvalue < 1e-100


def test_what_has_no_chance_is_never_drawn():
    scores = torch.tensor([0.0, -torch.inf, 1.0]).expand(10_000, 3)
    assert (gumbel_max(scores, generator=seeded()) != 1).all()
    assert torch.isfinite(gumbel_softmax(scores, 0.5, generator=seeded())).all()


def test_relaxed_draws_equal_torchs():
    """PyTorch's own function makes its noise the same way: the same seed gives the same draw."""
    torch.manual_seed(3)
    expected = torch.nn.functional.gumbel_softmax(SCORES, tau=0.7)
    torch.manual_seed(3)
    torch.testing.assert_close(gumbel_softmax(SCORES, 0.7), expected, atol=1e-12, rtol=0)


def test_cold_draws_are_one_hot_and_hot_ones_even():
    rows = SCORES.expand(1000, 5)
    assert gumbel_softmax(rows, 1e-3, generator=seeded()).max(-1).values.mean() > 0.99
    assert (gumbel_softmax(rows, 1e4, generator=seeded()) - 0.2).abs().max() < 1e-2


def test_straight_through_is_hard_forwards_and_soft_backwards():
    scores, values = SCORES.clone().requires_grad_(), torch.arange(5.0, dtype=torch.float64)
    relaxed = gumbel_softmax(scores, 0.7, generator=seeded())
    hard = straight_through(relaxed)
    assert sorted(hard.tolist()) == [0, 0, 0, 0, 1]
    assert hard.argmax() == relaxed.argmax()
    (through,) = torch.autograd.grad((hard * values).sum(), scores, retain_graph=True)
    (soft,) = torch.autograd.grad((relaxed * values).sum(), scores)
    assert torch.equal(through, soft)
    assert through.abs().max() > 0


def test_the_temperature_falls_and_stays():
    """e^-0.1 = 0.9048 after 1,000 steps of rate 1e-4; 0.5 from step 6,932 on, for ln 2 = 0.6931."""
    assert annealed_temperature(0) == 1
    assert annealed_temperature(1000) == pytest.approx(0.904837, abs=1e-6)
    assert annealed_temperature(6931) > 0.5
    assert annealed_temperature(6932) == annealed_temperature(10**9) == 0.5
