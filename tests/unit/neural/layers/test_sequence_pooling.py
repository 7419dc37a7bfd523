"""Pooled states by hand, and the irrelevance of padding."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.sequence_pooling import POOLINGS, TRAINED_POOLINGS, Pooling, k_max, pooled

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


def test_k_greatest_in_their_order_by_hand():
    """Of 1, 5, 3, 4 the greatest two are 5 and 4; a sequence of one step has a zero besides; padding does not count."""
    x = torch.tensor([[1.0, 5.0, 3.0, 4.0], [-2.0, 9.0, 9.0, 9.0]]).unsqueeze(2)
    assert k_max(x, torch.tensor([4, 1]), 2).squeeze(2).tolist() == [[5, 4], [-2, 0]]
    assert k_max(x[1:, :1], torch.tensor([1]), 3).squeeze(2).tolist() == [[-2, 0, 0]]
    assert k_max(torch.tensor([[[0.0], [3.0], [0.0]]]), torch.tensor([3]), 2).flatten().tolist() == [0, 3]


def test_learned_attention_by_hand():
    """With v = 0 all weights are equal: attention is the mean. With a unit that sees the first number, it moves."""
    pooling = Pooling("attention", 2)
    torch.nn.init.zeros_(pooling.rows.weight)
    assert pooling(STATES, torch.tensor([2])).tolist() == [[2, -1]]
    torch.nn.init.zeros_(pooling.hidden.weight)
    torch.nn.init.zeros_(pooling.hidden.bias)
    pooling.hidden.weight.data[0, 0], pooling.rows.weight.data[0, 0] = 1.0, 2.0
    scores = torch.tensor([2 * math.tanh(1), 2 * math.tanh(3)])
    weight = scores.softmax(0)[1].item()
    assert pooling(STATES, torch.tensor([2])).tolist()[0] == pytest.approx([1 + 2 * weight, 2 - 6 * weight], abs=1e-5)


@pytest.mark.parametrize("kind", TRAINED_POOLINGS)
def test_padding_changes_no_trained_pooling(kind):
    torch.manual_seed(0)
    pooling, x = Pooling(kind, 3), torch.randn(2, 5, 3)
    y = pooling(x, torch.tensor([5, 2]))
    assert y.shape == (2, pooling.width)
    torch.testing.assert_close(pooling(x[1:, :2], torch.tensor([2])), y[1:], atol=1e-6, rtol=0)


def test_unknown_trained_pooling():
    with pytest.raises(OptionError, match="pooling='cls': expected one of max, mean, last, attention, structured"):
        Pooling("cls", 3)
