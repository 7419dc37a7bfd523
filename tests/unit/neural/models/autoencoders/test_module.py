"""The network: likelihoods that sum to one, gradients, padding and batch mates, word dropout."""

import itertools

import pytest
import torch

from tests.gradients.neural.directions import check_parameters
from tests.unit.neural.models.autoencoders.tiny import LABELS, SENTENCES, untrained


def batch_of(model, texts=SENTENCES, labels=None):
    return model.items.collate(model._items(texts, labels))


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_probabilities_of_all_sentences_sum_to_less_than_one_and_almost(cell):
    """Of sentences of up to two words, and of the beginnings of longer ones, the probabilities sum to one."""
    model = untrained(cell=cell)
    module, words = model.module, range(len(model.items.units))
    condition = module.condition(torch.randn(1, 3), None)
    total = 0.0
    for length in range(3):
        every = [[1, *each, 2] for each in itertools.product([w for w in words if w != 2], repeat=length)]
        ids = torch.tensor(every)
        batch = batch_of(model, ["a"])
        batch = type(batch)(ids[:, :-1], ids[:, 1:], torch.full((len(ids),), length + 1), None)
        own = -module.reconstruction(batch, condition.expand(len(ids), -1))
        total += own.exp().sum().item()
    longer = torch.tensor([[1, *each] for each in itertools.product([w for w in words if w != 2], repeat=3)])
    batch = type(batch)(longer[:, :-1], longer[:, 1:], torch.full((len(longer),), 3), None)
    total += (-module.reconstruction(batch, condition.expand(len(longer), -1))).exp().sum().item()
    assert total == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("labels", [None, LABELS])
@pytest.mark.parametrize("code", ["gaussian", "gumbel", "vq"])
def test_padding_and_batch_mates_change_nothing(code, labels):
    model = untrained(code=code, labels=labels is not None, layers=2)
    module = model.module
    batch = batch_of(model, labels=labels)
    with torch.no_grad():
        raw = module.encoder(batch)
        vectors = module.code.vectors(module.code.best(module.code.distribution(raw)))
        losses = module.reconstruction(batch, module.condition(vectors, batch.labels))
        for row, text in enumerate(SENTENCES):
            one = batch_of(model, [text], None if labels is None else [labels[row]])
            torch.testing.assert_close(module.encoder(one)[0], raw[row], atol=1e-5, rtol=0)
            alone = module.reconstruction(one, module.condition(vectors[row : row + 1], one.labels))
            assert alone.item() == pytest.approx(losses[row].item(), abs=1e-5)


@pytest.mark.parametrize("code", ["gaussian", "gumbel"])
def test_the_gradient_equals_differences(code):
    model = untrained(code=code, labels=True, dropout=0.0, word_dropout=0.0)
    module = model.module.double()
    batch = batch_of(model, SENTENCES[:4], LABELS[:4])

    def loss():
        torch.manual_seed(0)
        return module(batch, step=3, weight=0.3, free_bits=0.0)

    check_parameters(module, loss)


def test_words_are_dropped_in_training_only():
    model = untrained(word_dropout=1.0, dropout=0.0)
    batch = batch_of(model)
    condition = torch.zeros(len(SENTENCES), 3)
    words = torch.where((batch.inputs == 1), 1, 0)
    unread = type(batch)(words, batch.targets, batch.lengths, None)
    kept = model.module.reconstruction(batch, condition)
    model.module.train()
    torch.testing.assert_close(
        model.module.reconstruction(batch, condition), model.module.eval().reconstruction(unread, condition)
    )
    assert not torch.allclose(kept, model.module.reconstruction(unread, condition))
