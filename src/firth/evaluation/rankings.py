"""Lexical substitution for models that rank candidates in a sentence themselves."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from firth.errors import OptionError
from firth.evaluation.evaluate import GoldSets, PathLike, read_sets
from firth.evaluation.report import EvaluationReport
from firth.evaluation.substitution import gaps_of, scores_of, suite
from firth.evaluation.suite import EvaluationOptions
from firth.evaluation.tabulate import SetScore, report_of
from firth.readers.words_in_context import Occurrence
from firth.resampling import Floats

Rank = Callable[[Sequence[Occurrence], Sequence[str]], Mapping[str, Floats]]
POLICIES = ("skip", "count")


def evaluate_rankings(
    rank: Rank, gold: GoldSets, *, name: str, unknown: Any, resamples: int, seed: int, data: PathLike | None
) -> EvaluationReport:
    """Score a model's rankings of the candidates of lexical substitution sets.

    Args:
        rank: returns (k, m) scores by name of m candidates in k sentences of a word, NaN for unknown words.
        gold: a named set or a file, or several.
        unknown: "skip" leaves out sentences whose word or a candidate is unknown; "count" counts them.
        data: folder with local copies of the named sets.
    """
    if unknown not in POLICIES:
        raise OptionError(f"unknown={unknown!r}: expected one of {', '.join(POLICIES)}")
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected at least 1")
    options = EvaluationOptions(unknown=unknown, resamples=resamples, seed=seed)
    scores = []
    for gold_set in read_sets(suite, gold, data):
        results = []
        for target in gold_set.content:
            ranked = rank(target.occurrences, target.candidates)
            covered = ~np.isnan(next(iter(ranked.values())))
            results.append(gaps_of(ranked, target.weights, covered))
        scores += [SetScore(suite.name, gold_set.label, score) for score in scores_of(results, options)]
    return report_of({name: scores}, options)
