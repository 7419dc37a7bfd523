"""The harness of the CNN's speed: both sides are one model."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from benchmarks import text_cnn
from firth.neural.models.classification.classifier import new_module
from firth.neural.models.classification.reader import TextReader


def test_both_sides_give_the_same_scores():
    """With copied weights, for sentences of different lengths; zeros on both sides of a sentence for both."""
    reader = TextReader([f"w{i}" for i in range(8)], "whitespace", 50)
    options = firth.CNNClassifier(dim=text_cnn.DIM, filters=text_cnn.FILTERS, widths=text_cnn.WIDTHS)
    own = new_module(options, reader, 2, seed=0).eval()
    plain = text_cnn.PlainCNN(len(reader), 2).eval()
    plain.embedding.weight.data.copy_(own.encoder.embedding.weight)
    plain.output.load_state_dict(own.head.output.state_dict())
    for convolution, filters in zip(plain.convolutions, own.encoder.convolutions.filters, strict=True):
        windows = filters.weight.view(text_cnn.FILTERS, -1, text_cnn.DIM)
        convolution.weight.data.copy_(windows.transpose(1, 2))
        convolution.bias.data.copy_(filters.bias)
    items = [(torch.from_numpy(reader.read(text)), 0) for text in ("w1 w2 w3", "w4 w5 w6")]
    ids, labels = text_cnn.padded(items)
    assert labels.tolist() == [0, 0]
    torch.testing.assert_close(own(reader.collate([each.numpy() for each, _ in items])), plain(ids), atol=1e-5, rtol=0)
