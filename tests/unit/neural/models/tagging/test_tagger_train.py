"""Training of taggers: what determines it, given vectors, and what it refuses."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from tests.unit.neural.models.tagging.tiny import SIZES, sentences

ONE_EPOCH = firth.TrainingOptions(epochs=1, batch_size=8)


def trained(source, *, seed=0, vectors=None, checkpoint=None, training=ONE_EPOCH, **how):
    options = firth.Tagger(**{**SIZES, "targets": "ner", **how})
    return options.train(source, training=training, seed=seed, vectors=vectors, checkpoint=checkpoint, progress=False)


def test_the_seed_determines_the_result():
    one, same, other = (trained(sentences(20), seed=seed) for seed in (1, 1, 2))
    values = [model.marginals([sentences(1, 3)[0][0]])[0]["ner"] for model in (one, same, other)]
    assert np.array_equal(values[0], values[1])
    assert not np.array_equal(values[0], values[2])


@pytest.mark.parametrize("embedding", ["tuned", "static"])
def test_given_vectors(embedding):
    words = ["kara", "mr", "Other"]
    vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32))
    model = trained(sentences(20), vectors=vectors, embedding=embedding)
    embedder = model.module.encoder.embedder
    if embedding == "tuned":
        assert model.options.dim == 5
        assert "other" in model.words
    else:
        assert model.options.dim == SIZES["dim"]
        assert np.array_equal(embedder.given.weight[2:].numpy(), vectors.vectors)
        assert "other" not in model.words


def test_broken_tags_are_counted_and_warned_of():
    source = [(["a", "b"], ["O", "I-X"]), (["a", "b"], ["B-X", "I-X"]), (["c", "b"], ["O", "B-X"])]
    with pytest.warns(UserWarning, match="1 spans of ner break the rules"):
        model = firth.Tagger(targets="ner", **SIZES).train(source, held_out=source, training=ONE_EPOCH, progress=False)
    assert model.metadata["training"]["broken_spans"] == 1


def test_tags_in_other_schemes_are_learned_tested_and_said():
    source = [(["a", "b"], ["U-X", "O"]), (["a", "b"], ["B-X", "L-X"]), (["c", "b"], ["U-Y", "O"])]
    other = [(words, [tag.lower().replace("-", "_") for tag in tags]) for words, tags in source]
    said = r"tags of ner are BILOU{}, such as {}; they are read as BIOES"
    with pytest.warns(UserWarning, match=said.format("", "U-X")):
        model = firth.Tagger(targets="ner", **SIZES).train(source, held_out=source, training=ONE_EPOCH, progress=False)
    assert model.metadata["training"]["notations"] == {"ner": "BILOU"}
    assert set(model.tags["ner"]) == {"O", *(f"{letter}-{kind}" for letter in "BIES" for kind in "XY")}
    with pytest.warns(UserWarning, match=said.format(" in lower case with '_'", "u_X")):
        scores = model.test([(words, [tag[:2] + tag[2:].upper() for tag in tags]) for words, tags in other])["ner"]
    assert scores.spans.gold == 3
    with pytest.warns(UserWarning, match="sentences: 1 spans of ner break the rules"):
        model.test([(["a", "b", "c"], ["B-X", "O", "S-Y"])])


def test_held_out_tags_may_be_unknown():
    """They count as missed; a sentence with one is left out of the loss."""
    source = [(["a", "b"], ["X", "Y"])] * 4
    judged = [(["a", "b"], ["X", "Z"]), (["a", "b"], ["X", "Y"])]
    model = firth.Tagger(targets="x", **SIZES).train(source, held_out=judged, training=ONE_EPOCH, progress=False)
    best = model.metadata["training"]["best"]
    assert np.isfinite(best["held_out_loss"])
    assert best["held_out_error"] >= 0.25


def test_vectors_that_are_kept_must_be_given():
    with pytest.raises(OptionError, match="'static' without vectors"):
        trained(sentences(5), embedding="static")


@pytest.mark.parametrize(
    ("source", "error", "problem"),
    [
        ([("a", ["O"]), ("b", ["O"])], CorpusError, "all words have the tag 'O' of the target 'ner'"),
        ([("a", ["B-X"])], CorpusError, "1 sentence; expected at least two"),
    ],
)
def test_what_is_refused(source, error, problem):
    with pytest.raises(error, match=problem):
        trained(source)


def test_the_held_out_tenth_can_select_a_model():
    """It has tags that are learned; where no tenth has, the training sentences select."""
    rare = [(["a", "b"], ["O", "O"])] * 18 + [(["c", "d"], ["O", "B-X"])] * 4
    for seed in range(3):
        facts = trained(rare, seed=seed).metadata["training"]
        assert facts["held_out_sentences"] == 2
        assert facts["best"]["held_out_error"] > 0  # there is something to find
    with pytest.warns(UserWarning, match="in no tenth of 2 sentences are tags that the others have"):
        model = trained([(["a", "b"], ["O", "B-X"]), (["c", "d"], ["O", "B-Y"])])
    assert model.metadata["training"]["sentences"] == model.metadata["training"]["held_out_sentences"] == 2


def test_a_checkpoint_of_other_data_is_refused(tmp_path):
    trained(sentences(10), checkpoint=tmp_path / "c")
    with pytest.raises(OptionError, match="examples"):
        trained(sentences(10, 4), checkpoint=tmp_path / "c")


def test_the_target_follows_from_the_data():
    training = firth.TrainingOptions(epochs=1)
    model = firth.Tagger(**SIZES).train(iter([("a b", ["X", "Y"])] * 4), training=training, progress=False)
    assert model.targets == ("tag",)


def test_held_out_sentences_with_other_tags_are_refused():
    """O alone selects nothing."""
    german, english = [(["a", "b"], ["B-ORT", "O"])] * 4, [(["a", "b"], ["B-LOC", "O"])]
    with pytest.raises(CorpusError, match=r"none of its tags \(B-LOC\) is a tag of 'ner' here; expected O, B-ORT"):
        firth.Tagger(targets="ner", **SIZES).train(german, held_out=english, training=ONE_EPOCH, progress=False)
