"""Training goes on from a trained tagger, with new words and tags; what it cannot change is refused."""

import logging

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, OptionError
from tests.unit.neural.models.tagging.tiny import SIZES, sentences

NONE = firth.TrainingOptions(epochs=1, batch_size=8, lr=1e-9)
NEW = [(["mr", "kara", "walks", "on", "monday"], ["O", "B-PER", "O", "O", "B-DATE"])] * 4


@pytest.fixture(scope="module")
def start():
    training = firth.TrainingOptions(epochs=3, batch_size=8, lr=0.02)
    return firth.Tagger(targets="ner", **SIZES).train(sentences(40), training=training, progress=False)


def test_what_was_learned_stays_and_what_is_new_is_added(start, caplog):
    caplog.set_level(logging.INFO, logger="firth")
    model = firth.Tagger().train(NEW, start=start, held_out=NEW, training=NONE, progress=False)
    assert "start: 2 words and 2 tags (B-DATE, I-DATE) are new" in caplog.messages
    assert model.metadata["training"]["start"]["new_words"] == 2
    assert model.words[: len(start.words)] == start.words
    old, new = (tagger.module.state_dict()["encoder.embedder.words.weight"] for tagger in (start, model))
    assert torch.allclose(new[: len(old)], old, atol=1e-6)
    assert torch.allclose(new[len(old) :], old[1].expand(2, -1), atol=1e-6)  # as unknown words so far
    item = [sentences(1, 3)[0][0]]
    tags = [start.tags["ner"].index(tag) for tag in ("O", "B-PER")]
    before, after = start.marginals(item)[0]["ner"][:, tags], model.marginals(item)[0]["ner"][:, tags]
    assert np.abs(before / before.sum(1, keepdims=True) - after / after.sum(1, keepdims=True)).max() < 0.35
    assert model.reader.counts[model.words.index("kara")] == start.reader.counts[start.words.index("kara")] + 4


def test_it_learns_the_new_tags(start, tmp_path):
    training = firth.TrainingOptions(epochs=20, batch_size=4, lr=0.02)
    model = firth.Tagger().train(NEW, start=start, held_out=NEW, training=training, progress=False)
    model.save(tmp_path / "m")
    assert firth.load(tmp_path / "m").predict(["mr kara walks on monday"])[0].tags["ner"][-1] == "B-DATE"


@pytest.mark.parametrize(
    ("options", "how", "error", "problem"),
    [
        ({"hidden": 7}, {}, OptionError, "hidden=7 with start: the tagger has hidden=24, which cannot change"),
        ({}, {"embed": "x"}, OptionError, "embed with start: the tagger has vectors of its own"),
        ({"targets": "pos"}, {}, OptionError, "targets='pos' with start: the tagger has targets='ner'"),
        ({}, {"start": "m"}, ArgumentTypeError, r"start='m' is a str; expected TaggerModel: firth\.load\('m'\)"),
    ],
)
def test_what_cannot_change_is_refused(start, options, how, error, problem):
    with pytest.raises(error, match=problem):
        firth.Tagger(**options).train(NEW, training=NONE, **{"start": start, **how})


def test_tags_of_another_kind_are_refused(start):
    with pytest.raises(OptionError, match="tags of 'ner' mark spans in start and not in sentences"):
        firth.Tagger().train([(["a", "b"], ["X", "Y"])] * 4, start=start, training=NONE, progress=False)
