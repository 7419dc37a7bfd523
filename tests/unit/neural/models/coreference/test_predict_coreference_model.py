"""A model of coreference: training, chains, scores, its folder."""

import numpy as np
import pytest

import firth
from firth.documents.coreference_files import write_coreference
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError
from firth.readers.conllu import DependencySentence
from tests.unit.neural.models.coreference.toys import documents

SMALL = {"dim": 4, "hidden": 12, "min_count": 1, "dropout": 0.0}
HOW = firth.TrainingOptions(epochs=8, batch_size=2, lr=0.02, optimiser="adam")


@pytest.fixture(scope="module")
def model():
    return firth.Coreference(**SMALL).train(documents(), held_out=documents(4), training=HOW, seed=1, progress=False)


@pytest.mark.parametrize("options", [{}, {"objective": "pairs"}, {"loss": "likelihood", "characters": "cnn"}])
def test_what_can_be_learned_is_learned(options, tmp_path):
    path = tmp_path / "train.conll"
    write_coreference(path, documents())
    model = firth.Coreference(**SMALL, **options).train(path, training=HOW, seed=2, progress=False)
    assert model.test(documents(4)).gold.scores.conll == 1
    assert model.metadata["training"]["documents"] == 7


def test_chains(model):
    document = documents(2)[1]
    assert model.predict(document).clusters == document.clusters
    assert model.predict(document, mentions=[(5, 6), (0, 1)]).clusters == (((0, 1), (5, 6)),)
    (found,) = model.predict([document])
    assert found == document
    assert model.predict(firth.Document(())).clusters == ()
    assert model.predict(document.annotated(clusters=()), mentions="gold").clusters == ()


def test_mentions_of_a_parse(model):
    sentence = DependencySentence.of(["Mary", "sang", "and", "she", "left"]).annotated(
        tags=["PROPN", "VERB", "CCONJ", "PRON", "VERB"],
        heads=[2, 0, 5, 5, 2],
        relations=["nsubj", "root", "cc", "nsubj", "conj"],
    )
    document = firth.Document((sentence,), clusters=[[(0, 1), (3, 4)]])
    found = model.predict(document.annotated(clusters=()), mentions="predicted")
    assert sorted(found.mentions) == [(0, 1), (3, 4)]
    assert model.predict(document.annotated(clusters=())) == found
    scores = model.test([document])
    assert scores.predicted.scores.mentions.f1 == 1
    assert "predicted mentions, 1 document\n" in str(scores)


def test_found_mentions_are_singletons_as_in_the_training_documents(model):
    sentence = DependencySentence.of(["Mary", "saw", "trees"]).annotated(
        tags=["PROPN", "VERB", "NOUN"], heads=[2, 0, 2], relations=["nsubj", "root", "obj"]
    )
    document = firth.Document((sentence,))
    alone = (((0, 1),), ((2, 3),))
    assert model.options.singletons is False
    assert model.predict(document).clusters == ()
    assert model.predict(document, singletons=True).clusters == alone
    assert model.predict(document, mentions=[(0, 1), (2, 3)]).clusters == alone
    assert model.predict(document, mentions=[(0, 1), (2, 3)], singletons=False).clusters == ()
    train = [each.annotated(clusters=[*each.clusters, [(1, 2)]]) for each in documents(2)]
    how = firth.TrainingOptions(epochs=1, batch_size=1)
    other = firth.Coreference(**SMALL).train(train, held_out=train, training=how, progress=False)
    assert other.options.singletons is True
    assert len(other.predict(document).mentions) == 2


def test_scores(model):
    scores = model.test(documents(4))
    assert scores.predicted is None
    assert scores.gold.intervals["conll"] == (1.0, 1.0)
    assert str(scores).splitlines()[:3] == [
        "gold mentions, 4 documents",
        "               R       P      F1  95 %",
        "muc       100.00  100.00  100.00  100.00 to 100.00",
    ]
    assert "blanc     100.00  100.00  100.00\n" in str(scores)
    assert "\nconll                     100.00  100.00 to 100.00\nconll: mean of" in str(scores)


def test_what_is_refused(model):
    document = documents(1)[0]
    with pytest.raises(OptionError, match=r"mentions='all': expected 'gold', 'predicted', 'auto', or spans"):
        model.predict(document, mentions="all")
    for wrong in (3, None, [0, 1], [("a", "b")]):
        with pytest.raises(ArgumentTypeError, match=r"expected 'gold', 'predicted', 'auto', or spans"):
            model.predict(document, mentions=wrong)
    with pytest.raises(OptionError, match="singletons='yes': expected True, False or None"):
        model.predict(document, singletons="yes")
    with pytest.raises(OptionError, match="spans as mentions of several documents"):
        model.predict([document], mentions=[(0, 1)])
    with pytest.raises(OptionError, match="sentence 1 of the document has no tree"):
        model.predict(document, mentions="predicted")
    with pytest.raises(ShapeError, match="a span"):
        model.predict(document, mentions=[(0, 99)])
    with pytest.raises(CorpusError, match="without coreference chains"):
        model.test(document.annotated(clusters=()))
    with pytest.raises(CorpusError, match="found 7; expected documents"):
        model.predict(7)
    with pytest.raises(AttributeError, match=r"use predict\(document\).clusters"):
        _ = model.resolve
    with pytest.raises(AttributeError, match=r"use predict\(document\).clusters"):
        _ = model.predict_clusters


def test_its_folder(model, tmp_path):
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    assert repr(again) == repr(model) == "<CoreferenceModel: ranking, 12 words>"
    inputs = model.reader.read(documents(1)[0])
    np.testing.assert_array_equal(*(each.module(inputs).pairs.detach().numpy() for each in (again, model)))
    assert float(again.module.bias) == float(model.module.bias)


def test_one_seed_gives_the_same_model_and_resumes(tmp_path):
    how = firth.TrainingOptions(epochs=2, batch_size=2, lr=0.02, optimiser="adam")
    first, second = (
        firth.Coreference(**{**SMALL, "dropout": 0.3}).train(
            documents(), training=how, seed=3, progress=False, checkpoint=tmp_path / name
        )
        for name in ("a", "b")
    )
    inputs = first.reader.read(documents(1)[0])
    np.testing.assert_array_equal(*(each.module(inputs).pairs.detach().numpy() for each in (first, second)))
