"""Linear probing: can a property of words be predicted from their vectors by a linear model?

What: a probe is a logistic regression (for numbers, a ridge regression) from vectors to a property such as number,
tense, animacy or sentiment. Words are split into five folds; each fold is predicted by a probe trained on the others.
The control task is the same with labels assigned at random to words. Selectivity is the accuracy minus that on the
control task. The baseline is the majority label. Sets of pairs are evaluated by `pair_offsets`.

Objective: selectivity = mean of 1[probe(x) = y] - mean of 1[control probe(x) = control label]; for numbers, with
Spearman's correlation instead of accuracy.

Source: Hewitt and Liang 2019, Designing and interpreting probes with control tasks, section 2.

Departures: Hewitt and Liang's words occur many times in a text, so that a probe can memorise random labels. Here each
word is one item, and no word is in both training and test data: the control task measures chance and label frequencies
only, so that high selectivity does not rule out memorisation. The control probe has the penalty that was chosen for the
property; the result is the mean over three control tasks.

Cost: a probe is some 30 fits (`firth.evaluation.linear`); 5,000 words at D = 100 take half a second.

Vector offsets: do pairs of words differ in one direction?

What: the offset of a pair, `cats` - `cat`, is compared with the mean offset of all pairs that share no word with it.
Three metrics:

- cosine: the mean cosine of an offset with that mean.
- order: the share of pairs whose cosine is above 0, which means that their words are in the right order along the mean
  offset. The baseline is the order of random pairs of the same words.
- pairing: the cosine minus that of shuffled pairs: the same first words with the second words of other pairs. These
  share the difference between the two groups of words, but not that between the words of a pair.

Source: Mikolov, Yih and Zweig 2013 for offsets; Fournier, Dupoux and Dunbar 2020, Analogies minus analogy test, for
shuffled pairs.

Cost: 2 x 10 shuffles of n pairs, n D each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.errors import OptionError
from firth.evaluation.analogy import parts_of
from firth.evaluation.linear import Curvature, Floats, Ints, Mask, Scale, logistic_path, paired_rows, ridge_path
from firth.evaluation.selection import choose_penalty, stratified_folds
from firth.evaluation.similarity import spearman
from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.randomness import generator
from firth.readers.word_properties import (
    FOLDS,
    MIN_NUMBERS,
    MIN_PAIRS,
    RelatedPairs,
    WordLabels,
    WordNumbers,
    read_word_property,
)
from firth.resampling import Mean, RankCorrelation, Sample, Statistic
from firth.vectors.cosine import Matrix, unit

SHUFFLES = 10  # shuffles of the pairs; each is a few products


@dataclass(frozen=True)
class PairOffsets:
    """Offsets of pairs of words, compared with each other.

    Attributes:
        direction: (D,) the mean offset of all pairs, of length 1.
        cosines: (n,) cosine of each offset with the mean of the pairs that share no word with it.
        shuffled: (n,) the same for shuffled pairs; mean over ten shuffles.
        random: share of random pairs of the same words that are in order; mean over ten shuffles.
    """

    direction: Floats
    cosines: Floats
    shuffled: Floats
    random: float

    @property
    def pairing(self) -> float:
        """The mean cosine minus that of shuffled pairs."""
        return float(self.cosines.mean() - self.shuffled.mean())

    @property
    def order(self) -> float:
        """The share of pairs whose words are in order along the mean offset of the others."""
        return float((self.cosines > 0).mean())


def pair_offsets(
    first: npt.ArrayLike, second: npt.ArrayLike, *, words: Sequence[tuple[Any, Any]] | None = None, seed: int = 0
) -> PairOffsets:
    """Compare the offsets of pairs of words.

    Args:
        first: (n, D) vectors of the first words.
        second: (n, D) vectors of the second words.
        words: the n pairs of words, or of keys; pairs that share one are not compared. None: no two pairs share a word.
        seed: random seed of the shuffles.

    Raises:
        OptionError: there are fewer than three pairs.
        ShapeError: the arrays have different shapes.
    """
    left, right = paired_rows(first, second)
    if len(left) < MIN_PAIRS:
        raise OptionError(
            f"{len(left)} pairs, expected at least {MIN_PAIRS}: each is compared with the mean of the others"
        )
    names = [(("a", i), ("b", i)) for i in range(len(left))] if words is None else words
    ids: dict[Any, int] = {}
    keys = np.array([[ids.setdefault(word, len(ids)) for word in pair] for pair in names])
    return _pair_offsets(left.astype(np.float64), right.astype(np.float64), keys, seed)


def _pair_offsets(first: Floats, second: Floats, words: Ints, seed: int) -> PairOffsets:
    n, random = len(first), generator(seed, "pairs dealt out anew")
    shuffled = np.zeros(n)
    ordered = []
    both = np.concatenate([first, second])
    unique = np.unique(words.T.ravel(), return_index=True)[1]  # a row of `both` for each word
    for _ in range(SHUFFLES):
        ring = random.permutation(n)  # each first word gets the second word of the next pair on a ring, never its own
        partner = np.empty(n, dtype=np.int64)
        partner[ring] = np.roll(ring, 1)
        pairs = np.stack([words[:, 0], words[partner, 1]], axis=1)
        shuffled += _cosines_with_others(second[partner] - first, pairs) / SHUFFLES
        mixed = random.permutation(unique)[: len(unique) // 2 * 2].reshape(-1, 2)
        cosines = _cosines_with_others(both[mixed[:, 1]] - both[mixed[:, 0]], mixed)
        ordered.append(float((cosines > 0).mean()))
    offsets = second - first
    cosines = _cosines_with_others(offsets, words)
    return PairOffsets(np.asarray(unit(offsets.sum(axis=0))), cosines, shuffled, float(np.mean(ordered)))


def _cosines_with_others(offsets: Floats, words: Ints) -> Floats:
    """The cosine of each offset with the sum over the pairs that share no word with it; 0 if there are none."""
    n = len(offsets)
    columns = np.unique(words, return_inverse=True)[1].reshape(words.shape)
    incidence = csr_array((np.ones(2 * n), columns.ravel(), np.arange(0, 2 * n + 1, 2)))
    sharing = (incidence @ incidence.T).sign()
    other_offsets = unit(offsets.sum(axis=0) - sharing @ offsets)
    other_offsets[sharing.sum(axis=1) == n] = 0  # instead of rounding errors
    return np.asarray(np.einsum("nd,nd->n", unit(offsets), other_offsets))


def evaluate_pairs(space: Space, gold: RelatedPairs, options: EvaluationOptions) -> list[Score]:
    """Return order, cosine and pairing of all pairs and of each relation."""
    first, known_first = space.lookup([pair[0] for pair in gold.pairs])
    second, known_second = space.lookup([pair[1] for pair in gold.pairs])
    covered_mask: Mask = known_first & known_second
    ids: dict[str, int] = {}
    words = np.array([[ids.setdefault(word.lower(), len(ids)) for word in pair] for pair in gold.pairs])
    cosines, shuffled, random = np.zeros((3, len(covered_mask)))
    scored = np.zeros_like(covered_mask)
    relations = np.array(gold.relations)
    for relation in dict.fromkeys(gold.relations):
        own = covered_mask & (relations == relation)
        if own.sum() >= MIN_PAIRS:
            offsets = _pair_offsets(first[own].astype(float), second[own].astype(float), words[own], options.seed)
            cosines[own], shuffled[own], random[own], scored[own] = (
                offsets.cosines,
                offsets.shuffled,
                offsets.random,
                True,
            )
    mask = np.ones_like(covered_mask) if options.unknown == "count" and scored.any() else scored
    scores = []
    for metric, values in (
        ("order", (cosines > 0).astype(float)),
        ("cosine", cosines),
        ("pairing", cosines - shuffled),
    ):
        share = metric == "order"
        for part, members in parts_of(relations).items():
            items = members & mask
            scores.append(
                Score(
                    metric=metric,
                    sample=Sample(items, Mean(values[items])),
                    covered=int((members & covered_mask).sum()),
                    total=int(members.sum()),
                    part=part,
                    baseline=float(random[members & scored].mean()) if share and (members & scored).any() else None,
                    baseline_name="random pairs" if share else "",
                    share=share,
                )
            )
    return scores


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
