"""Hyperparameter search for a text classifier on a validation set.

What: the first trial uses the options as they are, or as the size of the data chooses them. Each later trial changes
those of the best trial at random, with steps that shrink as time runs out. An option that differs from its default is
not changed.

Objective: F1 over all labels of the validation set, or of one label.

Source: random search around the best point, Rechenberg 1973, "Evolutionsstrategie" (the (1+1) strategy with a shrinking
step); the options searched and the first trial are those of fastText's autotune.

Departures: `buckets` is not searched, because unused buckets take no memory here. The result is the classifier of the
best trial; fastText trains once more. A trial that exceeds the time limit is abandoned.

Cost: the time limit.
"""

import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from firth.classify.classifier import Classifier
from firth.classify.size_defaults import with_size_defaults
from firth.errors import DivergenceError, OptionError, brief_repr
from firth.notebook import Markup, facts, table
from firth.progress import Progress, Status, reporting
from firth.randomness import generator
from firth.readers.labelled import LabelledTexts

OptionsT = TypeVar("OptionsT", bound=Any)  # of a `TextClassifier`, whose module imports this one
# Option: smallest and largest value, and the standard deviation of the first steps, as a power of two.
SHOWN = 5  # trials in a notebook
RANGES: dict[str, tuple[float, float, float]] = {
    "epochs": (1, 100, 2.0),
    "lr": (0.01, 5.0, 2.0),
    "dim": (1, 1000, 1.4),
    "word_ngrams": (1, 5, 1.4),
}
CHARACTER_NGRAMS = ((0, 0), (2, 5), (3, 6))  # (min_n, max_n); none in the first
RESAMPLE = 0.15  # probability that they are sampled again in a trial
MOST_FAILURES = 5  # diverging trials before the search fails
LAST_WIDTH = 0.25  # width of the last steps as a share of the first


@dataclass(frozen=True, kw_only=True)
class AutotuneOptions:
    """Options of the search.

    Attributes:
        seconds: time limit.
        trials: largest number of trials, or None.
        metric: "f1", or "f1:LABEL" for one label.
        seed: random seed of the search and of every training.
        threads: number of threads, or None.

    Raises:
        OptionError: an option is out of its range, or the metric is unknown.
    """

    seconds: float = 300.0
    trials: int | None = None
    metric: str = "f1"
    seed: int = 0
    threads: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf:
            raise OptionError(f"seconds={self.seconds!r}: expected a time above 0")
        if self.trials is not None and self.trials < 1:
            raise OptionError(f"trials={self.trials!r}: expected a whole number of at least 1")
        if self.metric != "f1" and not self.metric.startswith("f1:"):
            raise OptionError(f"metric={self.metric!r}: expected f1, or f1:LABEL for one label")


@dataclass(frozen=True)
class Trial:
    """One training: options, its score on the validation set (0 where it diverged), and its seconds."""

    options: Any
    score: float
    seconds: float


@dataclass(frozen=True)
class AutotuneResult:
    """The result of a search.

    Attributes:
        options: the best options.
        classifier: trained with them.
        score: its score on the validation set.
        trials: all finished trials, in order.
    """

    options: Any
    classifier: Classifier
    score: float
    trials: list[Trial]

    __repr__ = brief_repr

    def _repr_html_(self) -> str:
        seconds = sum(trial.seconds for trial in self.trials)
        rows = [
            ("score", f"{self.score:.4f}"),
            ("trials", f"{len(self.trials):,} in {seconds:,.1f} s"),
            ("options", self.options),
        ]
        best = sorted(self.trials, key=lambda trial: -trial.score)[:SHOWN]
        base = self.trials[0].options
        trials = [(_difference(trial.options, base), f"{trial.score:.4f}", f"{trial.seconds:,.1f}") for trial in best]
        head = ("best trials: options that differ from the first", "score", "seconds")
        return facts("AutotuneResult", rows, more=Markup(table(head, trials)))


def _difference(options: Any, other: Any) -> str:
    """Return the options in which one differs from another, as `lr=0.3, epochs=9`."""
    values = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    parts = [(name, value) for name, value in values.items() if value != getattr(other, name)]
    return ", ".join(f"{name}={round(value, 4) if isinstance(value, float) else value!r}" for name, value in parts)


class _OutOfTimeError(Exception):
    """The time limit is reached during a trial."""


def autotune(
    model: Any,
    data: LabelledTexts,
    validation: LabelledTexts,
    search: AutotuneOptions,
    *,
    train: Callable[..., Classifier],
    progress: Progress = None,
) -> AutotuneResult:
    """Search for the options with the best score on a validation set.

    A trial that is running when the time is over is abandoned, except for the first. Ctrl-C ends the search with the
    best trial so far.

    Args:
        model: a `TextClassifier`, the options of the first trial; those that differ from their default are never
            changed.
        data: training texts.
        validation: validation texts.
        search: time limit and metric.
        train: takes a `TextClassifier`, data, seed, threads and progress.

    Raises:
        CorpusError: there are no texts, or no labels.
        DivergenceError: the first trials all diverged.
        OptionError: the metric names a label that is not in the validation set.
    """
    random, start = generator(search.seed, "autotune"), time.monotonic()
    first = with_size_defaults(model, data)
    trials: list[Trial] = []
    best: tuple[Trial, Classifier] | None = None
    with reporting(progress) as report:

        def tick(_: Status) -> None:
            seconds = time.monotonic() - start
            report(_status(len(trials) + 1, seconds, search, best))
            if best is not None and seconds > search.seconds:
                raise _OutOfTimeError

        while len(trials) != search.trials and (best is None or time.monotonic() - start < search.seconds):
            share = max((time.monotonic() - start) / search.seconds, len(trials) / (search.trials or math.inf))
            options = first if not trials else mutate(best[0].options if best else first, model, share, random)
            trial_start = time.monotonic()
            try:
                classifier = train(options, data, seed=search.seed, threads=search.threads, progress=tick)
                score = validation_score(classifier, validation, search)
            except (_OutOfTimeError, KeyboardInterrupt):
                if best is None:
                    raise
                break
            except DivergenceError:
                trials.append(Trial(options, 0.0, round(time.monotonic() - trial_start, 3)))
                if best is None and len(trials) >= min(MOST_FAILURES, search.trials or MOST_FAILURES):
                    raise
                continue
            trial = Trial(options, score, round(time.monotonic() - trial_start, 3))
            trials.append(trial)
            if best is None or trial.score > best[0].score:
                best = trial, classifier
            if classifier.metadata["training"]["interrupted"]:
                break
    assert best is not None
    facts = [dataclasses.asdict(trial) for trial in trials]
    best[1].metadata["autotune"] = {"metric": search.metric, "score": best[0].score, "trials": facts}
    return AutotuneResult(best[0].options, best[1], best[0].score, trials)


def _status(trial: int, seconds: float, search: AutotuneOptions, best: tuple[Trial, Classifier] | None) -> Status:
    figures = {"best": best[0].score} if best else {}
    total = max(1, round(search.seconds))
    done = min(int(seconds), total)
    return Status(stage=f"trial {trial}", done=done, total=total, unit="s", seconds=seconds, figures=figures)


def validation_score(classifier: Classifier, validation: LabelledTexts, search: AutotuneOptions) -> float:
    """Return the metric of `search` on validation texts.

    Raises:
        OptionError: the metric names a label that no text has.
    """
    scores = classifier.scores(validation, threads=search.threads)
    if search.metric == "f1":
        return scores.f1
    label = search.metric.partition(":")[2].removeprefix(classifier.label_prefix)
    if label not in scores.by_label or not scores.by_label[label].support:
        names = ", ".join(list(scores.by_label)[:20])
        raise OptionError(f"metric={search.metric!r}: no validation text has the label {label!r}; its labels: {names}")
    return scores.by_label[label].f1


def mutate(best: OptionsT, first: OptionsT, share: float, random: np.random.Generator) -> OptionsT:
    """Return the options of the next trial.

    Args:
        best: the best options so far.
        first: the options that were given; those that differ from their default are kept.
        share: elapsed share of the search, from 0 to 1.
        random: the random generator.
    """
    width = 1 - (1 - LAST_WIDTH) * min(1.0, share)
    changes: dict[str, Any] = {}
    for name, (low, high, reach) in RANGES.items():
        if _is_default(first, name):
            value = min(high, max(low, getattr(best, name) * 2.0 ** (reach * width * random.standard_normal())))
            changes[name] = round(value) if name != "lr" else round(value, 4)
    if _is_default(first, "max_n") and _is_default(first, "min_n") and random.random() < RESAMPLE:
        changes["min_n"], changes["max_n"] = CHARACTER_NGRAMS[int(random.integers(len(CHARACTER_NGRAMS)))]
    return dataclasses.replace(best, **changes)


def _is_default(options: Any, name: str) -> bool:
    (field,) = (field for field in dataclasses.fields(options) if field.name == name)
    return bool(getattr(options, name) == field.default)
