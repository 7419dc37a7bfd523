"""A trained model of texts: what it answers, and its folder."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError
from firth.sentences.encoded_texts import TextEncoder
from tests.unit.neural.models.classification.tiny import SMALL, examples, trained, training_for


def test_predictions_like_those_of_the_other_classifier():
    model = trained()
    ((label, probability),) = model.predict("the goal of the team")
    assert label == "sport"
    assert probability > 0.5
    both = model.predict(["the vote", "a goal"], k=5)
    assert [pairs[0][0] for pairs in both] == ["news", "sport"]
    assert sum(p for _, p in both[0]) == pytest.approx(1)
    assert [label for label, _ in model.predict(["the vote"], k=2, threshold=0.5)[0]] == ["news"]
    assert model.probabilities("the vote")[model.labels.index("news")] == pytest.approx(both[0][0][1], abs=1e-6)


def test_a_text_of_unknown_words_has_the_frequencies_of_the_labels_and_zeros():
    model = trained()
    assert model.probabilities(["", "zzz qqq"]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert not model.encode(["", "zzz qqq"]).any()
    assert model.encode(["", "the goal"])[1].any()


def test_vectors_depend_on_their_own_text_only():
    model = trained()
    texts = [text for text, _ in examples(40, seed=3)]
    assert isinstance(model, TextEncoder)
    vectors = model.encode(texts, batch_size=7)
    assert vectors.shape == (40, model.dim)
    np.testing.assert_allclose(model.encode(texts[::-1])[::-1], vectors, atol=1e-6)
    np.testing.assert_allclose(model.encode([text.split() for text in texts]), vectors, atol=1e-6)
    np.testing.assert_allclose(model.encode(texts[:1]), vectors[:1], atol=1e-6)


@pytest.mark.parametrize("name", SMALL)
def test_every_model_is_saved_and_opened_and_reads_each_text_alone(name, tmp_path):
    options = SMALL[name]
    model = options.train(list(examples()), training=training_for(options), progress=False)
    model.save(tmp_path / "m")
    texts = [text for text, _ in examples(12, seed=3)]
    vectors = model.encode(texts, batch_size=5)
    assert np.array_equal(firth.load(tmp_path / "m").encode(texts, batch_size=5), vectors)
    np.testing.assert_allclose(np.concatenate([model.encode([text]) for text in texts]), vectors, atol=2e-6)


def test_labels_that_the_model_does_not_know_lower_recall():
    model = trained()
    scores = model.test([("the goal", "sport"), ("the goal", "weather"), ("a vote", "news")], progress=False)
    assert scores.recall == pytest.approx(2 / 3)
    assert list(scores.by_label) == ["news", "sport", "weather"]


def test_a_folder_opens_as_the_same_model(tmp_path):
    model = trained()
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    texts = [text for text, _ in examples(10, seed=3)]
    assert np.array_equal(again.probabilities(texts), model.probabilities(texts))
    assert repr(again) == repr(model) == "<LabelModel: CNNClassifier, 2 labels, 26 words>"
    assert again.metadata["training"]["texts"] == 108
    assert again.label_counts.tolist() == [54, 54]


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", lambda facts: facts.pop("counted")),
        ("config.json", lambda facts: facts["options"].update(dim=10**9)),
        ("config.json", lambda facts: facts.update(model="TextClassifier")),
        ("labels.json", lambda labels: labels.append(labels[0])),
        ("vocab.json", lambda words: words.append("another")),
    ],
)
def test_damaged_folders(tmp_path, file, change):
    trained().save(tmp_path / "m")
    content = json.loads((tmp_path / "m" / file).read_text())
    change(content)
    (tmp_path / "m" / file).write_text(json.dumps(content))
    (tmp_path / "m" / "checksums.json").unlink()
    with pytest.raises(firth.FirthError, match="copy"):
        firth.load(tmp_path / "m")


def test_bad_questions():
    model = trained()
    with pytest.raises(OptionError, match="k=0"):
        model.predict("a", k=0)
    with pytest.raises(CorpusError, match="item 1 is 3; expected a text"):
        model.predict(["a", 3])
    with pytest.raises(ArgumentTypeError, match="expected a list of texts"):
        model.encode("a text")
    with pytest.raises(OptionError, match="train with pairs='relatedness'"):
        model.relatedness([("a", "b")])
