"""An end-to-end model: training, mentions and chains, scores, its folder."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.neural.models.coreference import predict
from firth.readers.conllu import DependencySentence
from tests.unit.neural.models.coreference.toys import documents

SMALL = {"dim": 8, "hidden": 12, "ffnn": 16, "max_width": 2, "char_dim": 3, "char_width": 4, "spans_per_token": 0.5}
RATES = {"input_dropout": 0.0, "lstm_dropout": 0.0, "dropout": 0.0}
HOW = firth.TrainingOptions(epochs=14, batch_size=1, lr=0.02, optimiser="adam", clip_norm=5.0)


@pytest.fixture(scope="module")
def model():
    options = firth.SpanCoreference(**SMALL, **RATES)
    return options.train(documents(), held_out=documents(4), training=HOW, seed=1, progress=False)


def test_mentions_and_chains_are_learned(model):
    test = model.test(documents(4))
    assert test.predicted.scores.conll == 1
    assert test.gold.scores.conll == 1
    assert "predicted mentions, 4 documents" in str(test)
    facts = model.metadata["training"]
    assert (facts["documents"], facts["mentions_left_out"]) == (len(documents()), 0)


def test_chains_of_a_document_without_any(model):
    document = documents(2)[1]
    assert model.predict(document.annotated(clusters=())).clusters == document.clusters
    (found,) = model.predict([document], mentions="gold")
    assert found == document
    assert model.predict(firth.Document(())).clusters == ()
    assert model.predict(document.annotated(clusters=()), mentions="gold").clusters == ()
    assert model.predict(document, mentions=[(5, 6), (0, 1)]).clusters == (((0, 1), (5, 6)),)


def test_gold_mentions_longer_than_a_span_and_over_sentences(model):
    """They are read as their first words, and come back whole."""
    document = documents(1)[0]
    spans = [(0, 3), (0, len(document)), (1, 2)]
    found = model.predict(document.annotated(clusters=[[span] for span in spans]), mentions="gold")
    assert sorted(found.mentions) == sorted(spans)


def test_pieces_of_a_long_document_find_the_same_mentions(model, monkeypatch):
    sentences = tuple(sentence for document in documents() for sentence in document.sentences)
    whole = model.predict(firth.Document(sentences))
    monkeypatch.setattr(predict, "PIECE", 30)
    assert model.predict(firth.Document(sentences)).mentions == whole.mentions


def test_one_word_and_very_long_sentences(model):
    document = firth.Document([DependencySentence.of(["Yes"]), DependencySentence.of(["so"] * 2000)])
    assert model.predict(document).tokens == document.tokens


def test_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = firth.load(tmp_path / "model")
    assert repr(loaded) == repr(model)
    assert [each.clusters for each in loaded.predict(documents())] == [
        each.clusters for each in model.predict(documents())
    ]


def test_singletons_are_as_in_the_training_documents(model):
    alone = [document.annotated(clusters=[*document.clusters, [(1, 2)]]) for document in documents(2)]
    assert model.options.singletons is any(len(chain) == 1 for each in documents() for chain in each.clusters)
    how = firth.TrainingOptions(epochs=1, batch_size=1)
    other = firth.SpanCoreference(**SMALL).train(alone, held_out=alone, training=how, progress=False)
    assert other.options.singletons


def test_what_is_refused(model):
    with pytest.raises(OptionError, match="mentions='parse': expected 'gold', 'predicted', 'auto', or spans"):
        model.predict(documents(1)[0], mentions="parse")
    with pytest.raises(AttributeError, match=r"use predict\(document\).clusters"):
        _ = model.clusters
