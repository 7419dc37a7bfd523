"""Schedules against figures worked by hand, and against torch's own where it has one."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.training.schedules import SCHEDULES, TrainingProgress, lr_factor


def at(step: int, of: int, epoch: float = 0.0) -> TrainingProgress:
    return TrainingProgress(step, of, epoch, step / of)


@pytest.mark.parametrize(
    ("schedule", "progress", "options", "expected"),
    [
        ("constant", at(7, 10), {}, 1.0),
        ("inverse-time", at(0, 10, 4.0), {"decay": 0.25}, 0.5),  # 1 / (1 + 0.25 * 4)
        ("exponential", at(0, 10, 2.0), {"decay": math.log(2)}, 0.25),  # two halvings
        ("linear", at(3, 10), {}, 0.7),
        ("cosine", at(5, 10), {}, 0.5),
        ("inverse-square-root", at(399, 1000), {"warmup": 100}, 0.5),  # sqrt(100 / 400)
        ("inverse-square-root", at(49, 1000), {"warmup": 100}, 0.5),  # half of the way up
        ("linear", at(0, 10), {"warmup": 4}, 0.25),  # the first of four updates up
        ("linear", at(4, 10), {"warmup": 200}, 1.0),  # half of a short run at most
        ("linear", at(0, 1), {"warmup": 200}, 1.0),
        ("one-cycle", at(0, 10), {}, 1 / 25),
        ("one-cycle", at(3, 10), {}, 1.0),
        ("one-cycle", at(10, 10), {}, 1 / 250_000),
    ],
)
def test_by_hand(schedule, progress, options, expected):
    assert lr_factor(schedule, progress, **options) == pytest.approx(expected, rel=1e-12)


def torch_rates(make, steps: int) -> list[float]:
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    schedule, rates = make(optimiser), []
    for _ in range(steps):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        schedule.step()
    return rates


def test_cosine_is_that_of_torch():
    expected = torch_rates(lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 20), 20)
    assert [lr_factor("cosine", at(step, 20)) for step in range(20)] == pytest.approx(expected, rel=1e-9)


def test_one_cycle_is_that_of_torch():
    """torch rises over 0.3 n - 1 of its n updates and falls over the other 0.7 n, ending with the last."""
    n = 20
    expected = torch_rates(lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 1.0, n), n)
    shares = [
        0.3 * s / (0.3 * n - 1) if s < 0.3 * n - 1 else 0.3 + 0.7 * (s - 0.3 * n + 1) / (0.7 * n) for s in range(n)
    ]
    ours = [lr_factor("one-cycle", TrainingProgress(step, n, 0.0, share)) for step, share in enumerate(shares)]
    assert ours == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_never_above_the_highest_nor_below_nothing(schedule):
    for warmup in (0, 7):
        rates = [lr_factor(schedule, at(s, 50, s / 10), warmup=warmup, decay=0.3) for s in range(51)]
        assert min(rates) >= 0
        assert max(rates) <= 1
