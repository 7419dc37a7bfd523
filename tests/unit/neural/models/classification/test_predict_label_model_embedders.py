"""Classifiers with embedders: folders, the rest of the batch, pairs, what is refused."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from tests.unit.neural.models.bidirectional.tiny import untrained
from tests.unit.neural.models.translation.test_module_word_states import translator

TEXTS = ["Ada sees apples .", "Bo sees birds .", "Ada likes dogs", "Bo hears Ada"] * 3
LABELS = ["a", "b", "a", "b"] * 3
TRAINING = firth.TrainingOptions(epochs=2, batch_size=6, lr=0.01)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


def trained(options, embed, texts=TEXTS, labels=LABELS):
    return options.train(
        texts, labels, held_out=texts[:4], held_out_labels=labels[:4], embed=embed, training=TRAINING, progress=False
    )


@pytest.mark.parametrize(
    ("options", "embed"),
    [
        (firth.RecurrentClassifier(dim=4, hidden=3, tokens="cased"), lambda: firth.ELMo(untrained(), output=True)),
        (firth.CNNClassifier(dim=4, filters=3, tokens="cased"), lambda: [firth.CoVe(translator()), untrained()]),
    ],
)
def test_a_classifier_is_the_same_when_it_is_loaded(options, embed, tmp_path):
    model = trained(options, embed())
    model.save(tmp_path / "model")
    loaded = firth.load(tmp_path / "model")
    texts = ["Cy hears unseen words", "Ada", "apples . " * 9]
    expected = model.probabilities(texts)
    np.testing.assert_allclose(loaded.probabilities(texts), expected, atol=1e-6)
    for text, each in zip(texts, expected, strict=True):
        np.testing.assert_allclose(model.probabilities(text), each, atol=1e-5)
    first, second = model.probabilities(["quux", "wibble wobble"])  # unknown to the classifier, not to the encoder
    assert np.abs(first - second).max() > 0


def test_pairs_in_either_order_are_the_same():
    pairs = [(one, other) for one, other in zip(TEXTS, TEXTS[1:] + TEXTS[:1], strict=True)]
    options = firth.RecurrentClassifier(dim=4, hidden=3, tokens="cased", pairs="paraphrase")
    model = options.train(list(zip(pairs, LABELS, strict=True)), embed=untrained(), training=TRAINING, progress=False)
    np.testing.assert_array_equal(
        model.probabilities(("quux Ada", "Bo hears")), model.probabilities(("Bo hears", "quux Ada"))
    )


def test_what_is_refused():
    with pytest.raises(OptionError, match="TagLM joins a RecurrentClassifier at its middle"):
        trained(firth.RecurrentClassifier(dim=4, hidden=3), firth.TagLM(untrained()))
    with pytest.raises(OptionError, match=r"embed with a VDCNNClassifier.*firth\.RecurrentClassifier"):
        trained(firth.VDCNNClassifier(), untrained())
    model = trained(firth.RecurrentClassifier(dim=4, hidden=3), untrained())
    with pytest.raises(OptionError, match="has embedders"):
        model.explainable("Ada sees")
