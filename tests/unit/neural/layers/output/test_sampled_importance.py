"""The importance-sampled softmax: exact with all words, without bias in its sum with some."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.sampled import ImportanceSoftmax
from tests.gradients.neural.directions import check_inputs
from tests.unit.neural.layers.output.toy import V, exact_gradient, mean_gradient, toy


def test_by_hand(monkeypatch):
    """Scores log 1, log 2, log 4 of three words; word 2 drawn with probability 1/2, word 0 with 1.

    For target 1 the sum is 2 + 4 / (1/2) + 1 = 11, for target 2 it is 4 + 1 = 5, its own draw left out.
    """
    layer = ImportanceSoftmax(OutputConfig(1, 3), samples=2)
    with torch.no_grad():
        layer.full.weight.zero_()
        layer.full.bias.copy_(torch.tensor([1.0, 2.0, 4.0]).log())
    drawn = torch.tensor([0, 2]), torch.tensor([1.0, 0.5], dtype=torch.float64)
    monkeypatch.setattr(layer.noise, "sample_distinct", lambda samples: drawn)
    loss = layer.loss(torch.ones(2, 1), torch.tensor([1, 2]))
    assert loss.tolist() == pytest.approx([math.log(11 / 2), math.log(5 / 4)], rel=1e-6)


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_all_words_are_the_full_softmax(power):
    layer, hidden, targets = toy(ImportanceSoftmax, samples=V, power=power)
    torch.testing.assert_close(layer.loss(hidden, targets), layer.full.loss(hidden, targets))


def test_the_sum_has_no_bias():
    """exp(loss) p is the estimated sum over the true one: its mean over 500 draws is 1 within four of its errors."""
    layer, hidden, targets = toy(ImportanceSoftmax, samples=10)
    exact = layer.log_prob_of(hidden, targets)
    ratios = []
    for seed in range(500):
        torch.manual_seed(seed)
        ratios.append((layer.loss(hidden, targets) + exact).exp().detach())
    means, errors = torch.stack(ratios).mean(0), torch.stack(ratios).std(0) / 500**0.5
    assert ((means - 1).abs() / errors).max() < 4.5  # of 40 targets
    assert errors.min() > 1e-5  # or nothing was drawn at all


def test_its_gradient_is_that_of_maximum_likelihood():
    layer, hidden, targets = toy(ImportanceSoftmax, samples=25)
    exact = exact_gradient(layer, hidden, targets)
    estimate = mean_gradient(layer, hidden, targets, draws=300)
    assert torch.cosine_similarity(exact, estimate, 0) > 0.99
    assert estimate.norm() / exact.norm() == pytest.approx(1, abs=0.05)


def test_its_gradient_by_central_differences():
    layer, hidden, targets = toy(ImportanceSoftmax, samples=25)

    def loss(hidden, weight, bias):
        torch.manual_seed(1)
        values = {"full.weight": weight, "full.bias": bias}
        return torch.func.functional_call(layer, values, (hidden, targets))

    layer.forward = layer.loss
    targets = targets[:3]
    check_inputs(loss, hidden[:3], layer.full.weight, layer.full.bias)


def test_no_samples_are_refused():
    with pytest.raises(OptionError, match="samples=0"):
        ImportanceSoftmax(OutputConfig(2, 3), samples=0)
