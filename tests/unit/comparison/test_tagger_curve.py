"""The learning curve of a tagger: sizes, draws, the same test sentences, and sizes with nothing to learn."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.comparison.tagger_curve import tagging_curve
from firth.errors import OptionError
from firth.readers.conllu import DependencySentence
from tests.unit.neural.models.tagging.tiny import SIZES, sentences

TRAINING = firth.TrainingOptions(epochs=6, batch_size=4, lr=0.03)


def test_more_sentences_are_better():
    curve = tagging_curve(
        firth.Tagger(targets="ner", **SIZES), sentences(30), sentences(8, 1), sizes=[2, 30], draws=2,
        training=TRAINING, progress=False,
    )  # fmt: skip
    few, all_of_them = curve.points
    assert (curve.measure, curve.unit, few.examples, len(few.draws), len(all_of_them.draws)) == (
        "F1 of spans", "sentences", 2, 2, 1,
    )  # fmt: skip
    assert few.value < all_of_them.value
    assert all_of_them.low <= all_of_them.value <= all_of_them.high


def test_one_label_is_nothing_to_learn_and_a_fifth_is_test_data():
    same = [(["a", "b"], ["O", "O"])] * 9 + [(["a", "c"], ["O", "B-X"])]
    curve = tagging_curve(firth.Tagger(**SIZES), same, sizes=[1], draws=1, training=TRAINING, progress=False)
    assert (curve.measure, curve.points[0].value, curve.points[0].draws) == ("F1 of spans", 0.0, (0.0,))
    test = [(["a", "c"], ["N", "V"]), (["a", "b"], ["N", "N"])]
    nouns = [(["a", "b"], ["N", "N"])] * 9
    curve = tagging_curve(firth.Tagger(**SIZES), nouns, test, sizes=[1, 9], draws=1, progress=False)
    assert (curve.measure, [point.value for point in curve.points]) == ("accuracy", [0.75, 0.75])
    assert curve.points[0].low < 0.75 < curve.points[0].high
    with pytest.raises(OptionError, match="expected numbers from 1 to 8, the sentences that there are"):
        tagging_curve(firth.Tagger(**SIZES), same, sizes=[9], progress=False)


def test_tags_and_features_of_a_treebank_by_default():
    sentence = DependencySentence.of(["a", "b"]).annotated(tags=["N", "N"], features=["X=1", "_"])
    curve = tagging_curve(firth.Tagger(**SIZES), [sentence] * 4, sizes=[1], draws=1, progress=False)
    assert (curve.measure, curve.points[0].value) == ("mean accuracy, upos, feats", 0.75)


def test_ctrl_c_in_a_training_ends_the_curve(monkeypatch):
    stopped = SimpleNamespace(metadata={"training": {"interrupted": True}})
    monkeypatch.setattr(firth.Tagger, "train", lambda *_, **__: stopped)
    with pytest.raises(KeyboardInterrupt):
        tagging_curve(firth.Tagger(targets="ner", **SIZES), sentences(30), sizes=[20], progress=False)
