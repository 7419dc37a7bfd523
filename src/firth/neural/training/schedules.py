"""Learning-rate schedules: functions of the progress of training, so that a resumed run needs no scheduler state.

Each returns the factor on the highest learning rate, `TrainingOptions.lr`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

# One-cycle: the fraction of the run in which the rate rises, and its first and last factor.
RISE, START, END = 0.3, 1 / 25, 1e-4 / 25


@dataclass(frozen=True)
class TrainingProgress:
    """Position in a training run when an update begins.

    Attributes:
        step: updates done.
        total_steps: updates of all epochs, if each is as long as the first; fewer where a limit in minutes ends the run
            before, by the speed so far.
        epoch: passes over the data, with fractions.
        fraction: of these updates that are done, from 0 to 1.
    """

    step: int
    total_steps: int
    epoch: float
    fraction: float

    def after_warmup(self, warmup: int) -> float:
        """Return the fraction that is done of the run without its first `warmup` updates."""
        before = warmup / self.total_steps
        return min(max((self.fraction - before) / max(1 - before, 1e-9), 0.0), 1.0)


def constant(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return 1."""
    return 1.0


def inverse_time(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return 1 / (1 + decay t) after t epochs (Bengio et al. 2003, section 3.1, with t in updates)."""
    return 1 / (1 + decay * progress.epoch)


def exponential(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return exp(-decay t) after t epochs."""
    return math.exp(-decay * progress.epoch)


def linear(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return a straight line from 1 to 0."""
    return 1 - progress.after_warmup(warmup)


def cosine(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return half a cosine wave from 1 to 0 (Loshchilov and Hutter 2017, equation 5, without restarts)."""
    return (1 + math.cos(math.pi * progress.after_warmup(warmup))) / 2


def one_cycle(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return a rise from 1/25 to 1 over three tenths of the run, then a fall to 1/250,000, both half cosine waves.

    Source: Smith and Topin 2018, in the form with cosines that PyTorch and fastai use.
    """
    fraction = progress.after_warmup(warmup)
    if fraction < RISE:
        return START + (1 - START) * (1 - math.cos(math.pi * fraction / RISE)) / 2
    return END + (1 - END) * (1 + math.cos(math.pi * (fraction - RISE) / (1 - RISE))) / 2


def inverse_square_root(progress: TrainingProgress, warmup: int, decay: float) -> float:
    """Return sqrt(w / n) at update n, where w is the warm-up (Vaswani et al. 2017, section 5.3).

    In the paper the highest rate is 1 / sqrt(D w). Here it is `lr`.
    """
    return math.sqrt(max(warmup, 1) / max(progress.step + 1, warmup, 1))


SCHEDULES: dict[str, Callable[[TrainingProgress, int, float], float]] = {
    "constant": constant,
    "inverse-time": inverse_time,
    "exponential": exponential,
    "linear": linear,
    "cosine": cosine,
    "one-cycle": one_cycle,
    "inverse-square-root": inverse_square_root,
}


def lr_factor(schedule: str, progress: TrainingProgress, *, warmup: int = 0, decay: float = 0.0) -> float:
    """Return the factor on the highest learning rate, linear warm-up included.

    Args:
        warmup: updates in which the rate rises from 0; at most half of the run's, so that a short run gets to learn.
        decay: rate of the inverse-time and exponential schedules, per epoch.
    """
    warmup = min(warmup, (progress.total_steps + 1) // 2)
    rise = min(1.0, (progress.step + 1) / warmup) if warmup else 1.0
    return rise * SCHEDULES[schedule](progress, warmup, decay)
