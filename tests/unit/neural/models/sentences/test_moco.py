"""MoCo: the momentum encoder, the queue, augmentations."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import copy

import firth
from firth.errors import OptionError
from firth.neural.models.sentences.data import TokenBatch
from firth.neural.models.sentences.moco import MoCoModule
from tests.unit.neural.models.sentences.encoders import masked, sentences, training


def same(words, random):
    return words


def module_of(augment=same, **options):
    return MoCoModule(copy.deepcopy(masked()), firth.MoCo(queue=8, momentum=0.9, **options), augment)


def batch(count=4):
    return TokenBatch.of(masked().ids_of(sentences(count)))


def test_the_loss_is_against_the_queue_which_then_has_the_keys():
    module = module_of(temperature=0.5).eval()
    module.fill(masked().ids_of(sentences(20)[-8:]))
    queue = module.queue().double().numpy()
    found = module.losses(batch()).detach().numpy()
    keys = module.average(batch().ids, batch().lengths).double().numpy()
    queries, others = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (keys, queue))
    scores = np.exp(queries @ others.T / 0.5).sum(1)
    own = np.exp(np.full(4, 1 / 0.5))  # without augmentation and dropout a query equals its key
    np.testing.assert_allclose(found, -np.log(own / (own + scores)), atol=1e-4)
    np.testing.assert_allclose(module.queue().numpy()[:4], keys, atol=1e-6)
    np.testing.assert_allclose(module.queue().numpy()[4:], queue[4:], atol=1e-6)


def test_keys_are_of_a_second_augmentation_cut_at_the_limit():
    """Texts are augmented for the queries first: the four texts after them are backwards, and long."""
    turns, limit = [], masked().options.max_length

    def augment(words, random):
        turns.append(words)
        return words if len(turns) <= 4 else [*words][::-1] * 20

    module = module_of(augment).eval()
    module.losses(batch())
    rows = masked().ids_of([" ".join(text.split()[::-1] * 20) for text in sentences(4)])
    assert min(map(len, rows)) > limit
    keys = TokenBatch.of([row[:limit] for row in rows])
    torch.testing.assert_close(module.queue(), module.average(keys.ids, keys.lengths), atol=1e-6, rtol=0)


def test_gradients_reach_the_encoder_and_not_the_keys():
    module = module_of().train()
    module.fill(masked().ids_of(sentences(20)[-8:]))
    start = [parameter.clone() for parameter in module.average.parameters()]
    module.losses(batch()).mean().backward()
    assert all(parameter.grad is None for parameter in module.average.parameters())
    assert any(parameter.grad is not None for parameter in module.branch.parameters())
    with torch.no_grad():
        for parameter in module.branch.parameters():
            parameter += 1.0
    module.losses(batch())
    for before, after in zip(start, module.average.parameters(), strict=True):
        torch.testing.assert_close(after, before + 0.1, atol=1e-5, rtol=0)


def test_texts_are_augmented_word_by_word():
    seen = []

    def shout(words, random):
        seen.append(list(words))
        return [word.upper() for word in words]

    module = module_of(shout)
    found = module.augmented(batch(2))
    assert [" ".join(words) for words in seen] == sentences(2)
    upper = masked().ids_of([text.upper() for text in sentences(2)])
    limit = masked().options.max_length
    assert found.ids[0, : found.lengths[0]].tolist() == upper[0][:limit].tolist()
    with pytest.raises(OptionError, match="augment: returned 'w1 w2', expected a list of words"):
        module_of(lambda words, random: "w1 w2").augmented(batch(2))
    nothing = module_of(lambda words, random: []).augmented(batch(2))
    assert torch.equal(nothing.ids, batch(2).ids)


def test_training_reports_and_spreads_texts():
    model = firth.MoCo(queue=32).train(sentences(), start=masked(), training=training())
    row = model.metadata["training"]["rows"][-1]
    assert row["held_out_alignment"] > 0 > row["held_out_uniformity"]
    assert {name.partition(".")[0] for name in model.module.state_dict()} == {"embedding", "layers"}
    assert not np.array_equal(model.encode(sentences(2)), masked().encode(sentences(2)))
    again = firth.MoCo(queue=32).train(
        sentences(), start=masked(), training=training(), augment=lambda words, random: words[::-1]
    )
    assert again.dim == 16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queue": 8}, "queue=8: smaller than a batch of 16"),
        ({"queue": 100}, "queue=100: the text has 40 different sentences.*expected at most 24"),
        ({"momentum": 1.5}, "momentum=1.5: expected"),
        ({"delete": 2}, "delete=2: expected"),
    ],
)
def test_errors(options, message):
    with pytest.raises(OptionError, match=message):
        firth.MoCo(**options).train(sentences(40), start=masked(), training=training())
