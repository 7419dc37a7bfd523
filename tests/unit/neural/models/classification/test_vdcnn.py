"""VD-CNN: its depths, and texts of any length."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.temporal_blocks import NormalisedConvolution
from firth.neural.models.classification.classifier import new_module
from firth.neural.models.classification.reader import TextReader
from firth.neural.models.classification.vdcnn import DEPTHS, VDCNNClassifier
from firth.vectors.word_vectors import WordVectors
from tests.unit.neural.models.classification.tiny import examples

READER = TextReader(list("abcdefgh"), "characters", 2000)


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_depth_is_the_number_of_convolutions(depth):
    module = new_module(VDCNNClassifier(depth=depth, filters=1, hidden=2), READER, 2, seed=1)
    assert sum(isinstance(part, NormalisedConvolution) for part in module.modules()) == depth


def test_eight_values_per_filter_for_a_text_of_any_length():
    """1,014 characters leave 127 steps, one character leaves one: k-max pooling gives eight of each filter."""
    encoder = new_module(VDCNNClassifier(filters=2, hidden=4), READER, 2, seed=1).eval().encoder
    sizes = []
    encoder.hidden[0].register_forward_hook(lambda module, inputs, output: sizes.append(inputs[0].shape[1]))
    texts = ["a", "abc" * 20, "abcdefgh" * 126 + "abcdef"]
    inputs = [READER.read(text) for text in texts]
    alone = torch.cat([encoder(READER.collate([each])) for each in inputs])
    assert sizes == [8 * 16] * 3
    torch.testing.assert_close(encoder(READER.collate(inputs)), alone, atol=1e-5, rtol=0)
    steps, _ = encoder.stack(encoder.embedding(READER.collate(inputs[2:]).ids), torch.tensor([1014]))
    assert steps.shape == (1, 127, 16)


def test_a_step_sees_no_further_than_its_receptive_field():
    """Depth 9: 1 + 2 (first) + 4 (level) + 2 + 8 + 4 + 16 + 8 + 32 = 77 characters, 38 on each side."""
    encoder = new_module(VDCNNClassifier(filters=2, hidden=4), READER, 2, seed=1).eval().encoder
    x = torch.randn(1, 160, 16)
    with torch.no_grad():
        before, _ = encoder.stack(x, torch.tensor([160]))
        x[0, 80] += 5.0
        after, _ = encoder.stack(x, torch.tensor([160]))
    moved = (before != after).any(2)[0].nonzero().flatten()
    assert (moved * 8 >= 80 - 38).all()
    assert (moved * 8 <= 80 + 38).all()
    assert len(moved) > 3


def test_bad_options():
    with pytest.raises(OptionError, match="depth=10: expected one of 9, 17, 29, 49"):
        VDCNNClassifier(depth=10)
    with pytest.raises(OptionError, match="which reads characters: leave them out"):
        VDCNNClassifier().train(list(examples()), vectors=WordVectors(["a"], torch.ones(1, 4).numpy()), progress=False)
