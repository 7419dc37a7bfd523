"""The loss and the figures of the task."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.classification.classifier import cross_entropy, label_task
from firth.neural.models.classification.data import Item, batches_of
from firth.neural.models.classification.reader import TextReader


class Given(torch.nn.Module):
    """Scores by the first word of a text."""

    def __init__(self):
        super().__init__()
        self.scores = torch.nn.Parameter(torch.tensor([[0.0, math.log(3)], [math.log(4), 0.0]]))

    def forward(self, inputs):
        return self.scores[inputs.ids[:, 0] - 2]


def batches(items):
    return batches_of(items, TextReader([], "unicode", 9).collate, batch_size=2, shuffle=False)


def test_cross_entropy_by_hand():
    """p = (1/4, 3/4) and (4/5, 1/5); the second target is half of each."""
    losses = cross_entropy(Given().scores, torch.tensor([[0.0, 1.0], [0.5, 0.5]]))
    assert losses.tolist() == pytest.approx([-math.log(3 / 4), -(math.log(4 / 5) + math.log(1 / 5)) / 2])


def test_figures_by_hand():
    """The first and the second text are right, the third is not; the step's loss is the mean of its batch."""
    items = [Item((np.array([word]),), np.eye(2, dtype=np.float32)[label]) for word, label in ((2, 1), (3, 0), (3, 1))]
    task = label_task(Given(), batches(items[:1]), batches(items), predictions=3)
    total = -math.log(3 / 4) - math.log(4 / 5) - math.log(1 / 5)
    assert task.evaluate() == {"loss": pytest.approx(total / 3), "error": pytest.approx(1 / 3)}
    (batch,) = task.batches.epoch(0)
    output = task.step(batch, None, None)
    assert (output.loss.item(), output.predictions) == (pytest.approx(-math.log(3 / 4)), 1)
    assert label_task(Given(), batches(items), batches(items), predictions=3, by_error=False).evaluate().keys() == {
        "loss"
    }


def test_class_weights_are_factors_of_the_loss_but_not_of_the_figures():
    """The first text weighs 3, by its label; figures are those without weights."""
    items = [Item((np.array([word]),), np.eye(2, dtype=np.float32)[label]) for word, label in ((2, 1), (3, 0))]
    weighted, plain = (
        label_task(Given(), batches(items), batches(items), predictions=2, class_weights=weights)
        for weights in (torch.tensor([0.5, 3.0]), None)
    )
    (batch,) = weighted.batches.epoch(0)
    expected = (-3 * math.log(3 / 4) - 0.5 * math.log(4 / 5)) / 2
    assert weighted.step(batch, None, None).loss.item() == pytest.approx(expected)
    assert weighted.evaluate() == plain.evaluate()
