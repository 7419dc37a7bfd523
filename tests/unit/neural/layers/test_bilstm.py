"""Bidirectional LSTM over padded sentences."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.bilstm import BiLSTM


def test_equal_to_torchs_layer_on_packed_sentences():
    torch.manual_seed(5)
    layer = BiLSTM(3, 4, 2)
    peer = torch.nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for number in range(2):
            for suffix, one in (("", layer.forward_layers[number]), ("_reverse", layer.backward_layers[number])):
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    getattr(peer, f"{name}_l{number}{suffix}").copy_(getattr(one, name))
    x, lengths = torch.randn(3, 6, 3), torch.tensor([2, 6, 1])
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(peer(packed)[0], batch_first=True)
    torch.testing.assert_close(layer(x, lengths), expected, atol=1e-6, rtol=0)


def test_padding_changes_neither_outputs_nor_gradients():
    torch.manual_seed(6)
    layer = BiLSTM(3, 4, 2, dropout=0.5).eval()
    x, lengths = torch.randn(2, 5, 3), torch.tensor([3, 5])
    alone = layer(x[:1, :3], lengths[:1])
    noisy = x.clone()
    noisy[0, 3:] = 1e4
    noisy.requires_grad_()
    y = layer(noisy, lengths)
    torch.testing.assert_close(y[:1, :3], alone, atol=1e-6, rtol=0)
    assert not y[0, 3:].any()
    y.sum().backward()
    assert not noisy.grad[0, 3:].any()


def test_a_locked_mask_drops_the_same_units_of_all_words():
    torch.manual_seed(7)
    layer = BiLSTM(3, 4, 2, dropout=0.5, locked=True)
    x = torch.ones(1, 50, 4)
    dropped = layer.dropout(x)
    assert (dropped == dropped[:, :1]).all()
    assert dropped.eq(0).any()


def test_no_layers_are_refused():
    with pytest.raises(OptionError, match="layers=0"):
        BiLSTM(3, 4, 0)
