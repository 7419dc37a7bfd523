"""Linear models with an L2 penalty: logistic regression of classes, ridge regression of numbers.

What: what a probe, and a classifier of sentences, learn on vectors that stay as they are. The strength of the penalty
is chosen on parts of the training rows that the candidates did not see; rows to be judged are never looked at.

Objective: over n rows x with labels y,

    minimise over W, b    (1 / n) sum_i -log p(y_i | x_i)  +  (penalty / 2) ||W||^2,    p = softmax(W x + b)

with one row of W and the logistic function for two classes; the intercept b is free. Numbers have (1 / n) sum_i
(y_i - w x_i - b)^2 + penalty ||w||^2 instead.

Source: Cox 1958 for the model; Liu and Nocedal 1989 for L-BFGS, by SciPy; Böhning 1992, Multinomial logistic regression
algorithm, for the bound on the curvature: that of the mean loss is at most c X'X / n, with c = 1/4 for two classes and
1/2 for more. Hoerl and Kennard 1970 for ridge regression.

Departures: L-BFGS works along the axes of the bound, each shortened by it, penalty included:
a step of length 1 then goes down from the first, and five steps a penalty do what fifty did. The minimum is the same.
Sparse rows, of length 1, have no need of that. scikit-learn's C is 1 / (n penalty); scaled by the number of rows, one
grid of penalties serves sets of any size.

Cost: a fit of n rows of width D to K outputs is two products (n, D) x (D, K) a step; the axes are those of X'X over
some 10 D rows, found once for all fits on much the same rows. Products are in the rows' own precision, sums of losses
in float64.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logsumexp

from firth.kernels.threads import one_blas_thread
from firth.randomness import generator

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rows = Any  # (n, D) a NumPy array or a SciPy sparse one, of float32 or float64

PENALTIES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)  # of standardised rows, from the strongest
STEPS = 1000  # of the solver
TOLERANCE = 3e-4  # of the gradient: the loss is then within 1e-4 of its minimum, far below what a set can tell
FEW = 2000  # below so many rows a single held-out part says too little about a penalty
TargetsT = TypeVar("TargetsT", Ints, Floats)
ModelT = TypeVar("ModelT", bound="Model")


class Model(Protocol):
    """What was fitted, and how wrong it is."""

    def loss(self, rows: Rows, targets: Any, /) -> float:
        """Return the mean loss on rows."""
        ...


@dataclass(frozen=True)
class Curvature:
    """How much rows vary along which axes: what a solver steers by, and no more.

    Attributes:
        values: (D,) the mean square along each axis.
        axes: (D, D) the axes, in columns.
    """

    values: Floats
    axes: Floats

    @classmethod
    def of(cls, rows: npt.NDArray[Any]) -> "Curvature":
        """Return the curvature of dense rows, by 10 D to 20 D of them.

        Args:
            rows: (n, D), of about mean 0.
        """
        some = rows[:: max(1, len(rows) // (10 * rows.shape[1] + 1))].astype(np.float64)
        values, axes = np.linalg.eigh(some.T @ some / len(some))
        return cls(np.maximum(values, 0), axes)


@dataclass(frozen=True)
class LogisticRegression:
    """A classifier of K classes.

    Attributes:
        classes: (K,) labels, in order.
        coefficients: (K, D) float64; (1, D) for two classes, the second one's against the first's; (0, D) for one.
        intercepts: as many float64.
    """

    classes: Ints
    coefficients: Floats
    intercepts: Floats

    def scores(self, rows: Rows) -> Floats:
        """Return the log-probability of each class, (n, K).

        Args:
            rows: (n, D).
        """
        found = _product(rows, self.coefficients) + self.intercepts
        if len(self.classes) <= 2:
            found = np.concatenate([np.zeros((rows.shape[0], 1)), found], axis=1)
        return np.asarray(found - logsumexp(found, axis=1, keepdims=True))

    def predict(self, rows: Rows) -> Ints:
        """Return the likeliest label of each row, (n,); among equals the first.

        Args:
            rows: (n, D).
        """
        return np.asarray(self.classes[self.scores(rows).argmax(axis=1)])

    def loss(self, rows: Rows, targets: Ints, /) -> float:
        """Return the mean of -log p(label), in nats; a label that training lacked has the probability of a millionth.

        Args:
            rows: (n, D).
            targets: (n,) labels.
        """
        places = np.minimum(np.searchsorted(self.classes, targets), len(self.classes) - 1)
        found = self.scores(rows)[np.arange(len(targets)), places]
        return float(-np.where(self.classes[places] == targets, found, np.log(1e-6)).mean())


@dataclass(frozen=True)
class RidgeRegression:
    """A linear function to numbers.

    Attributes:
        coefficients: (D,) float64.
        intercept: the number at the origin.
    """

    coefficients: Floats
    intercept: float

    def predict(self, rows: Rows) -> Floats:
        """Return the number of each row, (n,).

        Args:
            rows: (n, D).
        """
        return np.asarray(_product(rows, self.coefficients[None])[:, 0] + self.intercept)

    def loss(self, rows: Rows, targets: Floats, /) -> float:
        """Return the mean squared error.

        Args:
            rows: (n, D).
            targets: (n,) numbers.
        """
        return float(np.mean((self.predict(rows) - targets) ** 2))


def logistic_path(
    rows: Rows,
    labels: Ints,
    penalties: Sequence[float] = PENALTIES,
    *,
    curvature: Curvature | None = None,
    tolerance: float = TOLERANCE,
) -> list[LogisticRegression]:
    """Fit logistic regressions, one a penalty, each from where the one before it ended.

    Args:
        rows: (n, D), dense or sparse, float32 or float64.
        labels: (n,) whole numbers, of any values.
        penalties: above 0; from strong to weak is quickest.
        curvature: of these rows, or of others much like them; None finds it, where rows are dense.
        tolerance: the greatest part of the gradient, in the solver's coordinates, at which it is done.

    Returns:
        One classifier a penalty. Where all labels are one, it is that one always.
    """
    classes, targets = np.unique(labels, return_inverse=True)
    outputs = len(classes) if len(classes) > 2 else len(classes) - 1
    place = np.zeros((outputs, rows.shape[1] + 1))
    if outputs == 0:
        return [LogisticRegression(classes, place[:, :-1], place[:, -1])] * len(penalties)
    if curvature is None and not _is_sparse(rows):
        curvature = Curvature.of(rows)
    found = []
    for penalty in penalties:
        coordinates = _Coordinates.of(curvature, 0.25 if outputs == 1 else 0.5, penalty, rows.shape[1])
        place = _minimum(rows, targets, penalty, coordinates, place, tolerance)
        found.append(LogisticRegression(classes, place[:, :-1], place[:, -1]))
    return found


def ridge_path(rows: Rows, numbers: Floats, penalties: Sequence[float] = PENALTIES) -> list[RidgeRegression]:
    """Fit ridge regressions, one a penalty.

    Args:
        rows: (n, D) dense.
        numbers: (n,).
        penalties: above 0.
    """
    middle, level = rows.mean(axis=0, dtype=np.float64), float(numbers.mean())
    centred = rows - middle
    values, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    pull = axes.T @ (centred.T @ (numbers - level) / len(rows))
    found = [axes @ (pull / (np.maximum(values, 0) + penalty)) for penalty in penalties]
    return [RidgeRegression(one, level - float(one @ middle)) for one in found]


def fit_chosen(
    path: Callable[[Rows, TargetsT, Sequence[float]], list[ModelT]],
    rows: Rows,
    targets: TargetsT,
    penalties: Sequence[float] = PENALTIES,
    *,
    seed: int = 0,
) -> ModelT:
    """Fit all rows with the penalty that does best on held-out ones; arguments of `choose_penalty`."""
    return path(rows, targets, [choose_penalty(path, rows, targets, penalties, seed=seed)])[0]


def choose_penalty(
    path: Callable[[Rows, TargetsT, Sequence[float]], list[ModelT]],
    rows: Rows,
    targets: TargetsT,
    penalties: Sequence[float] = PENALTIES,
    *,
    seed: int = 0,
) -> float:
    """Return the penalty with the least loss on held-out rows.

    A tenth is held out once where there are many rows; where there are fewer than 2,000, each fifth in turn.

    Args:
        path: `logistic_path` or `ridge_path`.
        rows: (n, D), of training alone.
        targets: (n,) labels or numbers.
        penalties: to choose from; among equals the first.
        seed: which rows are held out.
    """
    if rows.shape[0] < 2:
        return penalties[0]
    many = rows.shape[0] >= FEW
    strata = targets if targets.dtype.kind == "i" else np.zeros(len(targets), dtype=np.int64)
    part = stratified_folds(strata, 10 if many else 5, seed=seed)
    losses = np.zeros(len(penalties))
    for held in range(1 if many else min(5, len(targets))):
        inside = part == held
        models = path(rows[~inside], targets[~inside], penalties)
        losses += [inside.sum() * model.loss(rows[inside], targets[inside]) for model in models]
    return penalties[int(np.argmin(losses))]


def stratified_folds(labels: npt.ArrayLike, folds: int, *, seed: int, keys: Sequence[Any] | None = None) -> Ints:
    """Deal items into parts in which every label has its share.

    Args:
        labels: (n,).
        folds: how many parts.
        seed: of the shuffle.
        keys: n; items with equal keys stay together, with the first one's label. None: every item for itself.

    Returns:
        (n,) the part of each item, from 0.
    """
    labels = np.asarray(labels)
    kinds: dict[Any, int] = {}
    group = np.arange(len(labels)) if keys is None else np.array([kinds.setdefault(key, len(kinds)) for key in keys])
    groups, first = np.unique(group, return_index=True)
    shuffled = generator(seed, "folds").permutation(len(groups))
    # Dealt label by label like cards, without a new start: parts differ by one group at most, of a label and in all.
    order = shuffled[np.argsort(labels[first][shuffled], kind="stable")]
    part = np.empty(len(groups), dtype=np.int64)
    part[order] = np.arange(len(groups)) % folds
    return np.asarray(part[group])


@dataclass(frozen=True)
class Scale:
    """Brings every column to mean 0 and variance 1, as the rows of training have it.

    Attributes:
        mean: (D,).
        factor: (D,); 0 for a column that does not vary.
    """

    mean: npt.NDArray[Any]
    factor: npt.NDArray[Any]

    @classmethod
    def of(cls, rows: npt.NDArray[Any]) -> "Scale":
        """Return the scale of rows.

        Args:
            rows: (n, D) of training.
        """
        mean, spread = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
        # What is left of a constant column after rounding is no variance.
        varies = spread > 1e-6 * np.abs(mean) + np.finfo(np.float32).tiny
        factor = np.where(varies, 1 / np.where(varies, spread, 1), 0)
        return cls(mean.astype(rows.dtype), factor.astype(rows.dtype))

    def __call__(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return rows in this scale, (n, D)."""
        return np.asarray((rows - self.mean) * self.factor)


def _is_sparse(rows: Rows) -> bool:
    return not isinstance(rows, np.ndarray)


def _product(rows: Rows, coefficients: Floats) -> Floats:
    """Rows times coefficients, (n, K)."""
    return np.asarray(rows @ coefficients.T.astype(rows.dtype), dtype=np.float64)


@dataclass(frozen=True)
class _Coordinates:
    """The solver's coordinates: along axes, or along the columns where these are None, and each in its own unit."""

    axes: Floats | None
    units: Floats  # (D + 1,), the intercept's last

    @classmethod
    def of(cls, curvature: Curvature | None, most: float, penalty: float, width: int) -> "_Coordinates":
        if curvature is None:
            return cls(None, np.ones(width + 1))
        bound = np.append(most * curvature.values + penalty, most)
        return cls(curvature.axes, bound**-0.5)

    def out(self, place: Floats) -> Floats:
        """Coefficients of a place, (K, D + 1)."""
        found = place * self.units
        if self.axes is not None:
            found[:, :-1] = found[:, :-1] @ self.axes.T
        return found

    def turned(self, gradient: Floats) -> Floats:
        """The gradient by place of one by coefficients, (K, D + 1)."""
        found = gradient.copy()
        if self.axes is not None:
            found[:, :-1] = gradient[:, :-1] @ self.axes
        return found * self.units

    def place(self, coefficients: Floats) -> Floats:
        """The place of coefficients, (K, D + 1)."""
        return self.turned(coefficients) / self.units**2  # the axes are orthogonal


def _minimum(
    rows: Rows, targets: Ints, penalty: float, coordinates: _Coordinates, start: Floats, tolerance: float
) -> Floats:
    """The (outputs, D + 1) coefficients, intercepts last."""

    def objective(place: Floats) -> tuple[float, Floats]:
        weights = coordinates.out(place.reshape(start.shape))
        loss, residual = _loss(_product(rows, weights[:, :-1]) + weights[:, -1], targets)
        gradient = np.empty_like(weights)
        gradient[:, :-1] = (rows.T @ residual.astype(rows.dtype)).T + penalty * weights[:, :-1]
        gradient[:, -1] = residual.sum(axis=0)
        return loss + penalty / 2 * float((weights[:, :-1] ** 2).sum()), coordinates.turned(gradient).ravel()

    from scipy.optimize import minimize  # takes 0.3 s to import, which `firth evaluate --help` should not wait for

    options: Any = {"maxiter": STEPS, "gtol": tolerance, "ftol": tolerance**2 / 10}
    with one_blas_thread():
        found = minimize(objective, coordinates.place(start).ravel(), jac=True, method="L-BFGS-B", options=options)
    return coordinates.out(found.x.reshape(start.shape))


def _loss(scores: Floats, targets: Ints) -> tuple[float, Floats]:
    """The mean loss of (n, outputs) scores, and its derivative by each of them."""
    n = len(scores)
    if scores.shape[1] == 1:
        signed = np.where(targets == 1, -scores[:, 0], scores[:, 0])
        wrong = expit(signed)
        loss = float(np.mean(np.maximum(signed, 0) + np.log1p(np.exp(-np.abs(signed)))))
        return loss, (np.where(targets == 1, -wrong, wrong) / n)[:, None]
    rows = np.arange(n)
    logs = scores - logsumexp(scores, axis=1, keepdims=True)
    residual = np.exp(logs)
    residual[rows, targets] -= 1
    return float(-logs[rows, targets].mean()), residual / n
