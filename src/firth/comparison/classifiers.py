"""The choice of a text classifier: kinds of models are compared on texts that they did not learn from.

What: every candidate is trained on a part of the texts and judged on the rest; the best one is trained again on all of
them. Candidates: a linear classifier over TF-IDF, fastText's; with word vectors also a linear classifier over their
averages, one over both, fastText's that starts from them, and with PyTorch a convolutional network.

Objective: accuracy, the share of texts whose most likely label is one of their own. Below 2,000 texts by five-fold
cross-validation, otherwise on one tenth, at most 2,000 texts. Of equal ones the first wins, which is the fastest.

Source: Stone 1974, "Cross-validatory choice and assessment of statistical predictions".

Departures: where texts are many, candidates are compared after training on 20,000 of them. When the time limit has
passed, the candidates that remain are left out; the first two are always judged.

Cost: six trainings of each candidate, or two where texts are many.
"""

import importlib.util
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import firth
from firth.arguments import explained
from firth.classify.examples import Examples
from firth.classify.linear_classifier import learned_labels
from firth.comparison.learning_curve import DRAWS, LearningCurve, Measured, learning_curve, share
from firth.comparison.raw_vectors import vectors_of_raw
from firth.corpus.table_options import TableArguments, TableOptions
from firth.errors import CorpusError, OptionError, brief_repr
from firth.evaluation.baselines import most_frequent_of_texts, the_label, warn_if_trivial
from firth.evaluation.selection import stratified_folds
from firth.progress import Progress, Status, reporting
from firth.training_facts import check_whole

FEW = 2_000  # texts below which all of them are judged, in folds
FOLDS = 5
MOST_HELD_OUT = 2_000  # texts
MOST_TRAINED = 20_000  # texts that candidates are compared on
MOST_ADVISED = 5_000  # texts up to which a training is compared with a linear model on the side
MOST_CHARACTERS = 2_000_000  # of these texts
SECONDS = 300.0
CNN_TEXTS = 5_000  # texts up to which a convolutional network is tried
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Candidate:
    """A kind of classifier.

    Attributes:
        name: such as "linear".
        description: what it is, in words.
        train: returns a classifier trained on texts and their labels; takes seed and threads as well.
    """

    name: str
    description: str
    train: Callable[..., Any] = field(repr=False)


@dataclass(frozen=True)
class CandidateScore:
    """What a candidate reached on texts that it did not learn from; None of a figure where it was not judged."""

    name: str
    description: str
    accuracy: float | None
    low: float | None
    high: float | None
    seconds: float
    problem: str = ""


@dataclass(frozen=True)
class ClassifierChoice:
    """The result of a choice.

    Attributes:
        classifier: the best candidate, trained on all texts; its `metadata["choice"]` holds `described()`.
        name: of the best candidate.
        scores: of all candidates.
        judged_on: the texts that they were compared on, in words.
        baseline: share of the texts that have the most frequent label.
    """

    classifier: Any
    name: str
    scores: tuple[CandidateScore, ...]
    judged_on: str
    baseline: float

    __repr__ = brief_repr

    def described(self) -> dict[str, Any]:
        """Return the choice as JSON values."""
        scores = [vars(score) for score in self.scores]
        return {"chosen": self.name, "judged_on": self.judged_on, "baseline": self.baseline, "candidates": scores}

    def __str__(self) -> str:
        lines = [f"{self.name} is best by {self.judged_on}; the most frequent label: {100 * self.baseline:.1f} %"]
        width = max(len(score.description) for score in self.scores)
        for score in self.scores:
            figures = score.problem
            if score.accuracy is not None and score.low is not None and score.high is not None:
                interval = f"[{100 * score.low:.1f}, {100 * score.high:.1f}]"
                figures = f"{100 * score.accuracy:5.1f} % right {interval}, {score.seconds:.1f} s"
            lines.append(f"  {score.description:<{width}}  {figures}")
        return "\n".join(lines)


@explained
def choose_classifier(
    source: Any,
    labels: Any = None,
    *,
    column: str | int | None = None,
    vectors: Any = None,
    raw: Any = None,
    models: Sequence[str] | None = None,
    seconds: float = SECONDS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    **table: Unpack[TableArguments],
) -> ClassifierChoice:
    """Choose a kind of text classifier by its accuracy on held-out texts, and train it on all texts.

    Args:
        source: texts with labels, as for `firth.TextClassifier.train`.
        labels: their labels, likewise.
        column: the column of texts in a table.
        vectors: word vectors, which some candidates read.
        raw: text without labels, as for `firth.Corpus.build`, to learn word vectors from; in place of `vectors`.
        models: names of the candidates; None for all that fit: "linear", "fasttext", and with vectors "averages",
            "both", "fasttext-vectors" and "cnn".
        seconds: time limit of the comparison; candidates that remain then are left out.
        seed: random seed of the folds and trainings.
        threads: number of threads.
        progress: how to show progress; see `firth.progress`.
        **table: how a table in a text file is read; see `firth.TableOptions`.

    Returns:
        The choice, with the trained classifier and the figures of all candidates.

    Warns:
        UserWarning: the best candidate is no better than the most frequent label.

    Raises:
        CorpusError: the source is missing, not text, or empty; no text has a label, or all have the same label.
        OptionError: there is no such candidate, or it needs vectors; or both `vectors` and `raw` are given.
    """
    options = TableOptions(**table)
    with reporting(progress) as report:
        given = Examples.read(source, labels, column, report, options)
    if raw is not None:
        vectors = vectors_of_raw(raw, vectors, seed=seed, threads=threads, progress=progress)
    examples = usable_examples(given)
    candidates = chosen_candidates(models, vectors, len(examples))
    splits, judged_on = comparison_splits(examples, seed)
    run = {"seed": seed, "threads": threads, "progress": False}
    scores = list[CandidateScore]()
    began = time.monotonic()
    with reporting(progress) as report:
        for number, candidate in enumerate(candidates):
            report(Status(stage=f"comparing {candidate.name}", done=number, total=len(candidates), unit="candidates"))
            if number > 1 and time.monotonic() - began > seconds:
                problem = f"left out: {seconds:g} seconds had passed"
                scores.append(CandidateScore(candidate.name, candidate.description, None, None, None, 0.0, problem))
            else:
                scores.append(_judge(candidate, examples, splits, run))
    best = max(range(len(scores)), key=lambda i: (scores[i].accuracy or 0.0, -i))
    classifier = candidates[best].train(*_columns(examples), seed=seed, threads=threads, progress=progress)
    label, frequency = most_frequent_of_texts(examples.labels)
    choice = ClassifierChoice(classifier, candidates[best].name, tuple(scores), judged_on, frequency)
    classifier.metadata["choice"] = choice.described()
    warn_if_trivial(
        scores[best].accuracy or 0.0, frequency, measure="accuracy", data=judged_on, baseline=the_label(label),
        remedy="give more texts of each label, or vectors= or raw= (--vectors, --raw) of text like them",
    )  # fmt: skip
    return choice


def usable_examples(examples: Examples) -> Examples:
    """Return the examples with a label and a word; two different labels there must be."""
    usable = examples.usable()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the training that follows says the same
        learned_labels(usable, len(examples))
    return usable


def all_candidates(vectors: Any) -> list[Candidate]:
    """Return the candidates, the fastest first, with those that read vectors if there are any."""
    linear, fasttext = firth.LinearClassifier(), firth.TextClassifier()
    candidates = [
        Candidate("linear", "linear over TF-IDF (--model linear)", _without_run(linear.train)),
        Candidate("fasttext", "fastText's (--model fasttext)", fasttext.train),
    ]
    if vectors is None:
        return candidates

    def with_vectors(model: Any) -> Callable[..., Any]:
        return lambda texts, labels, **run: model.train(texts, labels, vectors=vectors, **run)

    averages = firth.LinearClassifier(features="averages")
    return [
        *candidates,
        Candidate("averages", "linear over averages of vectors", _without_run(with_vectors(averages))),
        Candidate("both", "linear over TF-IDF and averages", _without_run(with_vectors(linear))),
        Candidate("fasttext-vectors", "fastText's, started from the vectors", with_vectors(fasttext)),
        Candidate("cnn", "convolutional network (--model cnn)", lambda *a, **run: _cnn(vectors, *a, **run)),
    ]


def _cnn(vectors: Any, texts: Sequence[str], labels: Sequence[Any], **run: Any) -> Any:
    return firth.CNNClassifier().train(texts, labels, vectors=vectors, **run)


def _without_run(train: Callable[..., Any]) -> Callable[..., Any]:
    """Return a training of a linear classifier, which has no seed and no threads."""

    def trained(texts: Sequence[str], labels: Sequence[Any], *, progress: Progress = None, **run: Any) -> Any:
        return train(texts, labels, progress=progress)

    return trained


def chosen_candidates(models: Sequence[str] | None, vectors: Any, texts: int) -> list[Candidate]:
    """Return the candidates of these names, or those that fit the number of texts and what is installed."""
    candidates = {candidate.name: candidate for candidate in all_candidates(vectors)}
    if models is None:
        torch = importlib.util.find_spec("torch") is not None
        return [c for c in candidates.values() if c.name != "cnn" or (torch and texts <= CNN_TEXTS)]
    unknown = [name for name in models if name not in candidates]
    if unknown or not models:
        more = "" if vectors is not None else "; others read vectors: give vectors= or raw="
        named = f"models={list(models)!r}"
        raise OptionError(f"{named}: expected names among {', '.join(candidates)}{more}")
    return [candidates[name] for name in models]


def comparison_splits(examples: Examples, seed: int) -> tuple[list[tuple[Ints, Ints]], str]:
    """Return pairs of the rows to train on and to judge, and what is judged, in words."""
    first = np.unique([names[0] for names in examples.labels], return_inverse=True)[1]
    n = len(examples)
    if n < FEW:
        folds = min(FOLDS, n)
        fold = stratified_folds(first, folds, seed=seed)
        rows = [(np.flatnonzero(fold != number), np.flatnonzero(fold == number)) for number in range(folds)]
        return rows, f"{folds}-fold cross-validation on {n:,} texts"
    fold = stratified_folds(first, 10, seed=seed)
    held_out, train = np.flatnonzero(fold == 0), np.flatnonzero(fold != 0)
    random = np.random.default_rng(seed)
    held_out = np.sort(random.permutation(held_out)[:MOST_HELD_OUT])
    train = np.sort(random.permutation(train)[:MOST_TRAINED])
    return [(train, held_out)], f"{len(held_out):,} held-out texts, after training on {len(train):,}"


def _judge(
    candidate: Candidate, examples: Examples, splits: Sequence[tuple[Ints, Ints]], run: Mapping[str, Any]
) -> CandidateScore:
    """Return the accuracy of a candidate over all splits."""
    began, hits, total = time.monotonic(), 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts of the texts; the training on all of them tells
        for train, test in splits:
            hits += right_answers(candidate.train, examples.rows(train), examples.rows(test), run)
            total += len(test)
    measured = share(hits, total)
    seconds = round(time.monotonic() - began, 2)
    return CandidateScore(
        candidate.name, candidate.description, measured.value, measured.low, measured.high, seconds
    )  # fmt: skip


def right_answers(train: Callable[..., Any], examples: Examples, test: Examples, run: Mapping[str, Any]) -> int:
    """Return the number of test texts whose most likely label is right, after training on examples.

    With one label only, as in a small draw, every text is given that label.
    """
    only = {label for names in examples.labels for label in names}
    if len(only) < 2:
        return sum(bool(only & set(names)) for names in test.labels)
    classifier = check_whole(train(*_columns(examples), **run))
    texts, labels = _columns(test)
    predicted = [row[0][0] for row in classifier.predict(texts)]
    return sum(label in names for label, names in zip(predicted, labels, strict=True))


def _columns(examples: Examples) -> tuple[list[str], list[list[str]]]:
    """Return texts and the labels of each."""
    return [text for (text,) in examples.texts], examples.labels


@dataclass(frozen=True)
class LinearAdvantage:
    """Accuracies of a model and of a linear classifier on the same texts, which neither learned from."""

    model: float
    linear: float
    texts: int

    @property
    def advice(self) -> str:
        """What to do if the linear classifier is clearly better, by more than a standard error; "" if it is not."""
        error = np.sqrt(max(self.linear * (1 - self.linear), 0.25 / self.texts) / self.texts)
        if self.linear - self.model <= error:
            return ""
        return (
            f"a linear model is better on {self.texts:,} held-out texts: {100 * self.linear:.1f} % right, this kind "
            f"{100 * self.model:.1f} %; train it with --model linear, or let --model auto choose"
        )


def compared_with_linear(
    train: Callable[..., Any], source: Any, *, labels: Any = None, column: Any = None, seed: int = 0,
    threads: int | None = None, **table: Unpack[TableArguments],
) -> LinearAdvantage | None:  # fmt: skip
    """Compare a kind of model with a linear classifier on the texts of a source; None where they are too many."""
    with reporting(False) as report:
        given = Examples.read(source, labels, column, report, TableOptions(**table))
    try:
        examples = usable_examples(given)
    except CorpusError:  # fastText's also learns from the ends of texts without words
        return None
    if len(examples) > MOST_ADVISED or sum(len(text) for (text,) in examples.texts) > MOST_CHARACTERS:
        return None
    splits, _ = comparison_splits(examples, seed)
    run = {"seed": seed, "threads": threads, "progress": False}
    candidates = [Candidate("model", "", train), all_candidates(None)[0]]
    model, linear = (_judge(candidate, examples, splits, run).accuracy or 0.0 for candidate in candidates)
    return LinearAdvantage(model, linear, sum(len(test) for _, test in splits))


def linear_accuracy(examples: Examples, held_out: Examples) -> float | None:
    """Return the accuracy of a linear classifier on held-out texts; None where training texts are too many."""
    if len(examples) > MOST_TRAINED or sum(len(text) for (text,) in examples.texts) > 10 * MOST_CHARACTERS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return right_answers(all_candidates(None)[0].train, examples, held_out, {"progress": False}) / len(held_out)


@explained
def classifier_curves(
    source: Any,
    labels: Any = None,
    *,
    column: str | int | None = None,
    test: Any = None,
    test_labels: Any = None,
    models: Sequence[str] = ("linear", "fasttext"),
    sizes: Sequence[int] | None = None,
    draws: int = DRAWS,
    vectors: Any = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    **table: Unpack[TableArguments],
) -> list[LearningCurve]:
    """Return the accuracy of kinds of text classifiers by the number of texts that they learn from.

    Args:
        source: texts with labels, as for `firth.TextClassifier.train`.
        labels: their labels, likewise.
        column: the column of texts in a table.
        test: texts to judge on, in any form of `source`; None holds out a fifth, at most 2,000.
        test_labels: labels of `test`, if they are not in it; a column's name in `labels` counts for both.
        models: names of kinds, as for `firth.choose_classifier`.
        sizes: numbers of texts; None for 50, 100, 300, 1,000 ... and all.
        draws: of each size up to 300 texts; larger ones are drawn once.
        vectors: word vectors, which some kinds read.
        seed: random seed of the draws and trainings.
        threads: number of threads.
        progress: how to show progress; see `firth.progress`.
        **table: how a table in a text file is read; see `firth.TableOptions`.

    Returns:
        A curve per kind; `firth.plots.scores_by_size` draws them.

    Raises:
        CorpusError: the source is missing, not text, or empty; no text has a label, or all have the same label.
        OptionError: there is no such kind or size.
    """
    options = TableOptions(**table)
    with reporting(progress) as report:
        examples = usable_examples(Examples.read(source, labels, column, report, options))
        if test is None:
            first = np.unique([names[0] for names in examples.labels], return_inverse=True)[1]
            fold = stratified_folds(first, FOLDS, seed=seed)
            rows = np.random.default_rng(seed).permutation(np.flatnonzero(fold == 0))[:MOST_HELD_OUT]
            held_out, examples = examples.rows(np.sort(rows)), examples.rows(np.flatnonzero(fold != 0))
        else:
            given = labels if test_labels is None and isinstance(labels, str | int) else test_labels
            held_out = Examples.read(test, given, column, report, options)
            held_out = held_out.rows([row for row, names in enumerate(held_out.labels) if names])
    if not len(held_out):
        raise CorpusError(f"{held_out.name}: no text with a label to judge on; expected some")
    run = {"threads": threads, "progress": False}

    def curve_of(candidate: Candidate) -> LearningCurve:
        def train_and_judge(rows: Ints, draw_seed: int) -> Measured:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of small draws, which are bad on purpose
                facts = {**run, "seed": draw_seed}
                return share(right_answers(candidate.train, examples.rows(rows), held_out, facts), len(held_out))

        return learning_curve(
            train_and_judge, len(examples), name=candidate.name, measure="accuracy", unit="texts", sizes=sizes,
            draws=draws, seed=seed, progress=progress,
        )  # fmt: skip

    return [curve_of(candidate) for candidate in chosen_candidates(models, vectors, len(examples))]
