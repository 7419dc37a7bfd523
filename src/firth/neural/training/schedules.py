"""How the learning rate goes: functions of how far training has come, so that a run that goes on needs no state of one.

Each returns the share of the highest rate that holds at a moment. `TrainingOptions.lr` is the highest, in all of them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

RISE, START, END = (
    0.3,
    1 / 25,
    1e-4 / 25,
)  # of one-cycle: share of the run that rises; shares of the rate it runs from, to


@dataclass(frozen=True)
class Moment:
    """How far training has come when an update begins.

    Attributes:
        step: updates done.
        share: of the run that is done, the warm-up left out, from 0 to 1.
        epochs: passes done, with fractions.
        warmup: updates of the warm-up.
        decay: of the schedules that have one, a epoch.
    """

    step: int
    share: float
    epochs: float
    warmup: int = 0
    decay: float = 0.0


def constant(now: Moment) -> float:
    """Return 1."""
    return 1.0


def inverse_time(now: Moment) -> float:
    """Return 1 / (1 + decay t) after t epochs (Bengio et al. 2003, section 3.1, with t in updates)."""
    return 1 / (1 + now.decay * now.epochs)


def exponential(now: Moment) -> float:
    """Return exp(-decay t) after t epochs."""
    return math.exp(-now.decay * now.epochs)


def linear(now: Moment) -> float:
    """Return what falls on a straight line to 0 at the end."""
    return 1 - now.share


def cosine(now: Moment) -> float:
    """Return half a wave, from 1 to 0 (Loshchilov and Hutter 2017, equation 5, without restarts)."""
    return (1 + math.cos(math.pi * now.share)) / 2


def one_cycle(now: Moment) -> float:
    """Return a rise from 1/25 to 1 over three tenths of the run, then a fall to 1/250,000, both half waves.

    Source: Smith and Topin 2018, in the form with cosines that PyTorch and fastai made usual.
    """
    if now.share < RISE:
        return START + (1 - START) * (1 - math.cos(math.pi * now.share / RISE)) / 2
    return END + (1 - END) * (1 + math.cos(math.pi * (now.share - RISE) / (1 - RISE))) / 2


def inverse_square_root(now: Moment) -> float:
    """Return sqrt(w / n) at update n once it is beyond the warm-up's w (Vaswani et al. 2017, section 5.3).

    The paper gives the height at the top as 1 / sqrt(D w); here it is 1, and `lr` says the height.
    """
    return math.sqrt(max(now.warmup, 1) / max(now.step + 1, now.warmup, 1))


SCHEDULES: dict[str, Callable[[Moment], float]] = {
    "constant": constant,
    "inverse-time": inverse_time,
    "exponential": exponential,
    "linear": linear,
    "cosine": cosine,
    "one-cycle": one_cycle,
    "inverse-square-root": inverse_square_root,
}


def rate(schedule: str, now: Moment) -> float:
    """Return the share of the highest learning rate that holds now, the warm-up included.

    Args:
        schedule: a name of `SCHEDULES`.
        now: how far training has come.
    """
    rise = min(1.0, (now.step + 1) / now.warmup) if now.warmup else 1.0
    return rise * SCHEDULES[schedule](now)
