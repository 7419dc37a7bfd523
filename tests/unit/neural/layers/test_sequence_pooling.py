"""Pooled states by hand, and the irrelevance of padding."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.sequence_pooling import POOLINGS, pooled

STATES = torch.tensor([[[1.0, 2.0], [3.0, -4.0], [torch.nan, torch.nan]]])


def test_by_hand():
    """Two states (1, 2) and (3, -4): scores against the last are 3 - 8 = -5 and 25, over sqrt(2)."""
    lengths = torch.tensor([2])
    weight = 1 / (1 + math.exp(-30 / math.sqrt(2)))
    expected = {
        "mean": [2, -1],
        "max": [3, 2],
        "last": [3, -4],
        "attention": [3 * weight + 1 - weight, -4 * weight + 2 * (1 - weight)],
    }
    for pooling in POOLINGS:
        assert pooled(STATES, lengths, pooling)[0].tolist() == pytest.approx(expected[pooling], abs=1e-6)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_empty_sequences_are_zeros(pooling):
    assert pooled(STATES, torch.tensor([0]), pooling).tolist() == [[0, 0]]
    assert pooled(STATES[:, :0], torch.tensor([0]), pooling).tolist() == [[0, 0]]


@pytest.mark.parametrize("pooling", POOLINGS)
def test_gradients_pass_no_padding(pooling):
    states = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    lengths = torch.tensor([4, 2])
    assert torch.autograd.gradcheck(lambda each: pooled(each, lengths, pooling), states)
    pooled(states, lengths, pooling).sum().backward()
    assert states.grad is not None
    assert (states.grad[1, 2:] == 0).all()


def test_unknown_name():
    with pytest.raises(OptionError, match=r"pooling='cls': expected one of mean, last, max, attention"):
        pooled(STATES, torch.tensor([2]), "cls")
