"""Noise-contrastive estimation: its expectation, and what its gradient becomes."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from torch.nn import functional

from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.sampled import ContrastiveSoftmax
from tests.gradients.neural.directions import check_inputs
from tests.unit.neural.layers.output.toy import D, V, exact_gradient, mean_gradient, toy


def test_by_hand(monkeypatch):
    """Two words of even q, k = 2, so that k q = 1; scores log 3 and log 1, log Z = 0; noise: word 0 and word 1.

    Target 0: 3 to 1 for the text, log 4/3; the noise words are told as noise with 1/4 and 1/2: log 4 + log 2.
    With log Z = log 3 scores are log 1 and log 1/3: log 2 + log 2 + log 4/3.
    """
    losses = []
    for log_z in (0.0, math.log(3)):
        layer = ContrastiveSoftmax(OutputConfig(1, 2), samples=2, log_z=log_z)
        with torch.no_grad():
            layer.full.weight.zero_()
            layer.full.bias.copy_(torch.tensor([3.0, 1.0]).log())
        monkeypatch.setattr(layer.noise, "sample", lambda samples: torch.tensor([0, 1]))
        losses.append(layer.loss(torch.ones(1, 1), torch.tensor([0])).item())
    assert losses == pytest.approx([math.log(32 / 3), math.log(16 / 3)], rel=1e-6)


def test_the_loss_has_the_expectation_that_the_formula_says():
    layer, hidden, targets = toy(ContrastiveSoftmax, samples=20)
    share = layer.noise.probabilities
    odds = layer.log_scores(hidden) - (20 * share).log()
    expected = functional.softplus(-odds.gather(1, targets[:, None]))[:, 0]
    expected = expected + 20 * (functional.softplus(odds) * share).sum(1)
    losses = []
    for seed in range(500):
        torch.manual_seed(seed)
        losses.append(layer.loss(hidden, targets).detach())
    means, errors = torch.stack(losses).mean(0), torch.stack(losses).std(0) / 500**0.5
    assert ((means - expected).abs() / errors).max() < 4.5  # of 40 targets
    assert errors.min() > 1e-4


def test_its_gradient_becomes_that_of_maximum_likelihood():
    """Scores whose exponentials sum to nearly one: the gradient is k q / (p + k q) of the other, about k / (1 + k)."""
    ratios = []
    for samples in (1, 200):
        layer, hidden, targets = toy(ContrastiveSoftmax, scale=0.05, samples=samples)
        assert (layer.log_scores(hidden).logsumexp(1).abs() < 0.2).all()
        exact = exact_gradient(layer, hidden, targets)
        estimate = mean_gradient(layer, hidden, targets, draws=200)
        assert torch.cosine_similarity(exact, estimate, 0) > 0.99
        ratios.append((estimate.norm() / exact.norm()).item())
    assert ratios == pytest.approx([1 / 2, 200 / 201], rel=0.06)


def test_z_can_be_learned():
    layer, hidden, targets = toy(ContrastiveSoftmax, samples=50, log_z=1.0, learn_z=True)
    assert "log_z" in dict(layer.named_parameters())
    with torch.no_grad():
        layer.log_z += 1  # scores begin normalised, and now Z is too great, so that it has to fall
    layer.loss(hidden, targets).sum().backward()
    assert layer.log_z.grad.item() > 0
    torch.testing.assert_close(layer.log_prob(hidden).exp().sum(1), torch.ones(len(hidden), dtype=torch.float64))


def test_its_gradient_by_central_differences():
    layer, hidden, targets = toy(ContrastiveSoftmax, samples=9, learn_z=True)
    layer.forward = layer.loss

    def loss(hidden, weight, bias, log_z):
        torch.manual_seed(1)
        values = {"full.weight": weight, "full.bias": bias, "log_z": log_z}
        return torch.func.functional_call(layer, values, (hidden, targets[:3]))

    check_inputs(loss, hidden[:3], layer.full.weight, layer.full.bias, layer.log_z)


def test_training_normalises_it_by_itself():
    """Fifty words of known shares under one hidden vector: NCE finds the shares, and a sum of one."""
    layer, _, _ = toy(ContrastiveSoftmax, samples=200)
    torch.manual_seed(1)
    wanted = torch.linspace(1, 3, V, dtype=torch.float64).softmax(0)
    hidden = torch.zeros(500, D, dtype=torch.float64)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    for step in range(400):
        optimiser.param_groups[0]["lr"] = 0.05 * (1 - step / 400)
        optimiser.zero_grad()
        layer.loss(hidden, torch.multinomial(wanted, 500, replacement=True)).mean().backward()
        optimiser.step()
    scores = layer.log_scores(hidden[:1])[0].detach()
    assert scores.logsumexp(0).item() == pytest.approx(0, abs=0.05)
    assert functional.kl_div(scores, wanted, reduction="sum").item() == pytest.approx(0, abs=0.05)
