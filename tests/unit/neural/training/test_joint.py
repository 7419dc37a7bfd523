"""Several tasks as one: rates, order, resuming, and a shared encoder that learns from both."""

import itertools
from collections import Counter

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import KindError, OptionError
from firth.neural.training.joint import JointTask
from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.neural.training.task import StepOutput


class Batch:
    fresh = True

    def __init__(self, key, scale=1.0):
        self.key, self.scale = key, scale

    def to(self, device):
        return self


class Numbered:
    def __init__(self, size, scale=1.0):
        self.size, self.scale = size, scale

    def count(self, epoch):
        return self.size

    def epoch(self, number, start=0):
        return (Batch((number, each), self.scale) for each in range(start, self.size))

    def shard(self, rank, of):
        return Numbered(self.size, (rank + 1) / of)


class Task:
    """Moves the sum of a shared weight and its own to a target."""

    unit, eval_predictions = "numbers", 1

    def __init__(self, shared, target, size):
        self.module = torch.nn.Module()
        self.module.shared = shared
        self.module.own = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(self.module.own.weight)
        self.batches, self.target, self.seen = Numbered(size), target, []

    def loss(self):
        return (self.module.shared.weight + self.module.own.weight - self.target).square().sum()

    def step(self, batch, state, progress):
        self.seen.append(batch.key)
        loss = self.loss()
        return StepOutput(loss, loss.detach().double(), 1)

    def evaluate(self):
        return {"loss": self.loss().item()}


def two(sizes=(3, 6)):
    shared = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(shared.weight)
    return {"a": Task(shared, 3.0, sizes[0]), "b": Task(shared, 1.0, sizes[1])}


def keys(batches, epochs, start=0):
    each = (batches.epoch(number, start if number == epochs[0] else 0) for number in epochs)
    return [(batch.name, batch.batch.key) for batch in itertools.chain.from_iterable(each)]


def test_each_task_goes_through_its_batches_in_order():
    batches = JointTask(two(), seed=1).batches
    read = keys(batches, range(20))
    assert len(read) == 20 * 9
    for name, size in (("a", 3), ("b", 6)):
        own = [key for each, key in read if each == name]
        assert own == [divmod(number, size) for number in range(len(own))]


def test_rates():
    read = Counter(name for name, _ in keys(JointTask(two(), {"a": 3, "b": 1}).batches, range(100)))
    assert 0.7 < read["a"] / 900 < 0.8
    even = Counter(name for name, _ in keys(JointTask(two()).batches, range(100)))
    assert 0.28 < even["a"] / 900 < 0.38


@pytest.mark.parametrize("start", [0, 1, 5, 9])
def test_a_run_that_goes_on_reads_what_is_left(start):
    batches = JointTask(two(), seed=3).batches
    assert keys(batches, range(2, 4), start) == keys(batches, range(2, 4))[start:]
    assert keys(JointTask(two(), seed=3).batches, range(2, 4), start) == keys(batches, range(2, 4), start)
    assert keys(JointTask(two(), seed=4).batches, range(4)) != keys(batches, range(4))
    assert keys(batches.shard(0, 2), range(3)) == keys(batches, range(3))


def test_a_process_gets_its_part_of_the_same_batches():
    batches = JointTask(two(), seed=3).batches
    for rank, scale in ((0, 0.25), (3, 1.0)):
        part = batches.shard(rank, 4)
        assert keys(part, range(3)) == keys(batches, range(3))
        assert {batch.scale for batch in part.epoch(0)} == {scale}


def test_what_is_shared_learns_from_both():
    tasks = two((20, 20))
    task = JointTask(tasks)
    config = RunConfig.of(TrainingOptions(epochs=40, optimiser="sgd", lr=0.05), {"progress": False})
    history = fit(task, config, identity={})
    assert tasks["a"].loss().item() < 1e-3
    assert tasks["b"].loss().item() < 1e-3
    weights = {name: each.module.own.weight.item() for name, each in tasks.items()}
    assert weights["a"] > 0.5
    assert abs(tasks["a"].module.shared.weight.item()) > 0.5
    assert {"held_out_loss", "held_out_b loss"} <= set(history.rows[-1])
    assert len(list(task.module.parameters())) == 3


def test_wrong_tasks_and_rates():
    with pytest.raises(OptionError, match="none given"):
        JointTask({})
    with pytest.raises(OptionError, match="rates of a; expected one of each task: a, b"):
        JointTask(two(), {"a": 1})
    with pytest.raises(OptionError, match="-1 of the task 'b'; expected a positive number"):
        JointTask(two(), {"a": 1, "b": -1})
    with pytest.raises(KindError, match=r"tasks: found .*; expected tasks by name"):
        JointTask(list(two().values()))
    with pytest.raises(KindError, match="rates: found 3; expected a number for each task: a, b"):
        JointTask(two(), 3)
    for name in ("a.b", "", "keys", 5, None):
        with pytest.raises(OptionError, match=f"tasks: the name {name!r}; expected a text"):
            JointTask({name: two()["a"]})
    for rate in ("x", None, True, float("nan"), float("inf"), 0):
        with pytest.raises(OptionError, match="of the task 'b'; expected a positive number"):
            JointTask(two(), {"a": 1, "b": rate})
    assert JointTask(two(), {"a": 1e308, "b": 1e308}).batches.rates == {"a": 0.5, "b": 0.5}
    with pytest.raises(OptionError, match="tasks: 'b' has no batches; expected one at least"):
        JointTask(two((3, 0)), {"a": 1, "b": 1})
    task = JointTask(two())
    (batch, *_) = task.batches.epoch(0)
    batch.batch.fresh = False
    with pytest.raises(OptionError, match="carries a state"):
        task.step(batch, None, None)
