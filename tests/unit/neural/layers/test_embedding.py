"""Tables of vectors."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary


def test_a_row_a_word():
    layer = WordEmbedding(5, 3)
    ids = torch.tensor([[4, 0], [4, 2]])
    assert layer(ids).shape == (2, 2, 3)
    assert torch.equal(layer(ids)[1, 0], layer.weight[4])


def test_trained_vectors_by_word_not_by_row():
    vectors = WordVectors(["b", "a", "z"], np.array([[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]], dtype=np.float32))
    layer = WordEmbedding.from_vectors(vectors, Vocabulary(["a", "missing", "b"], np.array([3, 2, 1]), 6), frozen=True)
    assert layer.weight[[0, 2]].tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert layer.pretrained == 2
    assert layer.width == 2
    assert not layer.weight.requires_grad


def test_words_without_a_vector_have_random_ones_of_the_same_scale():
    """Trained rows have mean 5 and spread 0.1 in the first number, 0 and 2 in the second."""
    rng = np.random.default_rng(1)
    trained = np.column_stack([rng.normal(5, 0.1, 500), rng.normal(0, 2, 500)])
    vectors = WordVectors([f"w{k}" for k in range(500)], trained)
    layer = WordEmbedding.from_vectors(vectors, ["w0", *(f"new{k}" for k in range(400))], seed=3)
    assert layer.pretrained == 1
    new = layer.weight[1:].detach()
    assert new.mean(0).tolist() == pytest.approx([5.0, 0.0], abs=0.35)
    assert new.std(0).tolist() == pytest.approx([0.1, 2.0], rel=0.15)
    again = WordEmbedding.from_vectors(vectors, ["w0", *(f"new{k}" for k in range(400))], seed=3)
    assert torch.equal(layer.weight, again.weight)


def test_word_types_are_dropped_together():
    """Rate 0.25: a word's occurrences are all 0 or all 1 / 0.75 times its row."""
    torch.manual_seed(41)
    layer = WordEmbedding(200, 3, dropout=0.25)
    ids = torch.arange(200).repeat(4).reshape(8, 100)
    scale = (layer(ids) / layer.weight[ids]).mean(-1).reshape(4, 200)
    assert torch.equal((scale == 0), (scale[:1] == 0).expand(4, 200))
    assert (scale[0] == 0).float().mean().item() == pytest.approx(0.25, abs=0.08)
    torch.testing.assert_close(scale[scale != 0], torch.full_like(scale[scale != 0], 4 / 3))
    assert torch.equal(layer.eval()(ids), layer.weight[ids])


def test_nothing_to_embed_is_refused():
    with pytest.raises(OptionError, match="0 words x 3: expected at least 1 x 1"):
        WordEmbedding(0, 3)
    with pytest.raises(OptionError, match="none of 1 words has a vector"):
        WordEmbedding.from_vectors(WordVectors(["a"], np.ones((1, 2))), ["b"])
