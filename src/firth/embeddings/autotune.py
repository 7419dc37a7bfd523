"""The options of a text classifier that do best on a validation set, found by trying.

What: the first trial has the options as they are; each later one moves those of the best so far at random, widely at
first and less and less as the time runs out. Options that were given another value than their default stay as they are.

Objective: F1 over all labels of the validation set, or of one label.

Source: random search from the best point so far, after Rechenberg 1973, "Evolutionsstrategie" (the (1+1) strategy with
a step that shrinks); what is searched, and that the first trial is the user's own, is as in fastText's autotune.

Departures: `buckets` is not searched, as buckets without a text take no memory here. The best trial's classifier is the
result; fastText trains once more. A trial that the end of the time meets is given up.

Cost: the time that is given.
"""

import dataclasses
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from firth.embeddings.classifier import Classifier
from firth.embeddings.text_classifier import TextClassifier, train_on
from firth.errors import DivergenceError, OptionError
from firth.progress import Progress, Status, reporting
from firth.randomness import generator
from firth.readers.labelled import LabelledTexts

# Option: the least and the greatest value, and how far one move goes at first, as a power of two.
RANGES: dict[str, tuple[float, float, float]] = {
    "epochs": (1, 100, 2.0),
    "lr": (0.01, 5.0, 2.0),
    "dim": (1, 1000, 1.4),
    "word_ngrams": (1, 5, 1.4),
}
PIECES = ((0, 0), (2, 5), (3, 6))  # n-grams of characters: none, or from min_n to max_n
OTHER_PIECES = 0.15  # how often they are drawn anew
MOST_FAILURES = 5  # trials that may diverge before one that does not
LAST_WIDTH = 0.25  # share of a move's width that is left at the end


@dataclass(frozen=True, kw_only=True)
class Search:
    """How long to search, and for what.

    Attributes:
        seconds: the time that may be spent.
        trials: the most trials, or None.
        metric: "f1", or "f1:LABEL" for one label.
        seed: of the search and of every training.
        threads: how many, or None.

    Raises:
        OptionError: a number is out of its range, or there is no such metric.
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

    options: TextClassifier
    score: float
    seconds: float


@dataclass(frozen=True)
class Tuned:
    """What a search found.

    Attributes:
        options: the best.
        classifier: trained with them.
        score: its score on the validation set.
        trials: all that were finished, in their order.
    """

    options: TextClassifier
    classifier: Classifier
    score: float
    trials: list[Trial]


class _OutOfTimeError(Exception):
    """The search's time is over in the middle of a trial."""


def autotune(
    model: TextClassifier, read: LabelledTexts, validation: LabelledTexts, search: Search, *, progress: Progress = None
) -> Tuned:
    """Search for the options that do best on a validation set.

    The trial in work when the time is over is given up, but for the first. Ctrl-C ends the search with the best so far.

    Args:
        model: where to begin; options with another value than their default are kept.
        read: texts to train on.
        validation: texts to judge by.
        search: how long, and for what.
        progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

    Raises:
        CorpusError: there are no texts, or no labels.
        DivergenceError: the first trials all diverged.
        OptionError: the metric names a label that the validation set lacks.
    """
    random, began = generator(search.seed, "autotune"), time.monotonic()
    trials: list[Trial] = []
    best: tuple[Trial, Classifier] | None = None
    with reporting(progress) as report:

        def tick(_: Status) -> None:
            seconds = time.monotonic() - began
            report(_status(len(trials) + 1, seconds, search, best))
            if best is not None and seconds > search.seconds:
                raise _OutOfTimeError

        while len(trials) != search.trials and (best is None or time.monotonic() - began < search.seconds):
            share = max((time.monotonic() - began) / search.seconds, len(trials) / (search.trials or math.inf))
            options = model if not trials else moved(best[0].options if best else model, model, share, random)
            start = time.monotonic()
            try:
                classifier = train_on(options, read, seed=search.seed, threads=search.threads, progress=tick)
                score = score_of(classifier, validation, search)
            except (_OutOfTimeError, KeyboardInterrupt):
                if best is None:
                    raise
                break
            except DivergenceError:
                trials.append(Trial(options, 0.0, round(time.monotonic() - start, 3)))
                if best is None and len(trials) >= min(MOST_FAILURES, search.trials or MOST_FAILURES):
                    raise
                continue
            trial = Trial(options, score, round(time.monotonic() - start, 3))
            trials.append(trial)
            if best is None or trial.score > best[0].score:
                best = trial, classifier
            if classifier.metadata["training"]["interrupted"]:
                break
    assert best is not None
    facts = [dataclasses.asdict(trial) for trial in trials]
    best[1].metadata["autotune"] = {"metric": search.metric, "score": best[0].score, "trials": facts}
    return Tuned(best[0].options, best[1], best[0].score, trials)


def _status(trial: int, seconds: float, search: Search, best: tuple[Trial, Classifier] | None) -> Status:
    figures = {"best": best[0].score} if best else {}
    total = max(1, round(search.seconds))
    done = min(int(seconds), total)
    return Status(stage=f"trial {trial}", done=done, total=total, unit="s", seconds=seconds, figures=figures)


def score_of(classifier: Classifier, validation: LabelledTexts, search: Search) -> float:
    """Return a classifier's score.

    Args:
        classifier: to be judged.
        validation: by these texts.
        search: says by which metric.

    Raises:
        OptionError: the metric names a label that the texts do not have.
    """
    scores = classifier.scores(validation, threads=search.threads)
    if search.metric == "f1":
        return scores.f1
    label = search.metric.partition(":")[2].removeprefix(classifier.label_prefix)
    if label not in scores.by_label or not scores.by_label[label].there:
        found = ", ".join(list(scores.by_label)[:20])
        raise OptionError(f"metric={search.metric!r}: no validation text has the label {label!r}; found {found}")
    return scores.by_label[label].f1


def moved(best: TextClassifier, first: TextClassifier, share: float, random: np.random.Generator) -> TextClassifier:
    """Return the next options to try.

    Args:
        best: the best so far.
        first: the options that the search began with.
        share: of the search that is over, from 0 to 1.
        random: moves them.
    """
    width = 1 - (1 - LAST_WIDTH) * min(1.0, share)
    changes: dict[str, Any] = {}
    for name, (low, high, reach) in RANGES.items():
        if _is_default(first, name):
            value = min(high, max(low, getattr(best, name) * 2.0 ** (reach * width * random.standard_normal())))
            changes[name] = round(value) if name != "lr" else round(value, 4)
    if _is_default(first, "max_n") and _is_default(first, "min_n") and random.random() < OTHER_PIECES:
        changes["min_n"], changes["max_n"] = PIECES[int(random.integers(len(PIECES)))]
    return dataclasses.replace(best, **changes)


def _is_default(options: TextClassifier, name: str) -> bool:
    (field,) = (field for field in dataclasses.fields(options) if field.name == name)
    return bool(getattr(options, name) == field.default)
