"""Choice of the penalty of linear models on training rows, and the folds of cross-validation.

What: two protocols. "firth", the quick one, takes the penalty with the lowest loss on published development rows, or on
a tenth of the training rows (five folds where there are few). "senteval" follows the classes of SentEval: rows are not
scaled, and the penalty has the highest accuracy on published development rows, or over ten inner folds. Test rows are
never used.

Source: Conneau and Kiela 2018, SentEval, for the second: logistic regression with C = 2^-2 ... 2^3, or 2^-1 ... 2^5 on
sets with a training and a test part only. C is 1 / (n penalty) for n rows.

Departures: folds are drawn by our own generator.

Cost: ten times as many fits for the second as for five folds; a path of penalties shares its curvature,
and inner folds start at the models of all rows.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from firth.evaluation.linear import PENALTIES, Floats, Ints, LogisticRegression, Rows
from firth.randomness import generator

ProtocolName = Literal["firth", "senteval"]
PROTOCOLS: tuple[ProtocolName, ...] = ("firth", "senteval")
FEW = 2000  # with fewer rows the penalty is chosen by cross-validation instead of one held-out part
INNER_FOLDS = 10
INVERSE_PENALTIES = tuple(2.0**power for power in range(-2, 4))  # SentEval's C, the strongest penalty first
INVERSE_PENALTIES_OF_SPLITS = tuple(2.0**power for power in range(-1, 6))
TargetsT = TypeVar("TargetsT", Ints, Floats)
ModelT = TypeVar("ModelT", bound="Model")
Penalties = Sequence[float]
Path = Callable[[Rows, TargetsT, Penalties], list[ModelT]]
LogisticPath = Callable[..., list[LogisticRegression]]


class Model(Protocol):
    """A fitted model."""

    def loss(self, rows: Rows, targets: Any, /) -> float:
        """Return the mean loss on rows."""
        ...


def fit_classifier(
    path: LogisticPath,
    rows: Rows,
    labels: Ints,
    *,
    development: tuple[Rows, Ints] | None = None,
    protocol: ProtocolName = "firth",
    penalties: Sequence[float] = PENALTIES,
    split: bool = False,
    seed: int = 0,
) -> LogisticRegression:
    """Fit a classifier to training rows with the best penalty.

    Args:
        path: `logistic_path`.
        rows: (n, D), training rows only.
        labels: (n,).
        development: rows and labels that choose the penalty; None chooses it on training rows.
        protocol: see the module.
        penalties: the candidates of "firth".
        split: whether the set has a published test part, by which "senteval" chooses its candidates.
        seed: random seed of the folds.
    """
    if protocol == "senteval":
        return _fit_as_senteval(path, rows, labels, development, split, seed)
    if development is None:
        return fit_chosen(path, rows, labels, penalties, seed=seed)
    models = path(rows, labels, penalties)
    return models[int(np.argmin([model.loss(*development) for model in models]))]


def _fit_as_senteval(
    path: LogisticPath, rows: Rows, labels: Ints, development: tuple[Rows, Ints] | None, split: bool, seed: int
) -> LogisticRegression:
    if development is not None:
        models = path(rows, labels, _penalties(INVERSE_PENALTIES, len(labels)))
        return models[int(np.argmax([_accuracy(model, *development) for model in models]))]
    candidates = INVERSE_PENALTIES_OF_SPLITS if split else INVERSE_PENALTIES
    fold = stratified_folds(labels, INNER_FOLDS, seed=seed)
    # The models of all rows: the result is one of them, and those of the inner folds, which are similar, start there.
    fitted = path(rows, labels, _penalties(candidates, len(labels)))
    accuracies = np.zeros(len(candidates))
    for held_out in range(INNER_FOLDS):
        train, test = fold != held_out, fold == held_out
        models = path(rows[train], labels[train], _penalties(candidates, int(train.sum())), start=fitted)
        accuracies += [_accuracy(model, rows[test], labels[test]) if test.any() else 0 for model in models]
    return fitted[int(np.argmax(accuracies))]


def _penalties(inverse: Sequence[float], rows: int) -> list[float]:
    return [1 / (c * rows) for c in inverse]


def _accuracy(model: LogisticRegression, rows: Rows, labels: Ints) -> float:
    return float((model.predict(rows) == labels).mean())


def fit_chosen(
    path: Path[TargetsT, ModelT], rows: Rows, targets: TargetsT, penalties: Penalties = PENALTIES, *, seed: int = 0
) -> ModelT:
    """Fit all rows with the best penalty on held-out rows; arguments of `choose_penalty`."""
    return path(rows, targets, [choose_penalty(path, rows, targets, penalties, seed=seed)])[0]


def choose_penalty(
    path: Path[TargetsT, ModelT], rows: Rows, targets: TargetsT, penalties: Penalties = PENALTIES, *, seed: int = 0
) -> float:
    """Return the penalty with the lowest loss on held-out rows.

    From 2,000 rows on, one tenth is held out; with fewer rows, five-fold cross-validation is used.

    Args:
        path: `logistic_path` or `ridge_path`.
        rows: (n, D), training rows only.
        targets: (n,) labels or numbers.
        penalties: the candidates; of equal ones, the first is chosen.
    """
    if rows.shape[0] < 2:
        return penalties[0]
    many = rows.shape[0] >= FEW
    strata = targets if targets.dtype.kind == "i" else np.zeros(len(targets), dtype=np.int64)
    fold = stratified_folds(strata, 10 if many else 5, seed=seed)
    losses = np.zeros(len(penalties))
    for held_out in range(1 if many else min(5, len(targets))):
        test = fold == held_out
        models = path(rows[~test], targets[~test], penalties)
        losses += [test.sum() * model.loss(rows[test], targets[test]) for model in models]
    return penalties[int(np.argmin(losses))]


def stratified_folds(labels: npt.ArrayLike, folds: int, *, seed: int, keys: Sequence[Any] | None = None) -> Ints:
    """Split items into stratified folds, in which every label has its share.

    Args:
        labels: (n,).
        folds: number of folds.
        seed: random seed of the shuffle.
        keys: n keys; items with equal keys are in one fold, by the label of the first. None: all items are separate.

    Returns:
        (n,) fold of each item, from 0.
    """
    labels = np.asarray(labels)
    kinds: dict[Any, int] = {}
    group = np.arange(len(labels)) if keys is None else np.array([kinds.setdefault(key, len(kinds)) for key in keys])
    groups, first = np.unique(group, return_index=True)
    shuffled = generator(seed, "folds").permutation(len(groups))
    # Deal groups label by label without restarting: folds differ by at most one group, per label and in total.
    order = shuffled[np.argsort(labels[first][shuffled], kind="stable")]
    fold = np.empty(len(groups), dtype=np.int64)
    fold[order] = np.arange(len(groups)) % folds
    return np.asarray(fold[group])
