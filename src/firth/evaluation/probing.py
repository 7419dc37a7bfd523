"""Linear probing: can a property of words be predicted from their vectors by a linear model?

What: a probe is a logistic regression (for numbers, a ridge regression) from vectors to a property such as number,
tense, animacy or sentiment. Words are split into five folds; each fold is predicted by a probe trained on the others.
The control task is the same with labels assigned at random to words. Selectivity is the accuracy minus that on the
control task. The baseline is the majority label. Sets of pairs are evaluated by `firth.evaluation.offsets`.

Objective: selectivity = mean of 1[probe(x) = y] - mean of 1[control probe(x) = control label]; for numbers, with
Spearman's correlation instead of accuracy.

Source: Hewitt and Liang 2019, Designing and interpreting probes with control tasks, section 2.

Departures: Hewitt and Liang's words occur many times in a text, so that a probe can memorise random labels. Here each
word is one item, and no word is in both training and test data: the control task measures chance and label frequencies
only, so that high selectivity does not rule out memorisation. The control probe has the penalty that was chosen for the
property; the result is the mean over three control tasks.

Cost: a probe is some 30 fits (`firth.evaluation.linear`); 5,000 words at D = 100 take half a second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.evaluation.linear import Curvature, Floats, Ints, Mask, Scale, logistic_path, paired_rows, ridge_path
from firth.evaluation.offsets import evaluate_pairs
from firth.evaluation.selection import choose_penalty, stratified_folds
from firth.evaluation.similarity import spearman
from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.randomness import generator
from firth.readers.word_properties import FOLDS, MIN_NUMBERS, RelatedPairs, WordLabels, WordNumbers, read_word_property
from firth.resampling import Mean, RankCorrelation, Sample, Statistic
from firth.vectors.cosine import Matrix

CONTROLS = 3
MIN_KNOWN = 2 * FOLDS  # known words; with fewer there is no score
ScalarT = TypeVar("ScalarT", bound=np.generic)


@dataclass(frozen=True)
class Probe:
    """Result of a linear probe of a labelled property.

    Attributes:
        correct: (n,) whether each word's label was predicted correctly from the other folds.
        control: (n,) share of control tasks in which each word's random label was predicted correctly.
        majority: accuracy of the most frequent label.
    """

    correct: Mask
    control: Floats
    majority: float

    @property
    def accuracy(self) -> float:
        """The share of words whose label was predicted correctly."""
        return float(self.correct.mean())

    @property
    def selectivity(self) -> float:
        """The accuracy minus that on the control task."""
        return float(self.correct.mean() - self.control.mean())


@dataclass(frozen=True)
class NumberProbe:
    """Result of a linear probe of a numeric property.

    Attributes:
        predicted: (n,) number predicted for each word from the other folds.
        correlation: Spearman's correlation of predicted and true numbers.
        control: Spearman's correlation on the control tasks, mean.
    """

    predicted: Floats
    correlation: float
    control: float

    @property
    def selectivity(self) -> float:
        """The correlation minus that on the control task."""
        return self.correlation - self.control


def probe(rows: npt.ArrayLike, labels: npt.ArrayLike, *, folds: int = FOLDS, seed: int = 0) -> Probe:
    """Probe vectors for a labelled property.

    Args:
        rows: (n, D) vectors, one per word; duplicates would be memorised, so that each word should occur once.
        labels: (n,) the property: strings, whole numbers or booleans.
        folds: number of cross-validation folds.
        seed: random seed of the folds and the control tasks.

    Raises:
        OptionError: there is only one label, a label has fewer words than `folds`, or `folds` is below 2.
        ShapeError: the numbers of rows and labels differ.
    """
    matrix, targets = paired_rows(rows, labels)
    _check_folds(folds)
    names, numbers = np.unique(targets, return_inverse=True)
    _check_labels(names, np.bincount(numbers), folds)
    fold = stratified_folds(numbers, folds, seed=seed)
    return _probe(matrix, numbers, fold, _control_tasks(numbers, _uniform(len(numbers), seed)), seed)


def probe_numbers(rows: npt.ArrayLike, numbers: npt.ArrayLike, *, folds: int = FOLDS, seed: int = 0) -> NumberProbe:
    """Probe vectors for a numeric property; arguments of `probe`, with numbers as labels."""
    matrix, targets = paired_rows(rows, np.asarray(numbers, dtype=np.float64))
    if len(matrix) < MIN_NUMBERS or len(np.unique(targets)) < 2:
        raise OptionError(
            f"{len(np.unique(targets))} different numbers for {len(matrix)} words, expected at least {MIN_NUMBERS} "
            "words, not all with the same number"
        )
    _check_folds(folds)
    fold = stratified_folds(np.zeros(len(matrix)), folds, seed=seed)
    controls = _control_tasks(targets, _uniform(len(targets), seed))
    predicted = _predict_numbers(matrix, targets, fold, controls, seed)
    correlations = [spearman(own, task) for own, task in zip(predicted, [targets, *controls], strict=True)]
    return NumberProbe(predicted[0], correlations[0], float(np.mean(correlations[1:])))


def _check_folds(folds: int) -> None:
    if folds < 2:
        raise OptionError(f"folds={folds}: expected at least 2")


def _check_labels(names: npt.NDArray[np.generic], counts: Ints, folds: int) -> None:
    if len(names) < 2:
        problem = f"every word has the label {names[0].item()!r}" if len(names) else "there are no words"
        raise OptionError(f"{problem}, expected at least two labels: a probe needs words with and without the property")
    if counts.min() < folds:
        rarest = int(counts.argmin())
        raise OptionError(
            f"{counts[rarest]} words have the label {names[rarest].item()!r}, expected at least {folds}, one per fold; "
            "add words, remove the label, or use fewer folds"
        )


def _uniform(n: int, seed: int) -> Floats:
    """A number from 0 to 1 per control task and word, (CONTROLS, n); independent of the words a model knows."""
    return generator(seed, "control task").random((CONTROLS, n))


def _control_tasks(labels: npt.NDArray[ScalarT], uniform: Floats) -> npt.NDArray[ScalarT]:
    """Random labels or numbers with the distribution of `labels`, (CONTROLS, n)."""
    return np.asarray(np.sort(labels)[(uniform * len(labels)).astype(np.int64)])


def _splits(rows: Matrix, fold: Ints) -> Iterator[tuple[Mask, Mask, Matrix, Matrix]]:
    """Yield test mask, training mask, and standardised training and test rows of each fold."""
    for part in np.unique(fold):
        test, train = fold == part, fold != part
        if train.any():
            scale = Scale.of(rows[train])
            yield test, train, scale(rows[train]), scale(rows[test])


def _probe(rows: Matrix, labels: Ints, fold: Ints, controls: Ints, seed: int) -> Probe:
    correct = np.zeros(len(rows), dtype=bool)
    control = np.zeros(len(rows))
    curvature = None  # from the first fold, for all: it preconditions the solver and does not change the minimum
    for test, train, train_rows, test_rows in _splits(rows, fold):
        curvature = curvature or Curvature.of(train_rows)
        path = partial(logistic_path, curvature=curvature)
        penalty = choose_penalty(path, train_rows, labels[train], seed=seed)
        correct[test] = path(train_rows, labels[train], [penalty])[0].predict(test_rows) == labels[test]
        for task in controls:
            predicted = path(train_rows, task[train], [penalty])[0].predict(test_rows)
            control[test] += (predicted == task[test]) / len(controls)
    return Probe(correct, control, float(np.bincount(labels).max() / len(labels)))


def _predict_numbers(rows: Matrix, numbers: Floats, fold: Ints, controls: Floats, seed: int) -> Floats:
    """Predictions for the property and for each control task, (1 + CONTROLS, n)."""
    predicted = np.zeros((1 + len(controls), len(rows)))
    for test, train, train_rows, test_rows in _splits(rows, fold):
        penalty = choose_penalty(ridge_path, train_rows, numbers[train], seed=seed)
        for i, task in enumerate([numbers, *controls]):
            predicted[i, test] = ridge_path(train_rows, task[train], [penalty])[0].predict(test_rows)
    return predicted


@dataclass(frozen=True)
class _Gain:
    """A statistic minus the mean of others."""

    task: Statistic
    controls: Sequence[Statistic]

    def __call__(self, weights: Ints, /) -> Floats:
        return np.asarray(self.task(weights) - np.mean([control(weights) for control in self.controls], axis=0))


@as_suite("probing", ("sentiment", "first-names", "animacy", "google-analogies"), read_word_property)
def suite(space: Space, gold: WordLabels | WordNumbers | RelatedPairs, options: EvaluationOptions) -> list[Score]:
    """Linear probes of word properties with a control task, and vector offsets of word pairs."""
    if isinstance(gold, WordLabels):
        return _evaluate_labels(space, gold, options)
    if isinstance(gold, WordNumbers):
        return _evaluate_numbers(space, gold, options)
    return evaluate_pairs(space, gold, options)


@dataclass(frozen=True)
class _Words:
    """A property's words in one space: vectors, masks of probed and of counted words, number of covered words."""

    rows: Matrix
    probed: Mask
    counted: Mask
    covered: int


def _lookup(space: Space, words: Sequence[str], options: EvaluationOptions) -> _Words:
    rows, has_vector = space.lookup(words)
    probed = has_vector if has_vector.sum() >= MIN_KNOWN else np.zeros_like(has_vector)
    mask = np.ones_like(has_vector) if options.unknown == "count" and probed.any() else probed
    return _Words(rows, probed, mask, int(has_vector.sum()))


def _evaluate_labels(space: Space, gold: WordLabels, options: EvaluationOptions) -> list[Score]:
    words, labels = _lookup(space, gold.words, options), gold.labels
    # Folds and control tasks are those of the whole set, so that all models are scored on the same ones.
    fold, uniform = stratified_folds(labels, FOLDS, seed=options.seed), _uniform(len(labels), options.seed)
    correct, control = np.zeros((2, len(labels)))
    if words.probed.any():
        own = words.probed
        tasks = _control_tasks(labels[own], uniform[:, own])
        result = _probe(words.rows[own], labels[own], fold[own], tasks, options.seed)
        correct[:] = control[:] = labels == np.bincount(labels[own]).argmax()  # the prediction for an unknown word
        correct[own], control[own] = result.correct, result.control
    mask = words.counted
    majority = float(np.bincount(labels[mask]).max() / mask.sum()) if mask.any() else None
    return [
        Score(
            metric="accuracy",
            sample=Sample(mask, Mean(correct[mask])),
            covered=words.covered,
            total=len(labels),
            baseline=majority,
            baseline_name="majority",
            share=True,
        ),
        Score(
            metric="selectivity",
            sample=Sample(mask, Mean((correct - control)[mask])),
            covered=words.covered,
            total=len(labels),
        ),
    ]


def _evaluate_numbers(space: Space, gold: WordNumbers, options: EvaluationOptions) -> list[Score]:
    words, numbers = _lookup(space, gold.words, options), gold.numbers
    fold = stratified_folds(np.zeros(len(numbers)), FOLDS, seed=options.seed)
    uniform = _uniform(len(numbers), options.seed)
    predicted, controls = np.zeros((1 + CONTROLS, len(numbers))), np.zeros((CONTROLS, len(numbers)))
    if words.probed.any():
        own = words.probed
        controls = _control_tasks(numbers[own], uniform)
        predicted += numbers[own].mean()  # the prediction for an unknown word
        predicted[:, own] = _predict_numbers(words.rows[own], numbers[own], fold[own], controls[:, own], options.seed)
    mask = words.counted
    on_task, *on_controls = (
        RankCorrelation(own[mask], task[mask]) for own, task in zip(predicted, [numbers, *controls], strict=True)
    )
    return [
        Score(metric=metric, sample=Sample(mask, statistic), covered=words.covered, total=len(numbers))
        for metric, statistic in (("spearman", on_task), ("selectivity", _Gain(on_task, on_controls)))
    ]
