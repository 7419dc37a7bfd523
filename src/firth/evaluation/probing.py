"""Is there a direction for a property? Linear probes with a control task, and the directions of pairs' differences.

What: two questions to vectors about a property of words, such as number, tense, animacy or sentiment.

- *A probe* is a logistic regression (for numbers, a ridge regression) from vectors to the property. Words are cut into
  five parts, and each is judged by a probe of the other four. The control task is the same with labels dealt out at
  random among words: selectivity is the accuracy less that on the control task. What the majority label would get
  stands beside it.
- *A difference* between the words of a pair, `cats` - `cat`, is held against the mean difference of all pairs that
  share no word with it: their cosine, and whether the pair's words stand in the right order along that mean, which is
  whether the cosine is above 0. Beside the order stands that of random pairs of the same words. *Pairing* is the cosine
  less that of the same first words with partners dealt out anew, which share the difference of the two groups of words
  but not that of the pair.

Objective: selectivity = mean of 1[probe(x) = y] - mean of 1[control probe(x) = control label]; for numbers, Spearman's
correlations in the place of the means.

Source: Hewitt and Liang 2019, Designing and interpreting probes with control tasks, section 2; Mikolov, Yih and Zweig
2013 for differences; Fournier, Dupoux and Dunbar 2020, Analogies minus analogy test, for partners dealt out anew.

Departures: Hewitt and Liang's words stand many times in a text, so that a probe can learn random labels by heart. Here
each word is one item, and none is probed that was trained on: the control says what the probe gets by luck and by
labels' frequencies, no more, and high selectivity is no proof against learning by heart. The control probe has the
penalty that was chosen for the property; three controls are drawn, and the mean is taken.

Cost: a probe is some 30 fits (`firth.evaluation.linear`); 5,000 words at D = 100 take half a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from firth.errors import OptionError, ShapeError
from firth.evaluation.analogy import parts_of
from firth.evaluation.linear import (
    Curvature,
    Floats,
    Ints,
    Mask,
    Scale,
    choose_penalty,
    logistic_path,
    ridge_path,
    stratified_folds,
)
from firth.evaluation.properties import FEWEST_NUMBERS, FEWEST_PAIRS, FOLDS, Labels, Numbers, Pairs, read_property
from firth.evaluation.similarity import spearman
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.randomness import generator
from firth.resampling import Mean, RankCorrelation, Sample, Statistic
from firth.vectors.neighbours import Matrix, unit

CONTROLS = 3
FEWEST_KNOWN = 2 * FOLDS  # words: of fewer there is nothing to learn, and no figure
SHUFFLES = 10  # of pairs; each is a few products
ScalarT = TypeVar("ScalarT", bound=np.generic)


@dataclass(frozen=True)
class Probe:
    """What a linear probe found out about a property.

    Attributes:
        right: (n,) whether the probe of the other parts told each word's label.
        control: (n,) how often, of the control tasks, it told each word's random label.
        majority: what the most frequent label alone would get.
    """

    right: Mask
    control: Floats
    majority: float

    @property
    def accuracy(self) -> float:
        """The share of words whose label was told."""
        return float(self.right.mean())

    @property
    def selectivity(self) -> float:
        """The accuracy less that on the control task."""
        return float(self.right.mean() - self.control.mean())


@dataclass(frozen=True)
class NumberProbe:
    """What a linear probe found out about a scale.

    Attributes:
        predicted: (n,) the number that the probe of the other parts tells of each word.
        correlation: Spearman's, between these and the true numbers.
        control: Spearman's, the mean of the control tasks.
    """

    predicted: Floats
    correlation: float
    control: float

    @property
    def selectivity(self) -> float:
        """The correlation less that of the control task."""
        return self.correlation - self.control


@dataclass(frozen=True)
class Differences:
    """What pairs of words differ by.

    Attributes:
        direction: (D,) the mean difference of all pairs, of length 1.
        cosines: (n,) of each pair's difference with the mean of those that share no word with it.
        shuffled: (n,) the same of first words with other pairs' second words; the mean of ten deals.
        random: the share of random pairs of the same words that stand in order; the mean of ten deals.
    """

    direction: Floats
    cosines: Floats
    shuffled: Floats
    random: float

    @property
    def pairing(self) -> float:
        """The mean cosine less that of shuffled pairs."""
        return float(self.cosines.mean() - self.shuffled.mean())

    @property
    def order(self) -> float:
        """The share of pairs whose words stand in order along the others' mean difference."""
        return float((self.cosines > 0).mean())


def probe(rows: npt.ArrayLike, labels: npt.ArrayLike, *, folds: int = FOLDS, seed: int = 0) -> Probe:
    """Ask whether a property can be read off vectors by a linear function.

    Args:
        rows: (n, D) vectors, one a word; a word that stands there twice is learnt by heart, so each should stand once.
        labels: (n,) the property: strings, whole numbers or booleans.
        folds: parts that the words are cut into.
        seed: of the parts and of the control tasks.

    Raises:
        OptionError: there is one label only, or a label has fewer words than there are parts, or `folds` is below 2.
        ShapeError: there is not one label a row.
    """
    matrix, targets = _checked(rows, labels)
    _check_folds(folds)
    names, numbers = np.unique(targets, return_inverse=True)
    _check_labels(names, np.bincount(numbers), folds)
    fold = stratified_folds(numbers, folds, seed=seed)
    return _probe(matrix, numbers, fold, _dealt(numbers, _luck(len(numbers), seed)), seed)


def probe_numbers(rows: npt.ArrayLike, numbers: npt.ArrayLike, *, folds: int = FOLDS, seed: int = 0) -> NumberProbe:
    """Ask whether a scale can be read off vectors by a linear function; arguments of `probe`, with numbers as labels.

    Raises:
        OptionError: there are fewer than ten rows, or one number only, or `folds` is below 2.
        ShapeError: there is not one number a row.
    """
    matrix, targets = _checked(rows, np.asarray(numbers, dtype=np.float64))
    if len(matrix) < FEWEST_NUMBERS or len(np.unique(targets)) < 2:
        raise OptionError(
            f"{len(np.unique(targets))} different numbers of {len(matrix)} words, expected at least {FEWEST_NUMBERS} "
            "words, not all with the same number"
        )
    _check_folds(folds)
    fold = stratified_folds(np.zeros(len(matrix)), folds, seed=seed)
    controls = _dealt(targets, _luck(len(targets), seed))
    told = _probe_numbers(matrix, targets, fold, controls, seed)
    figures = [spearman(some, dealt) for some, dealt in zip(told, [targets, *controls], strict=True)]
    return NumberProbe(told[0], figures[0], float(np.mean(figures[1:])))


def differences(
    first: npt.ArrayLike, second: npt.ArrayLike, *, words: Sequence[tuple[Any, Any]] | None = None, seed: int = 0
) -> Differences:
    """Ask whether pairs of words differ in one direction.

    Args:
        first: (n, D) vectors of the first words.
        second: (n, D) vectors of the second words.
        words: n pairs of words, or of rows; pairs that share one do not judge each other. None: no two pairs do.
        seed: of what is dealt out anew.

    Raises:
        OptionError: there are fewer than three pairs.
        ShapeError: the two arrays have different shapes.
    """
    one, other = _checked(first, second)
    if len(one) < FEWEST_PAIRS:
        raise OptionError(f"{len(one)} pairs, expected at least {FEWEST_PAIRS}: each is held against the others' mean")
    names = [(("a", i), ("b", i)) for i in range(len(one))] if words is None else words
    places: dict[Any, int] = {}
    keys = np.array([[places.setdefault(word, len(places)) for word in pair] for pair in names])
    return _differences(one.astype(np.float64), other.astype(np.float64), keys, seed)


def _checked(rows: npt.ArrayLike, others: npt.ArrayLike) -> tuple[Matrix, npt.NDArray[Any]]:
    """Two arrays with a row a word; a single column of labels or another matrix.

    Raises:
        OptionError: a vector holds NaN or infinity.
        ShapeError: they do not fit each other.
    """
    matrix, second = np.asarray(rows), np.asarray(others)
    if matrix.dtype.kind != "f" or matrix.dtype.itemsize < 4:
        matrix = matrix.astype(np.float32)
    if matrix.ndim != 2 or len(second) != len(matrix) or second.shape[1:] not in ((), matrix.shape[1:]):
        raise ShapeError(f"arrays of shapes {matrix.shape} and {second.shape}: expected (n, D) and one entry a row")
    for one in (matrix, second):
        if one.dtype.kind == "f" and not np.isfinite(one).all():
            raise OptionError(f"row {int(np.argwhere(~np.isfinite(one))[0, 0])} is not finite: leave such words out")
    return matrix, second


def _check_folds(folds: int) -> None:
    if folds < 2:
        raise OptionError(f"folds={folds}: expected at least 2, for words are probed by others")


def _check_labels(names: npt.NDArray[Any], counts: Ints, folds: int) -> None:
    if len(names) < 2:
        seen = f"every word has the label {names[0].item()!r}" if len(names) else "there are no words"
        raise OptionError(f"{seen}, expected two labels or more: a property is probed by words with and without it")
    if counts.min() < folds:
        place = int(counts.argmin())
        raise OptionError(
            f"{counts[place]} words have the label {names[place].item()!r}, expected at least {folds}, one for each "
            "part; add words, leave the label out, or take fewer folds"
        )


def _luck(n: int, seed: int) -> Floats:
    """A number from 0 to 1 for each word and control task, (CONTROLS, n): the same whatever words a model knows."""
    return generator(seed, "control task").random((CONTROLS, n))


def _dealt(labels: npt.NDArray[ScalarT], luck: Floats) -> npt.NDArray[ScalarT]:
    """The control tasks: one of n labels, or numbers, for each word at random, as often as they come; (CONTROLS, n)."""
    return np.asarray(np.sort(labels)[(luck * len(labels)).astype(np.int64)])


def _probe(rows: Matrix, labels: Ints, fold: Ints, controls: Ints, seed: int) -> Probe:
    right = np.zeros(len(rows), dtype=bool)
    control = np.zeros(len(rows))
    curvature = None  # the first part's steers the solver in all: it decides where it goes, not where it ends
    for part in np.unique(fold):
        test, train = fold == part, fold != part
        if not train.any():
            continue
        scale = Scale.of(rows[train])
        known, judged = scale(rows[train]), scale(rows[test])
        curvature = curvature or Curvature.of(known)
        path = partial(logistic_path, curvature=curvature)
        penalty = choose_penalty(path, known, labels[train], seed=seed)
        right[test] = path(known, labels[train], [penalty])[0].predict(judged) == labels[test]
        for dealt in controls:
            told = path(known, dealt[train], [penalty])[0].predict(judged)
            control[test] += (told == dealt[test]) / len(controls)
    return Probe(right, control, float(np.bincount(labels).max() / len(labels)))


def _probe_numbers(rows: Matrix, numbers: Floats, fold: Ints, controls: Floats, seed: int) -> Floats:
    """The numbers that are told, and those of the control tasks: (1 + CONTROLS, n)."""
    told = np.zeros((1 + len(controls), len(rows)))
    for part in np.unique(fold):
        test, train = fold == part, fold != part
        if not train.any():
            continue
        scale = Scale.of(rows[train])
        known, judged = scale(rows[train]), scale(rows[test])
        penalty = choose_penalty(ridge_path, known, numbers[train], seed=seed)
        for place, dealt in enumerate([numbers, *controls]):
            told[place, test] = ridge_path(known, dealt[train], [penalty])[0].predict(judged)
    return told


def _differences(first: Floats, second: Floats, words: Ints, seed: int) -> Differences:
    n, random = len(first), generator(seed, "pairs dealt out anew")
    shuffled = np.zeros(n)
    ordered = []
    both = np.concatenate([first, second])
    once = np.unique(words.T.ravel(), return_index=True)[1]  # a row of `both` for each word
    for _ in range(SHUFFLES):
        ring = random.permutation(n)  # first words take the second word of the next on a ring: never their own
        partner = np.empty(n, dtype=np.int64)
        partner[ring] = np.roll(ring, 1)
        dealt = np.stack([words[:, 0], words[partner, 1]], axis=1)
        shuffled += _with_others(second[partner] - first, dealt) / SHUFFLES
        mixed = random.permutation(once)[: len(once) // 2 * 2].reshape(-1, 2)
        cosines = _with_others(both[mixed[:, 1]] - both[mixed[:, 0]], mixed)
        ordered.append(float((cosines > 0).mean()))
    offsets = second - first
    cosines = _with_others(offsets, words)
    return Differences(np.asarray(unit(offsets.sum(axis=0))), cosines, shuffled, float(np.mean(ordered)))


def _with_others(offsets: Floats, words: Ints) -> Floats:
    """The cosine of each difference with the sum of those of pairs that share no word with it; 0 where none is left."""
    n = len(offsets)
    places = np.unique(words, return_inverse=True)[1].reshape(words.shape)
    incidence = csr_array((np.ones(2 * n), places.ravel(), np.arange(0, 2 * n + 1, 2)))
    sharing = (incidence @ incidence.T).sign()
    others = unit(offsets.sum(axis=0) - sharing @ offsets)
    others[sharing.sum(axis=1) == n] = 0  # not what rounding leaves of it
    return np.asarray(np.einsum("nd,nd->n", unit(offsets), others))


@dataclass(frozen=True)
class _Gain:
    """A figure less the mean of others."""

    one: Statistic
    others: Sequence[Statistic]

    def __call__(self, weights: Ints, /) -> Floats:
        return np.asarray(self.one(weights) - np.mean([other(weights) for other in self.others], axis=0))


def _judge(space: Space, gold: Labels | Numbers | Pairs, setting: Setting) -> list[Figure]:
    if isinstance(gold, Labels):
        return _judge_labels(space, gold, setting)
    return _judge_numbers(space, gold, setting) if isinstance(gold, Numbers) else _judge_pairs(space, gold, setting)


@dataclass(frozen=True)
class _Words:
    """A property's words in one space: vectors, those that are probed, those that a figure counts, and the known."""

    rows: Matrix
    probed: Mask
    counted: Mask
    known: int


def _words(space: Space, words: Sequence[str], setting: Setting) -> _Words:
    rows, has = space.take(words)
    probed = has if has.sum() >= FEWEST_KNOWN else np.zeros_like(has)
    counted = np.ones_like(has) if setting.unknown == "count" and probed.any() else probed
    return _Words(rows, probed, counted, int(has.sum()))


def _judge_labels(space: Space, gold: Labels, setting: Setting) -> list[Figure]:
    found, labels = _words(space, gold.words, setting), gold.labels
    # Parts and luck are those of the whole set, so that models are judged on the same, whatever they know.
    fold, luck = stratified_folds(labels, FOLDS, seed=setting.seed), _luck(len(labels), setting.seed)
    right, control = np.zeros((2, len(labels)))
    if found.probed.any():
        of = found.probed
        told = _probe(found.rows[of], labels[of], fold[of], _dealt(labels[of], luck[:, of]), setting.seed)
        right[:] = control[:] = labels == np.bincount(labels[of]).argmax()  # what is said of an unknown word
        right[of], control[of] = told.right, told.control
    counted = found.counted
    majority = float(np.bincount(labels[counted]).max() / counted.sum()) if counted.any() else None
    return [
        Figure(
            metric="accuracy",
            sample=Sample(counted, Mean(right[counted])),
            covered=found.known,
            total=len(labels),
            baseline=majority,
            baseline_name="majority",
            share=True,
        ),
        Figure(
            metric="selectivity",
            sample=Sample(counted, Mean((right - control)[counted])),
            covered=found.known,
            total=len(labels),
        ),
    ]


def _judge_numbers(space: Space, gold: Numbers, setting: Setting) -> list[Figure]:
    found, numbers = _words(space, gold.words, setting), gold.numbers
    fold = stratified_folds(np.zeros(len(numbers)), FOLDS, seed=setting.seed)
    luck = _luck(len(numbers), setting.seed)
    told, controls = np.zeros((1 + CONTROLS, len(numbers))), np.zeros((CONTROLS, len(numbers)))
    if found.probed.any():
        of = found.probed
        controls = _dealt(numbers[of], luck)
        told += numbers[of].mean()  # what is said of an unknown word
        told[:, of] = _probe_numbers(found.rows[of], numbers[of], fold[of], controls[:, of], setting.seed)
    counted = found.counted
    one, *others = (
        RankCorrelation(some[counted], dealt[counted]) for some, dealt in zip(told, [numbers, *controls], strict=True)
    )
    return [
        Figure(metric=metric, sample=Sample(counted, statistic), covered=found.known, total=len(numbers))
        for metric, statistic in (("spearman", one), ("selectivity", _Gain(one, others)))
    ]


def _judge_pairs(space: Space, gold: Pairs, setting: Setting) -> list[Figure]:
    first, has_first = space.take([pair[0] for pair in gold.pairs])
    second, has_second = space.take([pair[1] for pair in gold.pairs])
    known: Mask = has_first & has_second
    keys: dict[str, int] = {}
    words = np.array([[keys.setdefault(word.lower(), len(keys)) for word in pair] for pair in gold.pairs])
    cosines, shuffled, random = np.zeros((3, len(known)))
    judged = np.zeros_like(known)
    relations = np.array(gold.relations)
    for relation in dict.fromkeys(gold.relations):
        of = known & (relations == relation)
        if of.sum() >= FEWEST_PAIRS:
            found = _differences(first[of].astype(float), second[of].astype(float), words[of], setting.seed)
            cosines[of], shuffled[of], random[of], judged[of] = found.cosines, found.shuffled, found.random, True
    counted = np.ones_like(known) if setting.unknown == "count" and judged.any() else judged
    figures = []
    for metric, scores in (
        ("order", (cosines > 0).astype(float)),
        ("cosine", cosines),
        ("pairing", cosines - shuffled),
    ):
        share = metric == "order"
        for part, members in parts_of(relations).items():
            here = members & counted
            figures.append(
                Figure(
                    metric=metric,
                    sample=Sample(here, Mean(scores[here])),
                    covered=int((members & known).sum()),
                    total=int(members.sum()),
                    part=part,
                    baseline=float(random[members & judged].mean()) if share and (members & judged).any() else None,
                    baseline_name="random pairs" if share else "",
                    share=share,
                )
            )
    return figures


SUITE = Suite(
    name="probing",
    help="is there a direction for a property? Linear probes with a control task, and differences of pairs",
    sets=("sentiment", "first-names", "animacy", "google-analogies"),
    read=read_property,
    judge=_judge,
)
