"""The area under the curve, and what a step counts."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.pretraining.data import PieceText, Windows
from firth.neural.models.pretraining.train import Objective, auc, pretraining_task
from firth.neural.training.schedules import TrainingProgress
from tests.unit.neural.models.pretraining.encoders import pieces


def test_area_by_hand():
    """The share of pairs of a positive and another item in which the positive is ahead; ties count half."""
    scores = torch.tensor([3.0, 1.0, 2.0, 2.0, 0.0])
    positive = torch.tensor([1, 0, 1, 0, 0])
    pairs = [float(a > b) + 0.5 * float(a == b) for a in scores[positive == 1] for b in scores[positive == 0]]
    assert auc(scores, positive) == pytest.approx(sum(pairs) / len(pairs))


def test_no_area_without_both_kinds():
    assert auc(torch.ones(3), torch.ones(3)) is None
    assert auc(torch.ones(3), torch.zeros(3)) is None


class Mean(Objective):
    """The mean of all ids as the loss; of held-out ones with draws, in single precision."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(()))

    def loss(self, ids):
        return self.weight * ids.double().mean(), ids.numel()

    def measure(self, ids):
        return {"ids": ids[:, 1:-1].flatten(), "draws": torch.rand(len(ids))}

    def figures(self, measures):
        assert all(values.dtype == torch.float64 for values in measures.values())
        return {"loss": float(measures["ids"].sum()), "draws": float(measures["draws"].sum())}


def test_a_task_sums_the_losses_of_steps_and_joins_the_measures_of_all_batches():
    text = PieceText(pieces(), (np.arange(95) % 90).astype(np.uint16), 1)
    batches = Windows(text=text, length=12, batch_size=4)
    held_out = Windows(text=text, length=12, batch_size=4, shuffle=False)
    task = pretraining_task(Mean(), batches, held_out, 0.15)
    batch = next(batches.epoch(0))
    output = task.step(batch, None, TrainingProgress(0, 1, 0.0, 0.0))
    assert output.predictions == 48
    assert output.nats.item() == int(batch.ids.sum())
    assert output.loss.item() == pytest.approx(int(batch.ids.sum()) / 48)
    assert task.eval_predictions == 14  # 15 % of 95
    torch.manual_seed(7)
    first = task.evaluate()
    assert first["loss"] == text.ids[:90].sum()
    assert task.evaluate() == first  # with the same draws
    alone = pretraining_task(Mean(), batches, None, 0.15)
    assert alone.evaluate() == {}
    assert alone.eval_predictions == 0
