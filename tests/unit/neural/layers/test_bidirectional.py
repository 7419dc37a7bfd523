"""Layers read both ways."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.bidirectional import reversed_sequences
from firth.neural.layers.recurrent import RecurrentStack


def test_sequences_turned_by_hand():
    """Each sequence backward within its length; the padding stays where it is."""
    x = torch.tensor([[1, 2, 3, 0], [4, 5, 6, 7]]).unsqueeze(-1)
    assert reversed_sequences(x, torch.tensor([3, 4])).squeeze(-1).tolist() == [[3, 2, 1, 0], [7, 6, 5, 4]]
    assert reversed_sequences(x, None).squeeze(-1).tolist() == [[0, 3, 2, 1], [7, 6, 5, 4]]


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru", "qrnn"])
def test_both_ways_equal_each_way_by_hand(cell):
    torch.manual_seed(31)
    stack = RecurrentStack(3, 4, cell=cell, bidirectional=True)
    (layer,) = stack.layers
    x, lengths = torch.randn(2, 5, 3), [2, 5]
    y, ((onward, back),) = stack(x, None, torch.tensor(lengths))
    assert stack.width == 8
    for row, length in enumerate(lengths):
        alone = x[row : row + 1, :length]
        one, end = layer.forward_layer(alone)
        other, beginning = layer.backward_layer(alone.flip(1))
        torch.testing.assert_close(y[row, :length], torch.cat([one, other.flip(1)], -1)[0], atol=1e-6, rtol=0)
        torch.testing.assert_close(onward[0][row], end[0][0], atol=1e-6, rtol=0)
        torch.testing.assert_close(back[0][row], beginning[0][0], atol=1e-6, rtol=0)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_two_layers_both_ways_equal_torchs(cell):
    torch.manual_seed(31)
    stack = RecurrentStack(3, 4, 2, cell=cell, bidirectional=True)
    peer = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[cell](3, 4, 2, batch_first=True, bidirectional=True)
    for number, both in enumerate(stack.layers):
        for suffix, layer in (("", both.forward_layer), ("_reverse", both.backward_layer)):
            for name, value in layer.named_parameters():
                getattr(peer, f"{name}_l{number}{suffix}").data.copy_(value)
    x = torch.randn(2, 5, 3)
    torch.testing.assert_close(stack(x)[0], peer(x)[0], atol=1e-6, rtol=0)


def test_gradients_of_reversed_sequences():
    x, lengths = torch.randn(3, 4, 2, dtype=torch.float64, requires_grad=True), torch.tensor([4, 1, 3])
    assert torch.autograd.gradcheck(lambda each: reversed_sequences(each, lengths) ** 2, x)
    assert torch.autograd.gradgradcheck(lambda each: reversed_sequences(each, lengths) ** 2, x)
