"""Hugging Face datasets: texts in, vectors and corpora out."""

import numpy as np
import pytest

import firth

datasets = pytest.importorskip("datasets", reason="datasets is not installed: pip install 'firth[datasets]'")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

TEXTS = ["the ship sails the sea", "ships on the seas", None, "a sea of ships"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")


def test_a_dataset_is_a_corpus(tmp_path):
    dataset = datasets.Dataset.from_dict({"id": [1, 2, 3, 4], "text": TEXTS, "label": ["x", "y", "x", "y"]})
    expected = [["the", "ship", "sails", "the", "sea"], ["ships", "on", "the", "seas"], ["a", "sea", "of", "ships"]]
    assert list(firth.Corpus.build(dataset, min_count=1)) == expected
    assert list(firth.Corpus.build(dataset.to_iterable_dataset(), min_count=1)) == expected
    assert list(firth.Corpus.build(dataset.with_format("arrow")[:], min_count=1)) == expected
    dataset.save_to_disk(tmp_path / "saved")
    assert list(firth.Corpus.build(str(tmp_path / "saved" / "*.arrow"), column="text", min_count=1)) == expected


def test_a_dataset_trains_a_classifier():
    dataset = datasets.Dataset.from_dict({"text": ["good ship", "bad sea"] * 20, "label": ["x", "y"] * 20})
    model = firth.TextClassifier(dim=4, epochs=5, min_count=1)
    trained = model.train(dataset, labels="label", seed=1, threads=1, progress=False)
    assert set(trained.labels) == {"x", "y"}


def test_a_corpus_is_a_dataset():
    corpus = firth.Corpus.build([text for text in TEXTS if text], min_count=1)
    dataset = corpus.to_dataset()
    assert dataset.column_names == ["tokens"]
    assert dataset["tokens"][:] == list(corpus)
    assert list(firth.Corpus.build(dataset, min_count=1)) == list(corpus)


def test_vectors_are_a_dataset():
    vectors = firth.WordVectors(["sea", "ship"], np.array([[1, 0.5], [2, -3]], np.float32), counts=[5, 4])
    dataset = vectors.to_dataset()
    assert dataset[1] == {"word": "ship", "vector": [2, -3], "count": 4}
    near = dataset.with_format("numpy")
    np.testing.assert_array_equal(near["vector"][:], vectors.vectors)
    back = firth.WordVectors.from_table(dataset.with_format("arrow")[:])
    assert (back.words, back.counts.tolist()) == (vectors.words, [5, 4])
    np.testing.assert_array_equal(back.vectors, vectors.vectors)
