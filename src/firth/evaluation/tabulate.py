"""Builds a report from scores: an interval for each, and tests of the best model against the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from firth.evaluation.report import Contrast, EvaluationReport, ScoreRow
from firth.evaluation.significance import difference, equality_p, holm, wilson_interval
from firth.evaluation.suite import EvaluationOptions, Score
from firth.resampling import Sample, bootstrap_interval, value_of


@dataclass(frozen=True)
class SetScore:
    """A score with the names of its suite and gold set."""

    suite: str
    set: str
    score: Score


def report_of(scores: Mapping[str, Sequence[SetScore]], options: EvaluationOptions) -> EvaluationReport:
    """Return the report of models that were evaluated on the same sets.

    Args:
        scores: the scores of each model by name; scores at one index have the same set, part and metric.
        options: number of resamples and random seed.
    """
    # Line by line, because models with the same number of items share their bootstrap samples.
    lines = list(zip(*scores.values(), strict=True))
    rows = [[_row(name, score, options) for name, score in zip(scores, line, strict=True)] for line in lines]
    contrasts = [_contrasts(row, line, options) for row, line in zip(rows, lines, strict=True)]
    rows = [_above_baseline(row, line, options) for row, line in zip(rows, lines, strict=True)]
    return EvaluationReport(
        [row for model in zip(*rows, strict=True) for row in model],
        [contrast for line in contrasts for contrast in line],
    )


def _row(name: str, set_score: SetScore, options: EvaluationOptions) -> ScoreRow:
    value, low, high = _value_and_interval(set_score.score.sample, set_score.score.share, options)
    return ScoreRow(
        vectors=name,
        suite=set_score.suite,
        set=set_score.set + set_score.score.part,
        metric=set_score.score.metric,
        value=value,
        low=low,
        high=high,
        covered=set_score.score.covered,
        total=set_score.score.total,
        baseline=set_score.score.baseline,
        baseline_name=set_score.score.baseline_name,
    )


def _above_baseline(rows: Sequence[ScoreRow], scores: Sequence[SetScore], options: EvaluationOptions) -> list[ScoreRow]:
    """The rows of a line with the baseline's value and interval, and a paired test against it; no test for sections."""
    tested = []
    for row, score in zip(rows, scores, strict=True):
        baseline = score.score.baseline_sample
        if baseline is None or not baseline.mask.any():
            tested.append(row)
            continue
        if row.is_section:
            tested.append(replace(row, baseline=value_of(baseline.statistic, int(baseline.mask.sum()))))
            continue
        value, low, high = _value_and_interval(baseline, score.score.share, options)
        p = equality_p(score.score.sample, baseline, resamples=options.resamples, seed=options.seed)
        tested.append(replace(row, baseline=value, baseline_low=low, baseline_high=high, baseline_p=p))
    corrected = holm([np.nan if row.baseline_p is None else row.baseline_p for row in tested])
    return [
        row if row.baseline_p is None else replace(row, baseline_p=p) for row, p in zip(tested, corrected, strict=True)
    ]


def _value_and_interval(sample: Sample, share: bool, options: EvaluationOptions) -> tuple[float, float, float]:
    items = int(sample.mask.sum())
    value = value_of(sample.statistic, items)
    if share:
        return value, *(wilson_interval(round(value * items), items) if items else (value, value))
    return value, *bootstrap_interval(sample.statistic, items, resamples=options.resamples, seed=options.seed)


def _contrasts(line: Sequence[ScoreRow], scores: Sequence[SetScore], options: EvaluationOptions) -> list[Contrast]:
    """Tests of the best model of a line against the others; none for sections."""
    valid = [i for i, row in enumerate(line) if not np.isnan(row.value)]
    better = scores[0].score.better
    if line[0].is_section or len(valid) < 2 or not better:
        return []
    best = max(valid, key=lambda i: better * line[i].value)
    samples = [score.score.sample for score in scores]
    return _compare(line, samples, best, [i for i in valid if i != best], options)


def _compare(
    line: Sequence[ScoreRow], samples: Sequence[Sample], best: int, compared: Sequence[int], options: EvaluationOptions
) -> list[Contrast]:
    differences = [
        difference(samples[best], samples[i], resamples=options.resamples, seed=options.seed) for i in compared
    ]
    corrected = holm([result.p for result in differences])
    return [
        Contrast(
            suite=line[best].suite,
            set=line[best].set,
            metric=line[best].metric,
            best=line[best].vectors,
            other=line[i].vectors,
            difference=result.value,
            low=result.low,
            high=result.high,
            p=result.p,
            corrected=p,
            test=result.test,
            items=result.items,
        )
        for i, result, p in zip(compared, differences, corrected, strict=True)
    ]
