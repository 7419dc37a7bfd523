"""Figures to a report: an interval for each, and the best of a line against the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from firth.evaluation.report import Contrast, Report, Row
from firth.evaluation.significance import difference, holm, wilson_interval
from firth.evaluation.suite import Figure, Setting
from firth.resampling import Sample, bootstrap_interval, value_of


@dataclass(frozen=True)
class Judged:
    """A figure, and what it is of.

    Attributes:
        suite: the name of the suite.
        set: the name of the gold set.
        figure: the figure.
    """

    suite: str
    set: str
    figure: Figure


def report_of(judged: Mapping[str, Sequence[Judged]], setting: Setting) -> Report:
    """Return a report of models that were judged alike.

    Args:
        judged: the figures of each model by its name; those in one place are of one set, part and metric.
        setting: the resamples and their seed.
    """
    # Line by line: models that count as many items share their draws.
    figures = list(zip(*judged.values(), strict=True))
    lines = [[_row(name, one, setting) for name, one in zip(judged, line, strict=True)] for line in figures]
    made = [_contrasts(line, own, setting) for line, own in zip(lines, figures, strict=True)]
    return Report([row for rows in zip(*lines, strict=True) for row in rows], [one for some in made for one in some])


def _row(name: str, one: Judged, setting: Setting) -> Row:
    value, low, high = _measured(one.figure, setting)
    return Row(
        vectors=name,
        suite=one.suite,
        set=one.set + one.figure.part,
        metric=one.figure.metric,
        value=value,
        low=low,
        high=high,
        covered=one.figure.covered,
        total=one.figure.total,
        baseline=one.figure.baseline,
        baseline_name=one.figure.baseline_name,
    )


def _measured(figure: Figure, setting: Setting) -> tuple[float, float, float]:
    sample, items = figure.sample, int(figure.sample.counted.sum())
    value = value_of(sample.statistic, items)
    if figure.share:
        return value, *(wilson_interval(round(value * items), items) if items else (value, value))
    return value, *bootstrap_interval(sample.statistic, items, resamples=setting.resamples, seed=setting.seed)


def _contrasts(line: Sequence[Row], judged: Sequence[Judged], setting: Setting) -> list[Contrast]:
    """The best of a line against the others; none for the sections of a set."""
    measured = [i for i, row in enumerate(line) if not np.isnan(row.value)]
    if line[0].is_section or len(measured) < 2:
        return []
    best = max(measured, key=lambda i: line[i].value)
    samples = [one.figure.sample for one in judged]
    return _against(line, samples, best, [i for i in measured if i != best], setting)


def _against(
    line: Sequence[Row], samples: Sequence[Sample], best: int, others: Sequence[int], setting: Setting
) -> list[Contrast]:
    found = [difference(samples[best], samples[i], resamples=setting.resamples, seed=setting.seed) for i in others]
    corrected = holm([one.p for one in found])
    return [
        Contrast(
            suite=line[best].suite,
            set=line[best].set,
            metric=line[best].metric,
            best=line[best].vectors,
            other=line[i].vectors,
            difference=one.value,
            low=one.low,
            high=one.high,
            p=one.p,
            corrected=p,
            test=one.test,
            items=one.items,
        )
        for i, one, p in zip(others, found, corrected, strict=True)
    ]
