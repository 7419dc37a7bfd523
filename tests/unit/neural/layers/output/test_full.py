"""The full softmax, with weights of its own and tied ones."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ShapeError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.full import FullSoftmax


def test_by_hand():
    """h = (1, 2), rows (0, 0), (1, 0), (0, 1), biases 0, log 2, 0.

    Scores 0, 1 + log 2, 2; exponentials 1, 2e, e^2; their sum 1 + 2e + e^2 = 13.825...; p(1) = 2e / 13.825.
    """
    layer = FullSoftmax(OutputConfig(2, 3))
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        layer.bias.copy_(torch.tensor([0.0, math.log(2), 0.0]))
    hidden = torch.tensor([[1.0, 2.0]])
    total = 1 + 2 * math.e + math.e**2
    expected = [math.log(part / total) for part in (1, 2 * math.e, math.e**2)]
    assert layer.log_prob(hidden)[0].tolist() == pytest.approx(expected, rel=1e-6)
    assert layer.loss(hidden, torch.tensor([1])).item() == pytest.approx(-expected[1], rel=1e-6)


def test_biases_begin_as_a_unigram_model():
    layer = FullSoftmax(OutputConfig(4, 3, counts=[6, 3, 0]))
    shares = layer.log_prob(torch.zeros(1, 4))[0].exp().tolist()
    assert shares == pytest.approx([0.6, 0.3, 0.1], rel=1e-6)  # a word that was never met counts as met once


def test_a_tied_weight_is_one_weight():
    embedding = torch.nn.Embedding(7, 5)
    layer = FullSoftmax(OutputConfig(5, 7, tied=embedding.weight), bias=False)
    both = torch.nn.ModuleList([embedding, layer])
    assert layer.weight.data_ptr() == embedding.weight.data_ptr()
    assert sum(weight.numel() for weight in both.parameters()) == 35
    layer.loss(torch.ones(2, 5), torch.tensor([0, 3])).sum().backward()
    assert embedding.weight.grad is layer.weight.grad


def test_a_tied_weight_of_another_width_gets_a_projection():
    embedding = torch.nn.Embedding(7, 3)
    layer = FullSoftmax(OutputConfig(5, 7, tied=embedding.weight))
    hidden = torch.randn(2, 5)
    expected = (hidden @ layer.projection.T @ embedding.weight.T + layer.bias).log_softmax(1)
    torch.testing.assert_close(layer.log_prob(hidden), expected)


def test_wrong_tied_weights_are_refused():
    with pytest.raises(ShapeError, match="expected 7 rows"):
        FullSoftmax(OutputConfig(5, 7, tied=torch.nn.Embedding(6, 5).weight))


def test_prepared_scores_less_their_normaliser_are_log_probabilities():
    layer = FullSoftmax(OutputConfig(5, 300, tied=torch.nn.Embedding(300, 3).weight))
    hidden = torch.randn(4, 5)
    scores, normaliser = layer.prepared()(hidden)
    assert not scores.requires_grad
    torch.testing.assert_close(scores - normaliser[:, None], layer.log_prob(hidden).detach())
