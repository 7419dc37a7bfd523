"""Models as text encoders."""

import numpy as np
import pytest

import firth
from firth.sentences.encoded_texts import TextEncoder, as_encoder

VECTORS = firth.WordVectors(["a", "b", "c"], np.eye(3, dtype=np.float32))


def test_word_vectors_average():
    encoder = as_encoder(VECTORS)
    assert isinstance(encoder, TextEncoder)
    assert encoder.dim == 3
    assert encoder.encode(["a b", "c", ""]).tolist() == [[0.5, 0.5, 0], [0, 0, 1], [0, 0, 0]]


def test_a_saved_direction_is_used():
    averages = firth.SentenceAverages(VECTORS, direction=np.array([1, 0, 0], dtype=np.float32))
    assert as_encoder(averages) is averages
    assert averages.encode(["a"]).tolist() == [[0, 0, 0]]


def test_batches_change_nothing():
    rng = np.random.default_rng(0)
    texts = [rng.choice(["a", "b", "c", "unknown"], length).tolist() for length in rng.integers(0, 6, 50)]
    averages = firth.SentenceAverages(VECTORS)
    whole = averages.encode(texts)
    for batch_size in (1, 7, 50):
        assert np.allclose(averages.encode(texts, batch_size=batch_size), whole, atol=1e-7)


def test_progress_counts_texts():
    done = []
    encode = firth.SentenceAverages(VECTORS).encode
    encode(["a", "b", "c"], batch_size=2, progress=lambda status: done.append((status.done, status.total)))
    assert done == [(2, 3), (3, 3)]


@pytest.mark.parametrize(("batch_size", "texts"), [(0, ["a"]), (1, "a")])
def test_wrong_arguments(batch_size, texts):
    with pytest.raises(firth.errors.OptionError):
        firth.SentenceAverages(VECTORS).encode(texts, batch_size=batch_size)


def test_what_encodes_nothing():
    with pytest.raises(firth.errors.ArgumentTypeError, match=r"expected word vectors, or a model with encode"):
        as_encoder(3)
