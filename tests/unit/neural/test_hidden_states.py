"""Texts as pooled hidden states: the same alone and in any batch, whatever the model."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, OptionError
from firth.neural.layers.sequence_pooling import POOLINGS
from firth.neural.models.language import predict
from firth.sentences.encoded_texts import TextEncoder, as_encoder
from firth.text.batches import TextsWarning
from tests.unit.neural.models.language.tiny import EVERY, text_of, untrained

TEXTS = ["w1 w2 w3", "", "w4 unseen w5 w6 w7 w8 w9", ["w1", "w2", "w3"], "w0", "w2 w3 " * 9]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return text_of(tmp_path_factory.mktemp("corpus"))


@pytest.mark.parametrize("name", EVERY)
def test_a_vector_depends_on_its_own_text(text, name, monkeypatch):
    model = untrained(EVERY[name], text)
    monkeypatch.setattr(predict, "CHUNK", 5)
    for pooling in POOLINGS:
        together = model.encode(TEXTS, pooling=pooling)
        assert together.shape == (6, model.dim)
        assert together.dtype == np.float32
        assert (together[1] == 0).all()
        assert np.isfinite(together).all()
        assert together[0] == pytest.approx(together[3], abs=1e-6)
        alone = np.concatenate([model.encode([one], pooling=pooling) for one in TEXTS])
        assert together == pytest.approx(alone, abs=1e-6)
        assert model.encode(TEXTS, pooling=pooling, batch_size=2) == pytest.approx(alone, abs=1e-6)


def test_the_states_are_those_that_predict_the_next_word(text):
    """The last state after w1 w2 gives the probabilities that `start` gives; the mean is over both states."""
    model = untrained(EVERY["gru"], text)
    ids = model.token_ids(["w1 w2"]).ids[:2].tolist()
    scores, _ = model.start([ids])
    last = torch.from_numpy(model.encode(["w1 w2"], pooling="last"))
    assert model.module.output.log_prob(last).detach().numpy() == pytest.approx(np.asarray(scores), abs=1e-5)
    first = model.encode(["w1"], pooling="last")
    assert model.encode(["w1 w2"]) == pytest.approx((first + last.numpy()) / 2, abs=1e-6)


def test_characters_tell_unknown_words_apart(text):
    model = untrained(EVERY["char-aware"], text)
    first, second = model.encode(["unseen", "unheard"])
    assert np.abs(first - second).max() > 1e-4


def test_long_texts_are_truncated_and_counted(text):
    model = untrained(EVERY["gru"], text)
    with pytest.warns(
        TextsWarning, match=r"^2 of 6 texts have more than 3 words: the rest of them is not read$"
    ) as all_:
        found = model.encode(TEXTS, max_length=3)
    warning = all_[0].message
    assert (warning.count, warning.total) == (2, 6)
    short = ["w1 w2 w3", "", "w4 unseen w5", "w1 w2 w3", "w0", "w2 w3 w2"]
    assert found == pytest.approx(model.encode(short), abs=1e-6)


def test_an_encoder_with_its_pooling(text):
    model = untrained(EVERY["lstm"], text)
    encoder = firth.HiddenStates(model, "max", 4)
    assert isinstance(encoder, TextEncoder)
    assert as_encoder(encoder) is encoder
    assert as_encoder(model) is model
    assert (encoder.encode(TEXTS[:2]) == model.encode(TEXTS[:2], pooling="max")).all()
    assert encoder.dim == model.dim == 8
    with pytest.raises(OptionError, match="pooling='cls'"):
        firth.HiddenStates(model, "cls")
    with pytest.raises(ArgumentTypeError, match="model"):
        firth.HiddenStates("model.lm")


def test_wrong_arguments(text):
    model = untrained(EVERY["rnn"], text)
    for wrong in (0, True, 1.5):
        with pytest.raises(OptionError, match="max_length"):
            model.encode(TEXTS, max_length=wrong)
    with pytest.raises(OptionError, match="pooling"):
        model.encode(TEXTS, pooling="cls")
    with pytest.raises(ArgumentTypeError, match="put a text into a list"):
        model.encode("w1 w2")
    assert model.encode([]).shape == (0, 8)
