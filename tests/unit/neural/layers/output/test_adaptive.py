"""The adaptive softmax against torch's own, and its cut-offs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.output.adaptive import AdaptiveSoftmax, cheapest_cutoffs
from firth.neural.layers.output.base import OutputConfig


def as_torch_has_it(layer):
    """torch's layer with the same weights."""
    theirs = torch.nn.AdaptiveLogSoftmaxWithLoss(layer.width, layer.words, layer.cutoffs[:-1], div_value=4.0)
    with torch.no_grad():
        theirs.head.weight.copy_(layer.head)
        for (inner, outer), projection, weight in zip(theirs.tail, layer.projections, layer.weights, strict=True):
            inner.weight.copy_(projection)
            outer.weight.copy_(weight)
    return theirs


def test_equals_torch():
    torch.manual_seed(1)
    layer = AdaptiveSoftmax(OutputConfig(32, 100), cutoffs=[10, 40])
    theirs = as_torch_has_it(layer)
    hidden = torch.randn(50, 32, requires_grad=True)
    targets = torch.arange(50) * 2
    torch.testing.assert_close(layer.log_prob_of(hidden, targets), theirs(hidden, targets).output)
    torch.testing.assert_close(layer.log_prob(hidden), theirs.log_prob(hidden))
    (ours,) = torch.autograd.grad(layer.loss(hidden, targets).mean(), hidden)
    (other,) = torch.autograd.grad(theirs(hidden, targets).loss, hidden)
    torch.testing.assert_close(ours, other)


def test_words_may_have_any_numbers():
    """Numbered from rare to frequent, the words are looked up the other way round, and nothing else changes."""
    counts = np.arange(60, 0, -1)
    layers = []
    for some in (counts, counts[::-1]):
        torch.manual_seed(2)
        layers.append(AdaptiveSoftmax(OutputConfig(16, 60, counts=some), cutoffs=[5, 20]))
    hidden, targets = torch.randn(8, 16), torch.arange(8) * 7
    torch.testing.assert_close(layers[0].log_prob(hidden), layers[1].log_prob(hidden).flip(1))
    torch.testing.assert_close(layers[0].loss(hidden, targets), layers[1].loss(hidden, 59 - targets))


def test_cheapest_cutoffs_by_hand():
    """One tail of width 1 behind D = 4; each score costs 100 more. Four words with shares 0.9, 0.08, 0.01 and 0.01.

    Cut at 1: head 104 * 2, tail 0.1 * (4 + 101 * 3) = 30.7; 238.7 in all. Cut at 2: 312 + 0.02 * 206. Cut at 3: 416.
    With even shares: 208 + 0.75 * 307 = 438.3, 312 + 0.5 * 206 = 415, 416 + 0.25 * 105 = 442.3.
    """
    assert cheapest_cutoffs(np.array([90, 8, 1, 1]), 4, [1]) == [1]
    assert cheapest_cutoffs(np.array([1, 1, 1, 1]), 4, [1]) == [2]


def test_cutoffs_cost_less_than_any_other_pair_of_a_zipfian_text():
    counts = (1e6 / np.arange(1, 10_001)).astype(np.int64)
    first, second = cheapest_cutoffs(counts, 200, [50, 12])
    shares = np.cumsum(counts) / counts.sum()

    def cost(a, b):
        near, far = 50 * 200 + 150 * (b - a), 12 * 200 + 112 * (10_000 - b)
        return 300 * (a + 2) + (shares[b - 1] - shares[a - 1]) * near + (1 - shares[b - 1]) * far

    best = min(cost(a, b) for a in range(50, 3000, 50) for b in range(a + 50, 9999, 50))
    assert cost(first, second) < 1.05 * best  # the grid's own steps are 50 % wide
    assert cost(first, second) < 0.15 * 300 * 10_000


@pytest.mark.parametrize("words", [2, 3, 4])
def test_few_words(words):
    layer = AdaptiveSoftmax(OutputConfig(8, words))
    total = layer.log_prob(torch.randn(3, 8)).exp().sum(1)
    torch.testing.assert_close(total, torch.ones(3))


@pytest.mark.parametrize("cutoffs", [[5, 5], [0], [10], [7, 3], [1.5], "few", 10])
def test_wrong_cutoffs_are_refused(cutoffs):
    with pytest.raises(OptionError, match="expected ascending whole numbers from 1 to 9"):
        AdaptiveSoftmax(OutputConfig(8, 10), cutoffs=cutoffs)


def test_tied_weights_are_refused():
    with pytest.raises(OptionError, match="one row of weights per word"):
        AdaptiveSoftmax(OutputConfig(8, 10, tied=torch.nn.Embedding(10, 8).weight))
