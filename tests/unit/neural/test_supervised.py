"""The frame of training: digests of data, the part that selects the model, figures per prediction."""

import hashlib

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.supervised import digest, loss_per_token, mean_figures, mean_loss, split_examples
from firth.neural.training.batching import Buckets, pad


def test_a_digest_is_of_all_bytes_in_their_order():
    numbers = np.arange(3)
    expected = hashlib.blake2b("é".encode() + numbers.tobytes() + b"x", digest_size=16).hexdigest()
    assert digest("é", [numbers, (b"x",)]) == expected
    assert digest("é", (part for part in (numbers, "x"))) == expected
    assert digest("\ud800") != digest("é")
    with pytest.raises(TypeError, match="expected arrays, strings or bytes"):
        digest(3)


class Rows(list):
    def rows(self, rows):
        return Rows(self[row] for row in rows)


def test_a_tenth_selects_the_model():
    train, held_out = split_examples(Rows(range(40)), 1, "numbers")
    assert (len(train), len(held_out)) == (36, 4)
    assert sorted(train + held_out) == list(range(40))


class Batch:
    fresh, scale = True, 1.0

    def __init__(self, values):
        self.values = values

    def to(self, device):
        return Batch(self.values.to(device))


def test_losses_are_means_over_predictions_not_over_batches():
    losses = torch.tensor([1.0, 2.0, 6.0])
    step = mean_loss(losses)
    assert (float(step.loss), float(step.nats), step.predictions) == (3, 9, 3)
    step = loss_per_token(losses.sum(), 2)
    assert (float(step.loss), float(step.nats), step.predictions) == (4.5, 9, 2)
    items = [[1], [2], [6]]
    batches = Buckets(items=items, lengths=np.ones(3, np.int64), collate=lambda some: Batch(pad(some)[0]), batch_size=2)
    found = mean_figures(batches, torch.nn.Linear(1, 1), lambda batch: batch.values[:, 0].float())
    assert found == {"loss": 3.0}
