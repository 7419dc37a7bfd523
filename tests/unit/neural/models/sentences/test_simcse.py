"""Unsupervised SimCSE: two dropout masks, the head in training only, the control without dropout."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.neural.layers.contrastive import alignment, uniformity
from firth.neural.models.sentences.data import TokenBatch
from firth.neural.models.sentences.simcse import SimCSEModule
from tests.unit.neural.models.sentences.encoders import masked, sentences, training


def batch():
    return TokenBatch.of(masked().ids_of(sentences(6)))


def module(**options):
    return SimCSEModule(masked().module, 0.05, **options)


def test_two_masks_give_two_vectors_and_one_mask_one():
    x, y = module().pairs(batch())
    assert (x - y).abs().max() > 0.01
    x, y = module(same_mask=True).pairs(batch())
    assert torch.equal(x, y)
    x, y = module().eval()._sides(batch())
    torch.testing.assert_close(x, y, rtol=0, atol=1e-5)


def test_the_loss_is_that_of_two_passes_through_the_head():
    """Without dropout, by hand: cosines of the head's outputs, divided by the temperature."""
    one = module().eval()
    z = one.head(masked().module.encode(batch().ids, batch().lengths)).detach().double().numpy()
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    scores = z @ z.T / 0.05
    expected = np.log(np.exp(scores).sum(1)) - scores.diagonal()
    np.testing.assert_allclose(one.losses(batch()).detach().numpy(), expected, atol=1e-3)


@pytest.fixture(scope="module")
def trained():
    return firth.SimCSE().train(sentences(), start=masked(), training=training())


def test_the_head_is_for_training_only(trained):
    assert {name.partition(".")[0] for name in trained.module.state_dict()} == {"embedding", "layers"}
    assert trained.dim == masked().dim


def test_alignment_and_uniformity_are_reported_on_texts_set_aside(trained):
    facts = trained.metadata["training"]
    assert (facts["sentences"], facts["set_aside"], facts["copies"]) == (152, 8, 0)
    row = facts["rows"][-1]
    assert 0 < row["held_out_alignment"] < 4
    assert -8 < row["held_out_uniformity"] < 0
    assert facts["best"] is None


def test_texts_spread_out(trained):
    texts = sentences()
    before, after = (uniformity(torch.from_numpy(model.encode(texts))).item() for model in (masked(), trained))
    assert after < before - 0.1


def test_copies_are_left_out():
    texts = sentences(30)
    model = firth.SimCSE().train([*texts, *texts[:10]], start=masked(), training=training())
    assert model.metadata["training"]["copies"] == 10


def test_scored_pairs_select_the_best_model():
    texts = sentences(12)
    pairs = [(x, y, float(i)) for i, (x, y) in enumerate(zip(texts[:6], texts[6:], strict=True))]
    model = firth.SimCSE().train(sentences(40), start=masked(), held_out=pairs, training=training(epochs=2))
    facts = model.metadata["training"]
    row = facts["best"]
    assert facts["set_aside"] == 0
    assert row["held_out_loss"] == pytest.approx(1 - row["held_out_spearman"])
    x, y = (torch.from_numpy(model.encode([pair[side] for pair in pairs])) for side in (0, 1))
    assert row["held_out_alignment"] == pytest.approx(alignment(x[4:], y[4:]).item(), rel=1e-4)  # scores 4 and 5 of 0-5
    assert row["held_out_uniformity"] == pytest.approx(uniformity(torch.cat((x, y))).item(), rel=1e-4)


def test_the_same_seed_gives_the_same_model():
    one, other = (firth.SimCSE().train(sentences(40), start=masked(), seed=3, training=training()) for _ in range(2))
    np.testing.assert_array_equal(one.encode(sentences(3)), other.encode(sentences(3)))


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        ({"temperature": 0}, {}, "temperature=0: expected"),
        ({}, {"training": training(batch_size=1)}, "batch_size=1: the other texts of a batch are the negatives"),
        ({}, {"held_out": ["a", "b"]}, r"expected pairs of texts with scores: a list of \(text, text, score\)"),
        ({}, {"held_out": [("a", "b", 1.0)]}, "1 pairs of one score, expected two scores or more"),
    ],
)
def test_errors(options, arguments, message):
    with pytest.raises(OptionError, match=message):
        firth.SimCSE(**options).train(sentences(20), start=masked(), **arguments)
