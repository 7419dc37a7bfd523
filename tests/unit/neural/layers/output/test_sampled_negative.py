"""Negative sampling in the output slot."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.sampled import NegativeSampling
from tests.gradients.neural.directions import check_inputs
from tests.unit.neural.layers.output.toy import toy


def test_by_hand(monkeypatch):
    """Scores log 3, 0 and log 1/3; target 0; drawn 0, 1, 2, 1 for k = 2: each counts for half, the target is left out.

    log 4/3 for the target; half of log 2 twice and half of log 4/3.
    """
    layer = NegativeSampling(OutputConfig(1, 3), negative=2, samples=4)
    with torch.no_grad():
        layer.full.weight.zero_()
        layer.full.bias.copy_(torch.tensor([math.log(3), 0.0, -math.log(3)]))
    monkeypatch.setattr(layer.noise, "sample", lambda samples: torch.tensor([0, 1, 2, 1]))
    loss = layer.loss(torch.ones(1, 1), torch.tensor([0])).item()
    assert loss == pytest.approx(1.5 * math.log(4 / 3) + math.log(2), rel=1e-6)


def test_no_perplexity():
    layer, hidden, targets = toy(NegativeSampling)
    assert not layer.normalised
    with pytest.raises(OptionError, match="no perplexity"):
        layer.log_prob(hidden)
    with pytest.raises(OptionError, match="no perplexity"):
        layer.log_prob_of(hidden, targets)
    assert layer.scores(hidden).shape == (40, 50)


def test_its_gradient_by_central_differences():
    layer, hidden, targets = toy(NegativeSampling, samples=9)
    layer.forward = layer.loss

    def loss(hidden, weight, bias):
        torch.manual_seed(1)
        values = {"full.weight": weight, "full.bias": bias}
        return torch.func.functional_call(layer, values, (hidden, targets[:3]))

    check_inputs(loss, hidden[:3], layer.full.weight, layer.full.bias)


@pytest.mark.parametrize("options", [{"samples": 0}, {"negative": 0}, {"negative": -1}, {"negative": float("nan")}])
def test_wrong_options_are_refused(options):
    with pytest.raises(OptionError, match="expected"):
        NegativeSampling(OutputConfig(2, 3), **options)
