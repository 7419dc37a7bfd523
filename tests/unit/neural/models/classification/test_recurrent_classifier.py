"""The recurrent classifier against PyTorch's packed LSTM."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.classification.classifier import new_module
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.classification.recurrent_classifier import RecurrentClassifier

READER = TextReader([chr(97 + i) for i in range(9)], "characters", 50)


def test_vectors_equal_those_of_torchs_packed_lstm():
    torch.manual_seed(3)
    encoder = new_module(RecurrentClassifier(dim=4, hidden=3, layers=2), READER, 2, seed=1).eval().encoder
    peer = torch.nn.LSTM(4, 3, 2, batch_first=True, bidirectional=True)
    for number, both in enumerate(encoder.stack.layers):
        for suffix, layer in (("", both.forward_layer), ("_reverse", both.backward_layer)):
            for name, value in layer.named_parameters():
                getattr(peer, f"{name}_l{number}{suffix}").data.copy_(value)
    inputs = READER.collate([READER.read(text) for text in ("abca", "d", "gfedcba")])
    x = encoder.embedding(inputs.ids)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, inputs.lengths, batch_first=True, enforce_sorted=False)
    outputs, _ = torch.nn.utils.rnn.pad_packed_sequence(peer(packed)[0], batch_first=True, padding_value=-9.0)
    torch.testing.assert_close(encoder(inputs), outputs.amax(1), atol=1e-6, rtol=0)
