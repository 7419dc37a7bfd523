"""One thread of the compiled classifier computes what its plain twin does, from the first text to the last."""

import contextlib

import numpy as np
import pytest

import firth
from tests.golden.classifier_twin import Twin

WORDS = ["a", "bb", "ccc", "dddd", "eeeee", "café", "naïve", "東京", "😀", "longer-than-eight-bytes"]
LABELS = ["red", "green", "blue", "grey", "pink"]


def texts_and_labels(count, most, seed=0):
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(WORDS, random.integers(1, 9))) for _ in range(count)]
    weights = np.array([8, 4, 4, 2, 1]) / 19
    labels = [list(random.choice(LABELS, random.integers(1, most + 1), replace=False, p=weights)) for _ in texts]
    return texts, labels


FORMS = {
    "words": {"word_ngrams": 1},
    "pairs": {"word_ngrams": 2, "buckets": 50},
    "triples and characters": {"word_ngrams": 3, "min_n": 2, "max_n": 4, "buckets": 1000, "shuffle": False},
    "characters": {"word_ngrams": 1, "min_n": 0, "max_n": 3, "buckets": 300},
}


@pytest.mark.filterwarnings("ignore:training ended hardly better")  # six epochs at a high rate
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", ["softmax", "hierarchical", "negative", "ova"])
def test_twin(loss, form):
    texts, labels = texts_and_labels(60, most=1 if loss == "negative" else 3)
    options = firth.TextClassifier(dim=20, lr=2.0, epochs=6, loss=loss, negative=4, **FORMS[form])
    warns = loss in ("softmax", "hierarchical")
    with pytest.warns(UserWarning, match="learns one of them per epoch") if warns else contextlib.nullcontext():
        found = options.train(texts, labels, seed=5, threads=1, progress=False)
    twin = Twin(options, texts, labels, seed=5)
    losses = twin.train()
    assert found.labels == twin.labels
    assert len(found.inputs) == len(twin.inputs)
    assert found.metadata["training"]["loss"] == pytest.approx(losses, abs=2e-5)
    assert found.inputs == pytest.approx(twin.inputs, abs=2e-5)
    assert found.outputs == pytest.approx(twin.outputs, abs=2e-5)
    assert np.abs(twin.outputs).max() > 0.3
