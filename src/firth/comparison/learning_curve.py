"""Learning curves by the size of the training data: how good a model is with 50, 100, 300 ... examples.

What: for each size, a model is trained on that many of the examples, chosen at random, and judged on the same test
data. Small sizes are drawn several times. Draws are nested: the 50 examples of a draw are among its 100.

Objective: at a size with D >= 2 draws, the mean of the values with the t interval of D - 1 degrees of freedom, which
tells how much depends on the choice of the examples; with one draw its value with the interval of the test data.

Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference", for intervals of shares.

Cost: one training per size and draw.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, brief_repr
from firth.evaluation.significance import wilson_interval
from firth.progress import Progress, Status, reporting
from firth.randomness import generator
from firth.resampling import LEVEL

SIZES = (50, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
DRAWS = 3
FEW = 300  # examples up to which a size is drawn several times
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Measured:
    """A figure of a model on test data, with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint:
    """The figure of a model at a size.

    Attributes:
        examples: number of training examples.
        value: the mean over the draws.
        low: lower end of the interval of 95 %.
        high: its upper end.
        draws: the value of each draw.
    """

    examples: int
    value: float
    low: float
    high: float
    draws: tuple[float, ...]


@dataclass(frozen=True)
class LearningCurve:
    """The figures of a model by the size of its training data.

    Attributes:
        name: of the model.
        measure: what the figures are, such as "accuracy".
        unit: of the examples, such as "texts".
        points: in ascending order of size.
    """

    name: str
    measure: str
    unit: str
    points: tuple[CurvePoint, ...]

    __repr__ = brief_repr

    def __str__(self) -> str:
        width = max(len(self.unit), *(len(f"{point.examples:,}") for point in self.points))
        lines = [f"{self.unit:>{width}}  {self.measure}, with intervals of 95 %"]
        for point in self.points:
            several = f"  mean of {len(point.draws)} draws" if len(point.draws) > 1 else ""
            lines.append(f"{point.examples:>{width},}  {point.value:.4f} [{point.low:.4f}, {point.high:.4f}]{several}")
        return "\n".join(lines)

    def described(self) -> dict[str, Any]:
        """Return the curve as JSON values."""
        points = [{**vars(point), "draws": list(point.draws)} for point in self.points]
        return {"model": self.name, "measure": self.measure, "unit": self.unit, "points": points}


def learning_curve(
    train_and_judge: Callable[[Ints, int], Measured],
    examples: int,
    *,
    name: str,
    measure: str,
    unit: str,
    sizes: Sequence[int] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = None,
) -> LearningCurve:
    """Return the learning curve of a model.

    Args:
        train_and_judge: trains on some of the examples, given as their numbers in ascending order and a seed, and
            judges the model on test data.
        examples: number of training examples that there are.
        sizes: numbers of training examples; None for 50, 100, 300, 1,000 ... and all.
        draws: of each size up to 300; larger ones are drawn once.
        seed: of the draws and trainings.

    Raises:
        OptionError: a size is below 1 or above the number of examples, or there are no draws.
    """
    chosen = sizes_of(sizes, examples, unit)
    if draws < 1:
        raise OptionError(f"draws={draws!r}: expected a whole number of at least 1")
    runs = [(size, draw) for size in chosen for draw in range(draws if size <= FEW and size < examples else 1)]
    orders = [generator(seed, f"draw {draw}").permutation(examples) for draw in range(draws)]
    measurements: dict[int, list[Measured]] = {size: [] for size in chosen}
    with reporting(progress) as report:
        for done, (size, draw) in enumerate(runs):
            report(Status(stage=f"{size:,} {unit}", done=done, total=len(runs), unit="trainings"))
            measurements[size].append(train_and_judge(np.sort(orders[draw][:size]), seed + draw))
    return LearningCurve(name, measure, unit, tuple(point_of(size, values) for size, values in measurements.items()))


def sizes_of(sizes: Sequence[int] | None, examples: int, unit: str) -> list[int]:
    """Return sizes in ascending order, each at most the number of examples; the defaults end with all of them."""
    if sizes is None:
        return [*(size for size in SIZES if size < examples), examples]
    wrong = [size for size in sizes if not 1 <= size <= examples]
    if wrong or not sizes:
        problem = f"sizes={list(sizes)!r}" if not wrong else f"size {wrong[0]:,}"
        raise OptionError(f"{problem}: expected numbers from 1 to {examples:,}, the {unit} that there are")
    return sorted(set(sizes))


def point_of(size: int, measured: Sequence[Measured]) -> CurvePoint:
    """Return the mean of several draws with its t interval, or the one there is with its own."""
    values = [measurement.value for measurement in measured]
    if len(values) == 1:
        return CurvePoint(size, values[0], measured[0].low, measured[0].high, tuple(values))
    from scipy.special import stdtrit  # the quantile of Student's t

    mean = float(np.mean(values))
    half = float(stdtrit(len(values) - 1, (1 + LEVEL) / 2) * np.std(values, ddof=1) / math.sqrt(len(values)))
    return CurvePoint(size, mean, max(0.0, mean - half), min(1.0, mean + half), tuple(values))


def share(hits: int, of: int) -> Measured:
    """Return a share, such as an accuracy, with Wilson's interval."""
    return Measured(hits / of, *wilson_interval(hits, of)) if of else Measured(0.0, 0.0, 1.0)
