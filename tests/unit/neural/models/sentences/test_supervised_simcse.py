"""Supervised SimCSE: the loss of groups by hand, anchors, hard negatives, training."""

import dataclasses
import logging
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from firth.neural.models.sentences.supervised_simcse import GroupBatch, SupervisedModule, _encoded, training_defaults
from firth.readers.text_groups import TextGroup
from tests.unit.neural.models.sentences.encoders import masked, sentences, training

GROUPS = [
    TextGroup(("The cat eats bread.", "The dog eats milk.", "The bird eats seeds.")),
    TextGroup(("The cat sees water.", "The fish sees water."), ("The cat sees milk.",)),
]


def batch():
    model = masked()
    return GroupBatch.of([(model.ids_of(group.texts), model.ids_of(group.negatives)) for group in GROUPS])


@pytest.mark.parametrize("anchors", ["all", "first"])
def test_the_loss_by_hand(anchors):
    """Texts 0 to 2 and 3, 4 are groups, 5 is a hard negative of all. With "first", anchors 0 and 3 are no keys."""
    module = SupervisedModule(masked().module, firth.SupervisedSimCSE(anchors=anchors, temperature=0.5)).eval()
    found = module.losses(batch()).tolist()
    z = module.head(module.encoder(batch().ids, batch().lengths)).detach().double().numpy()
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    scores = np.exp(z @ z.T / 0.5)
    groups, expected = [0, 0, 0, 1, 1, -1], []
    for i in range(5) if anchors == "all" else (0, 3):
        keys = [k for k in range(6) if k != i] if anchors == "all" else [1, 2, 4, 5]
        own = [k for k in keys if groups[k] == groups[i]]
        total = sum(scores[i, k] for k in keys)
        expected.append(-sum(math.log(scores[i, k] / total) for k in own) / len(own))
    assert found == pytest.approx(expected, abs=1e-4)


def test_pairs_are_the_first_two_texts():
    module = SupervisedModule(masked().module, firth.SupervisedSimCSE()).eval()
    x, y = module.pairs(batch())
    vectors = module.encoder(batch().ids, batch().lengths)
    assert torch.equal(x, vectors[[0, 3]])
    assert torch.equal(y, vectors[[1, 4]])


def groups(count=40):
    """Sentences with the same subject and verb."""
    found = {}
    for text in sentences(160):
        found.setdefault(tuple(text.split()[1:3]), []).append(text)
    return [texts for texts in found.values() if len(texts) > 1][:count]


def contrast(encoder, every):
    """How much higher the cosine of two texts of a group is than that of others."""
    rows = [encoder.encode(texts[:2]) for texts in every]
    x, y = (np.array([row[side] / np.linalg.norm(row[side]) for row in rows]) for side in (0, 1))
    cosines = x @ y.T
    return cosines.diagonal().mean() - cosines.mean()


def test_texts_of_a_group_come_closer():
    every = groups()
    model = firth.SupervisedSimCSE().train(every, start=masked(), training=training(epochs=6, batch_size=4, lr=0.01))
    facts = model.metadata["training"]
    assert facts["groups"] + facts["set_aside"] == len(every)
    assert facts["rows"][-1]["held_out_alignment"] < facts["rows"][0]["held_out_alignment"]

    assert contrast(model, every) > contrast(masked(), every) + 0.1


def test_averages_are_learned_by_default(caplog):
    """At the rate of a network their random vectors would stay what they are."""
    caplog.set_level(logging.INFO, logger="firth")
    every, model = groups(), firth.SupervisedSimCSE(encoder="average", dim=16)
    fitted = model.train(every, tokens="words", min_count=1, progress=False)
    facts = fitted.metadata["training"]
    assert (facts["epochs"], facts["lr"]) == (40, 0.005)
    assert f"epochs=40, lr=0.005: chosen for {len(every)} groups" in caplog.messages
    own = dataclasses.replace(model.training, epochs=3, lr=0.0001)  # as for networks
    former = model.train(every, tokens="words", min_count=1, training=own, progress=False)
    assert contrast(fitted, every) > contrast(former, every) + 0.05
    assert training_defaults("average", 1300)["epochs"] == 18
    assert training_defaults("transformer", 300) == {"epochs": 3, "lr": 0.0001}


def test_a_vocabulary_is_learned_without_a_start():
    model = firth.SupervisedSimCSE(dim=8, heads=2, layers=1).train(GROUPS, max_size=300, training=training())
    assert model.rules.unit == "subwords"
    assert model.encode(["The cat"]).shape == (1, 8)


@pytest.mark.parametrize(
    ("data", "arguments", "error", "message"),
    [
        ([["a", "b"]], {}, CorpusError, "1 group: expected two or more"),
        (GROUPS, {"max_size": 300}, OptionError, "max_size with start"),
        (GROUPS, {"training": training(batch_size=1)}, OptionError, "batch_size=1"),
        ([["a", "b"], "cd"], {}, OptionError, "group 1: 'cd'; expected"),
    ],
)
def test_errors(data, arguments, error, message):
    with pytest.raises(error, match=message):
        firth.SupervisedSimCSE().train(data, start=masked(), **arguments)


def test_texts_that_are_read_in_part_are_counted():
    model = masked()
    long = TextGroup(("The cat eats bread. " * 30, "The dog eats milk."))
    limit = model.options.max_length
    advice = f"1 of 8 texts have more than {limit} tokens: the rest of them is not read; give a higher max_length="
    with pytest.warns(UserWarning, match=advice):
        items, lengths, truncated = _encoded(model, [*GROUPS, long])
    assert (truncated, len(items[2][0][0]), lengths[2]) == (1, limit, limit)
