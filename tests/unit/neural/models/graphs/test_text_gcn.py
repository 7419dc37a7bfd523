"""TextGCN: labels of documents through words, what it refuses, folders."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError

TRAINING = firth.TrainingOptions(epochs=30, optimiser="adam", lr=0.05)
OPTIONS = firth.TextGCN(hidden=16, min_count=1)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


def topics(count):
    """Texts of two topics: words of their own, and words of both."""
    random = np.random.default_rng(0)
    own, both = (["ship", "sea", "port"], ["farm", "wheat", "cow"]), ["new", "old", "year"]
    texts = [" ".join(random.choice([*own[number % 2], *both], 10)) for number in range(count)]
    return texts, [("ships", "farms")[number % 2] for number in range(count)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRTH_CACHE", str(tmp_path_factory.mktemp("cache")))
        texts, labels = topics(40)
        others = (text for text in texts[10:])
        return OPTIONS.train(texts[:10], labels[:10], unlabelled=others, training=TRAINING), texts, labels


def test_documents_without_labels_are_labelled_through_words(trained):
    model, texts, labels = trained
    assert model.test(texts[10:], labels[10:]).accuracy > 0.9
    assert model.metadata["training"]["labelled"] == 9
    assert model.metadata["training"]["held_out_nodes"] == 1
    np.testing.assert_allclose(model.probabilities(texts).sum(1), 1, rtol=1e-5)
    assert {word for word, _ in model.label_words("ships", 3)} == {"ship", "sea", "port"}
    assert model.encode(texts[:2]).shape == (2, 16)
    assert set(model.word_vectors().words) == set(" ".join(texts).split())


def test_it_is_a_convolutional_network_over_the_graph(trained):
    _, texts, labels = trained
    held_out = [3]
    one = OPTIONS.train(texts, [*labels[:10], *[None] * 30], held_out=held_out, training=TRAINING, seed=4)
    graph = firth.word_document_graph(texts, min_count=1)
    network = firth.GCN(hidden=16)
    other = network.train(
        graph.edges, None, graph.node_labels(labels[:10]), held_out=held_out, training=TRAINING, seed=4
    )
    np.testing.assert_array_equal(other.probabilities(graph.edges, None)[:40], one.probabilities(texts))


def test_a_saved_model_answers_the_same(trained, tmp_path):
    model, texts, _ = trained
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    assert again.predict(texts) == model.predict([text.split() for text in texts])
    np.testing.assert_array_equal(again.encode(texts), model.encode(texts))
    assert again.words == list(model.words)
    assert "TextGraphModel: 40 texts, 9 words, 2 labels" in repr(again)


def test_other_texts_are_refused(trained):
    model, texts, _ = trained
    with pytest.raises(CorpusError, match="text 2, 'sea farm', was not given to the training: TextGCN is transductive"):
        model.predict([texts[0], "sea farm"])
    with pytest.raises(AttributeError, match="use probabilities"):
        _ = model.predict_proba
    with pytest.raises(CorpusError, match="none of those that were learned: farms, ships"):
        model.label_words("planes")


def test_of_equal_texts_the_last_one_answers():
    texts, labels = topics(12)
    model = OPTIONS.train(texts, labels, unlabelled=[texts[0]], training=TRAINING, held_out=[1])
    np.testing.assert_array_equal(model.probabilities([texts[0]])[0], model.node_probabilities[12])
    assert not np.array_equal(model.node_probabilities[0], model.node_probabilities[12])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"labels": ["a"]}, ShapeError, "1 labels of 3 texts; expected one per text"),
        ({"labels": [None] * 3}, CorpusError, "no text has a label"),
        ({"labels": ["a", "a", None]}, CorpusError, "all labels are 'a'"),
        ({"texts": "one text"}, ArgumentTypeError, "expected a list of texts"),
        ({"texts": [1, 2, 3]}, ArgumentTypeError, "text"),
        ({"held_out": [2]}, OptionError, "node 2 has no label"),
        ({"held_out": [0, 1]}, CorpusError, "all nodes with labels are held out"),
        ({"texts": ["", "", ""]}, CorpusError, "word"),
    ],
)
def test_bad_input(change, error, message):
    how = {"texts": ["a b", "b c", "c d"], "labels": ["x", "y", None], **change}
    with pytest.raises(error, match=message):
        OPTIONS.train(how.pop("texts"), how.pop("labels"), **how)
