"""A figure of each run, and what they say together: the mean and a percentile interval.

Objective, for the figures t_1 <= .. <= t_R of R runs and a level of 1 - 2 a:

    value = 1/R sum_r t_r      low, high = t_(k), k = (R + 1) a and (R + 1) (1 - a), between two figures in proportion

with t_(k) the least figure where k < 1, and the greatest where k > R. Below 39 runs the ends of a 95 % interval are the
least and the greatest figure: 20 runs hold a further run in 19 of 21 cases, 39 in 19 of 20.

What an interval means: it is a confidence interval of what the model says on average of texts of this kind, over the
choice of documents and the chance of training. Of 100 corpora drawn alike, the intervals of about so many hold this
average; of more where training leaves most to chance, for each run has the chance of a single training. It knows
nothing of what the corpus is no sample of: another time, another kind of text, the language as a whole. And a run has
63 % of the distinct documents: a figure that depends on the length of the text, such as a cosine of rare words, is
shifted as by a shorter text.

Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 13.3 (percentile intervals); Hyndman and
Fan 1996, "Sample quantiles in statistical packages", definition 6, for (R + 1) a.

Departures: the quantiles are those of definition 6 and not of 7, NumPy's default, whose intervals of few runs are too
narrow: they hold a further run in 86 % of cases with 20 runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from firth.errors import OptionError, brief, brief_repr
from firth.resampling import LEVEL


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval: numbers, or arrays of them.

    Attributes:
        value: the mean over the runs.
        low: the lower end of the interval; NaN where less than two runs have the figure.
        high: the upper end.
        runs: the number of runs that have the figure: those that know all of its words.
    """

    value: Any
    low: Any
    high: Any
    runs: int

    __repr__ = brief_repr

    def __str__(self) -> str:
        if np.ndim(self.value):
            return repr(self)
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def described(self) -> dict[str, Any]:
        """Return the estimate as JSON values; NaN is None."""
        return {name: _plain(getattr(self, name)) for name in ("value", "low", "high")} | {"runs": self.runs}


def check_level(level: float) -> None:
    """Check the level of an interval."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise OptionError(f"level={brief(level)}: expected a number between 0 and 1, such as 0.95")


def interval(figures: Any, level: float = LEVEL) -> tuple[Any, Any]:
    """Return the ends of the percentile interval of figures (R, ...); NaN stands for a run without the figure."""
    tails = [(1 - level) / 2, (1 + level) / 2]
    finite = np.isfinite(figures)
    if finite.all():
        low, high = np.quantile(figures, tails, axis=0, method="weibull")
    else:
        low, high = np.apply_along_axis(lambda column: _ends(column[np.isfinite(column)], tails), 0, figures)
    enough = finite.sum(axis=0) > 1
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def _ends(figures: Any, tails: Sequence[float]) -> Any:
    return np.quantile(figures, tails, method="weibull") if len(figures) else np.full(2, np.nan)


def summarised(results: Sequence[Any], level: float = LEVEL) -> Any:
    """Return what the results of several runs say together.

    Args:
        results: of each run a number, an array, or a mapping of them; the same shape and keys of each.

    Returns:
        An `Estimate`, or a dictionary of them.

    Raises:
        OptionError: a result is something else, or the results differ in shape or keys.
    """
    check_level(level)
    if isinstance(results[0], Mapping):
        if any(not isinstance(result, Mapping) or result.keys() != results[0].keys() for result in results):
            raise OptionError("the function returns mappings with other keys in other runs; expected the same in all")
        return {name: summarised([result[name] for result in results], level) for name in results[0]}
    try:
        figures = np.array(results)
        if figures.dtype.kind not in "biuf":  # None would be NaN, and "1" a number
            raise TypeError
        figures = figures.astype(np.float64)
    except (TypeError, ValueError):
        raise OptionError(
            f"the function returns {brief(results[0])}; expected a number, an array or a mapping of these, of the same "
            "shape in all runs"
        ) from None
    low, high = interval(figures, level)
    value = np.nanmean(figures, axis=0) if np.isfinite(figures).any(axis=0).all() else figures.mean(axis=0)
    if figures.ndim == 1:
        return Estimate(float(value), float(low), float(high), int(np.isfinite(figures).sum()))
    return Estimate(value, low, high, len(figures))


def _plain(value: Any) -> Any:
    if np.ndim(value):
        return [_plain(part) for part in value]
    return float(value) if np.isfinite(value) else None
