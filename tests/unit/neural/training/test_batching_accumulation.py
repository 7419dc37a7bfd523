"""Gradient accumulation: groups of batches, and the gradient of one large batch."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.training.batching import Accumulated
from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig
from tests.unit.neural.training.tiny import Line


class Numbers:
    """Seven batches, of which processes take every other one."""

    def __init__(self, numbers=range(7)):
        self.numbers = list(numbers)

    def count(self, epoch):
        return len(self.numbers)

    def epoch(self, number, start=0):
        yield from self.numbers[start:]

    def shard(self, rank, of):
        return Numbers(self.numbers[rank::of])


def test_groups():
    groups = Accumulated(Numbers(), 3)
    assert list(groups.epoch(0)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert groups.count(0) == 3
    assert list(groups.epoch(0, 1)) == [[3, 4, 5], [6]]
    assert list(groups.shard(1, 2).epoch(0)) == [[1, 3, 5]]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_batches_of_any_size_count_as_one(size):
    """Four points in batches of `size`, the last perhaps smaller: gradient descent as with all four at once."""
    lines = []
    for each, accumulate in ((4, 1), (size, -(-4 // size))):
        task = Line(size=each)
        training = firth.TrainingOptions(
            epochs=3, batch_size=each, accumulate=accumulate, optimiser="sgd", lr=0.1, clip_norm=1.0
        )
        history = fit(task, RunConfig(training), identity={})
        assert (history.steps, history.predictions) == (3, 12)
        lines.append((task.module.weight.item(), task.module.bias.item(), history.rows[0]["loss"]))
    assert lines[1] == pytest.approx(lines[0], rel=1e-5)
