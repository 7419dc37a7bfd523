"""Kim's model: against PyTorch's convolutions, and its kinds of word vectors."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.models.classification.classifier import new_module
from firth.neural.models.classification.cnn import CNNClassifier
from firth.neural.models.classification.reader import TextReader
from firth.vectors.word_vectors import WordVectors
from tests.unit.neural.models.classification.tiny import SMALL, examples, trained, training_for

WORDS = [f"w{i}" for i in range(9)]
READER = TextReader(WORDS, "whitespace", 50)


def test_the_vector_of_a_text_equals_torchs_convolutions():
    """nn.Embedding, nn.Conv1d with copied filters and zeros on both sides, relu, and a maximum over all windows."""
    torch.manual_seed(3)
    module = new_module(CNNClassifier(dim=5, filters=4, widths=(2, 3)), READER, 2, seed=1).eval()
    encoder = module.encoder
    ids = torch.tensor([[4, 2, 9, 3]])
    x = torch.nn.functional.embedding(ids, encoder.embedding.weight).transpose(1, 2)  # (1, D, T)
    parts = []
    for width, filters in zip((2, 3), encoder.convolutions.filters, strict=True):
        peer = torch.nn.Conv1d(5, 4, width, padding=width - 1)
        peer.weight.data.copy_(filters.weight.view(4, width, 5).transpose(1, 2))
        peer.bias.data.copy_(filters.bias)
        parts.append(torch.relu(peer(x)).amax(2))
    expected = module.head.output(torch.cat(parts, 1))
    torch.testing.assert_close(module(READER.collate([ids[0].numpy()])), expected, atol=1e-6, rtol=0)


def test_neither_padding_nor_the_batch_changes_a_vector():
    module = new_module(SMALL["cnn"], READER, 2, seed=1).eval()
    texts = [np.array([3, 4]), np.array([5]), np.array([2, 6, 7, 8, 9, 10, 3])]
    alone = torch.cat([module.encoder(READER.collate([text])) for text in texts])
    torch.testing.assert_close(module.encoder(READER.collate(texts)), alone, atol=1e-6, rtol=0)


def test_kinds_of_word_vectors():
    """Given vectors stay where they are static; of both channels one is tuned. Words without a vector are learned."""
    words = ["goal", "vote", "the"]
    vectors = WordVectors(words, np.eye(3, 4, dtype=np.float32))
    moved = {}
    for embedding in ("tuned", "static", "multichannel"):
        options = dataclasses.replace(SMALL["cnn"], embedding=embedding)
        model = options.train(list(examples()), vectors=vectors, training=training_for(options), progress=False)
        encoder, row = model.module.encoder, model.reader.read("goal")[0]
        assert model.options.dim == 4
        moved[embedding] = not np.array_equal(encoder.embedding.weight[row].detach().numpy(), vectors.vectors[0])
        if encoder.static is not None:
            assert encoder.static.weight[row].tolist() == vectors.vectors[0].tolist()
            before = model.encode(["goal vote"])
            encoder.static.weight[row] += 1  # both channels are read
            assert not np.allclose(model.encode(["goal vote"]), before)
    assert moved == {"tuned": True, "static": False, "multichannel": True}


def test_words_of_the_vectors_are_known_though_no_training_text_has_them():
    vectors = WordVectors(["goal", "league"], np.ones((2, 4), np.float32))
    options = SMALL["cnn"]
    model = options.train(list(examples()), vectors=vectors, training=training_for(options), progress=False)
    assert model.module.encoder.embedding.weight[model.reader.read("league")[0]].tolist() == [1, 1, 1, 1]
    none = dataclasses.replace(options, extra_words=0)
    assert (
        "league" not in none.train(list(examples()), vectors=vectors, training=training_for(none), progress=False).words
    )


def test_the_last_weights_are_no_longer_than_the_limit():
    model = trained(max_norm=0.5)
    norms = model.module.head.output.weight.norm(dim=1)
    assert norms.max().item() == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("widths", ["", "3,x", "0", (3, 0)])
def test_wrong_widths(widths):
    with pytest.raises(OptionError, match="expected whole numbers of at least 1"):
        CNNClassifier(widths=widths)


def test_static_vectors_must_be_given():
    with pytest.raises(OptionError, match=r"embedding='static' without vectors: expected vectors="):
        CNNClassifier(embedding="static").train(list(examples()), progress=False)
