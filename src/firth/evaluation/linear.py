"""Linear models with an L2 penalty: logistic regression for classes, ridge regression for numbers.

What: the models of probes and sentence classifiers on fixed vectors. `firth.evaluation.selection` chooses the strength
of the penalty.

Objective: over n rows x with labels y,

    minimise over W, b    (1 / n) sum_i -log p(y_i | x_i)  +  (penalty / 2) ||W||^2,    p = softmax(W x + b)

with one row of W and the logistic function for two classes; the intercept b is not penalised. Ridge regression
minimises (1 / n) sum_i (y_i - w x_i - b)^2 + penalty ||w||^2. Where rows weigh differently, the loss is their weighted
mean. `independent_path` fits a logistic regression per label, one versus rest: rows may have several labels.

Source: Cox 1958 for the model; Liu and Nocedal 1989 for L-BFGS, by SciPy; Böhning 1992, Multinomial logistic regression
algorithm, for the bound on the curvature: that of the mean loss is at most c X'X / n, with c = 1/4 for two classes and
1/2 for more. Hoerl and Kennard 1970 for ridge regression.

Departures: L-BFGS is preconditioned by the bound with the penalty: it works along the axes of the bound, each scaled by
its square root. A step of length 1 then decreases the loss from the start, and five steps per penalty replace fifty.
The minimum is the same. Sparse rows of length 1 are not preconditioned. scikit-learn's C is 1 / (n penalty): scaled by
the number of rows, one grid of penalties serves sets of any size.

Cost: a fit of n rows of width D to K outputs takes two products (n, D) x (D, K) per step. The axes are those of X'X
over some 10 D rows, computed once for all fits on similar rows. Products have the precision of the rows; losses are
summed in float64.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from firth.errors import OptionError, ShapeError
from firth.kernels.threads import one_blas_thread

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rows = Any  # (n, D) a NumPy array or a SciPy sparse one, of float32 or float64

PENALTIES = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)  # for standardised rows, the strongest first
MAX_STEPS = 1000  # steps of the solver
# Of the gradient. On dense rows the loss is then within 2e-4 of its minimum, on the sparse rows of TF-IDF within 0.05.
TOLERANCE = 3e-4


@dataclass(frozen=True)
class Curvature:
    """Principal axes of rows, which precondition the solver.

    Attributes:
        values: (D,) mean square along each axis.
        axes: (D, D) the axes, in columns; None for the columns of the rows themselves.
    """

    values: Floats
    axes: Floats | None

    @classmethod
    def of(cls, rows: npt.NDArray[Any]) -> "Curvature":
        """Return the curvature of dense rows, computed from 10 D to 20 D of them.

        Args:
            rows: (n, D), with mean about 0.
        """
        sample = rows[:: max(1, len(rows) // (10 * rows.shape[1] + 1))].astype(np.float64)
        values, axes = np.linalg.eigh(sample.T @ sample / len(sample))
        return cls(np.maximum(values, 0), axes)

    @classmethod
    def of_columns(cls, rows: Rows) -> "Curvature":
        """Return the curvature of sparse rows along each column, (n, D)."""
        return cls(np.asarray(rows.power(2).sum(axis=0), dtype=np.float64) / rows.shape[0], None)


@dataclass(frozen=True)
class LogisticRegression:
    """A classifier of K classes.

    Attributes:
        classes: (K,) labels, ascending.
        coefficients: (K, D) float64; (1, D) for two classes, of the second against the first; (0, D) for one class.
        intercepts: one float64 per row of coefficients.
    """

    classes: Ints
    coefficients: Floats
    intercepts: Floats

    def log_probabilities(self, rows: Rows) -> Floats:
        """Return the log-probability of each class, (n, K).

        Args:
            rows: (n, D).
        """
        logits = _product(rows, self.coefficients) + self.intercepts
        if len(self.classes) <= 2:
            logits = np.concatenate([np.zeros((rows.shape[0], 1)), logits], axis=1)
        return _log_softmax(logits)

    def predict(self, rows: Rows) -> Ints:
        """Return the most probable label of each row, (n,); of equal ones, the first.

        Args:
            rows: (n, D).
        """
        return np.asarray(self.classes[self.log_probabilities(rows).argmax(axis=1)])

    def loss(self, rows: Rows, targets: Ints, /) -> float:
        """Return the mean of -log p(label) in nats; a label not in the training data has the probability 1e-6.

        Args:
            rows: (n, D).
            targets: (n,) labels.
        """
        columns = np.minimum(np.searchsorted(self.classes, targets), len(self.classes) - 1)
        log_p = self.log_probabilities(rows)[np.arange(len(targets)), columns]
        return float(-np.where(self.classes[columns] == targets, log_p, np.log(1e-6)).mean())


@dataclass(frozen=True)
class RidgeRegression:
    """A linear regression.

    Attributes:
        coefficients: (D,) float64.
    """

    coefficients: Floats
    intercept: float

    def predict(self, rows: Rows) -> Floats:
        """Return the predicted number of each row, (n,).

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
    start: Sequence[LogisticRegression] | None = None,
    tolerance: float = TOLERANCE,
    weigh: Callable[[Ints], Floats] | None = None,
) -> list[LogisticRegression]:
    """Fit logistic regressions, one per penalty, each starting from the previous one or from that of similar rows.

    Args:
        rows: (n, D), dense or sparse, float32 or float64.
        labels: (n,) whole numbers, of any values.
        penalties: above 0; from strong to weak is fastest.
        curvature: of these or similar rows; None computes it, if rows are dense.
        start: one model per penalty, fitted to similar rows; None starts from the previous penalty.
        tolerance: greatest gradient component, in the solver's coordinates, at convergence.
        weigh: returns (n,) weights of rows, with mean 1, from their classes: 0 ... K - 1 in ascending order of the
            labels; None for 1.

    Returns:
        One classifier per penalty. If all labels are equal, it always predicts that label.
    """
    classes, targets = np.unique(labels, return_inverse=True)
    outputs = len(classes) if len(classes) > 2 else len(classes) - 1
    weights = np.zeros((outputs, rows.shape[1] + 1))
    if outputs == 0:
        return [LogisticRegression(classes, weights[:, :-1], weights[:, -1])] * len(penalties)
    if curvature is None and not _is_sparse(rows):
        curvature = Curvature.of(rows)
    loss = partial(_loss, targets=targets, row_weights=None if weigh is None else weigh(targets))
    models = list[LogisticRegression]()
    for penalty in penalties:
        if start is not None and np.array_equal(start[len(models)].classes, classes):
            similar = start[len(models)]
            weights = np.concatenate([similar.coefficients, similar.intercepts[:, None]], axis=1)
        coordinates = _Coordinates.of(curvature, 0.25 if outputs == 1 else 0.5, penalty, rows.shape[1])
        weights = _minimise(rows, loss, penalty, coordinates, weights, tolerance)
        models.append(LogisticRegression(classes, weights[:, :-1], weights[:, -1]))
    return models


def ridge_path(rows: Rows, numbers: Floats, penalties: Sequence[float] = PENALTIES) -> list[RidgeRegression]:
    """Fit ridge regressions, one per penalty.

    Args:
        rows: (n, D) dense.
        numbers: (n,).
        penalties: above 0.
    """
    mean, level = rows.mean(axis=0, dtype=np.float64), float(numbers.mean())
    centred = rows - mean
    values, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    projected = axes.T @ (centred.T @ (numbers - level) / len(rows))
    coefficients = [axes @ (projected / (np.maximum(values, 0) + penalty)) for penalty in penalties]
    return [RidgeRegression(weights, level - float(weights @ mean)) for weights in coefficients]


def soft_label_path(
    rows: Rows, targets: Floats, penalties: Sequence[float] = PENALTIES, *, curvature: Curvature | None = None
) -> list[LogisticRegression]:
    """Fit logistic regressions to distributions over classes in place of labels; see `logistic_path`.

    The loss of a row is the cross entropy of its distribution, which differs from the Kullback-Leibler divergence by a
    constant.

    Args:
        rows: (n, D) dense, float32 or float64.
        targets: (n, K) distributions; rows have the sum 1.
        penalties: above 0; from strong to weak is fastest.
        curvature: of these or similar rows; None computes it.

    Returns:
        One classifier per penalty, with the classes 0 ... K - 1.
    """
    classes = np.arange(targets.shape[1])
    curvature = curvature or Curvature.of(rows)
    weights, models = np.zeros((len(classes), rows.shape[1] + 1)), []
    for penalty in penalties:
        coordinates = _Coordinates.of(curvature, 0.5, penalty, rows.shape[1])
        weights = _minimise(rows, partial(_loss, targets=targets), penalty, coordinates, weights, TOLERANCE)
        models.append(LogisticRegression(classes, weights[:, :-1], weights[:, -1]))
    return models


@dataclass(frozen=True)
class IndependentRegressions:
    """A logistic regression per label.

    Attributes:
        coefficients: (L, D) float64.
        intercepts: (L,) float64.
    """

    coefficients: Floats
    intercepts: Floats

    def logits(self, rows: Rows) -> Floats:
        """Return the log-odds of each label, (n, L)."""
        return _product(rows, self.coefficients) + self.intercepts

    def loss(self, rows: Rows, targets: Mask, /) -> float:
        """Return the sum over the labels of the mean of -log p, in nats; arguments as in `independent_path`."""
        return _independent_loss(self.logits(rows), targets)[0]


def independent_path(
    rows: Rows,
    targets: Mask,
    penalties: Sequence[float],
    *,
    curvature: Curvature | None = None,
    tolerance: float = TOLERANCE,
    weigh: Callable[[Mask], Floats] | None = None,
) -> list[IndependentRegressions]:
    """Fit a logistic regression per label, which does not know of the others; one fit for all of them.

    Args:
        rows: (n, D), dense or sparse.
        targets: (n, L) which labels a row has.
        penalties: above 0.
        curvature: see `logistic_path`.
        tolerance: likewise.
        weigh: returns (n, L) weights of targets; None for 1.
    """
    weights, models = np.zeros((targets.shape[1], rows.shape[1] + 1)), []
    loss = partial(_independent_loss, targets=targets, cell_weights=None if weigh is None else weigh(targets))
    for penalty in penalties:
        coordinates = _Coordinates.of(curvature, 0.25, penalty, rows.shape[1])
        weights = _minimise(rows, loss, penalty, coordinates, weights, tolerance)
        models.append(IndependentRegressions(weights[:, :-1], weights[:, -1]))
    return models


@dataclass(frozen=True)
class Scale:
    """Standardises columns to mean 0 and variance 1 of the training rows.

    Attributes:
        mean: (D,).
        factor: (D,); 0 for a constant column.
    """

    mean: npt.NDArray[Any]
    factor: npt.NDArray[Any]

    @classmethod
    def of(
        cls, rows: npt.NDArray[Any], *, standardise: bool = True, weights: npt.NDArray[Any] | None = None
    ) -> "Scale":
        """Return the scale of training rows (n, D).

        Args:
            standardise: False for columns that are only centred, which does not change a model with an intercept.
            weights: (D,) factors of the scaled columns; the greater, the less a penalty bears on the column.
        """
        mean, deviation = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
        # rounding errors of a constant column are not variance
        varies = deviation > 1e-6 * np.abs(mean) + np.finfo(np.float32).tiny
        factor = np.where(varies, 1 / np.where(varies, deviation, 1), 0) if standardise else np.ones(len(mean))
        factor = factor if weights is None else factor * weights
        return cls(mean.astype(rows.dtype), factor.astype(rows.dtype))

    def __call__(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return standardised rows, (n, D)."""
        return np.asarray((rows - self.mean) * self.factor)


def paired_rows(rows: npt.ArrayLike, other_rows: npt.ArrayLike) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Check a matrix of vectors, and labels or another matrix with the same number of rows."""
    matrix, second = np.asarray(rows), np.asarray(other_rows)
    if matrix.dtype.kind != "f" or matrix.dtype.itemsize < 4:
        matrix = matrix.astype(np.float32)
    if matrix.ndim != 2 or len(second) != len(matrix) or second.shape[1:] not in ((), matrix.shape[1:]):
        raise ShapeError(f"arrays of shapes {matrix.shape} and {second.shape}: expected (n, D) and one entry per row")
    for side in (matrix, second):
        if side.dtype.kind == "f" and not np.isfinite(side).all():
            raise OptionError(f"row {int(np.argwhere(~np.isfinite(side))[0, 0])} is not finite: remove such words")
    return matrix, second


def _is_sparse(rows: Rows) -> bool:
    return not isinstance(rows, np.ndarray)


def _product(rows: Rows, coefficients: Floats) -> Floats:
    return np.asarray(rows @ coefficients.T.astype(rows.dtype), dtype=np.float64)


@dataclass(frozen=True)
class _Coordinates:
    """The solver's coordinates: along the axes, or the columns if `axes` is None, each scaled by its unit."""

    axes: Floats | None
    units: Floats  # (D + 1,), the last of the intercept

    @classmethod
    def of(cls, curvature: Curvature | None, bound: float, penalty: float, width: int) -> "_Coordinates":
        if curvature is None:
            return cls(None, np.ones(width + 1))
        bounds = np.append(bound * curvature.values + penalty, bound)
        return cls(curvature.axes, bounds**-0.5)

    def to_weights(self, point: Floats) -> Floats:
        """Weights of a point, (K, D + 1)."""
        weights = point * self.units
        if self.axes is not None:
            weights[:, :-1] = weights[:, :-1] @ self.axes.T
        return weights

    def gradient(self, by_weights: Floats) -> Floats:
        """The gradient with respect to a point, from the one with respect to weights, (K, D + 1)."""
        by_point = by_weights.copy()
        if self.axes is not None:
            by_point[:, :-1] = by_weights[:, :-1] @ self.axes
        return by_point * self.units

    def from_weights(self, weights: Floats) -> Floats:
        """The point of weights, (K, D + 1)."""
        return self.gradient(weights) / self.units**2  # the axes are orthogonal


Loss = Callable[[Floats], tuple[float, Floats]]  # from logits (n, outputs) to the mean loss and its derivative


def _minimise(
    rows: Rows, loss_of: Loss, penalty: float, coordinates: _Coordinates, start: Floats, tolerance: float
) -> Floats:
    """The weights (outputs, D + 1) of least loss, intercepts last."""

    def objective(point: Floats) -> tuple[float, Floats]:
        weights = coordinates.to_weights(point.reshape(start.shape))
        loss, residual = loss_of(_product(rows, weights[:, :-1]) + weights[:, -1])
        gradient = np.empty_like(weights)
        gradient[:, :-1] = (rows.T @ residual.astype(rows.dtype)).T + penalty * weights[:, :-1]
        gradient[:, -1] = residual.sum(axis=0)
        return loss + penalty / 2 * float((weights[:, :-1] ** 2).sum()), coordinates.gradient(gradient).ravel()

    from scipy.optimize import minimize  # takes 0.3 s to import, too long for `firth evaluate --help`

    options: Any = {"maxiter": MAX_STEPS, "gtol": tolerance, "ftol": tolerance**2 / 10}
    with one_blas_thread():
        result = minimize(
            objective, coordinates.from_weights(start).ravel(), jac=True, method="L-BFGS-B", options=options
        )
    return coordinates.to_weights(result.x.reshape(start.shape))


def _log_softmax(logits: Floats) -> Floats:
    """Log-probabilities of each row; SciPy's logsumexp takes longer than the rest of a step on small sets."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def _loss(logits: Floats, targets: Ints | Floats, row_weights: Floats | None = None) -> tuple[float, Floats]:
    """The mean loss of logits (n, outputs), and its derivative with respect to each.

    Targets are labels (n,), or distributions (n, outputs). Rows have weights (n,) with mean 1, or all weigh 1.
    """
    n = len(logits)
    if logits.shape[1] == 1:
        signed = np.where(targets == 1, -logits[:, 0], logits[:, 0])
        losses, wrong = _softplus(signed), expit(signed)
        residual = np.where(targets == 1, -wrong, wrong)[:, None]
    else:
        logs = _log_softmax(logits)
        residual = np.exp(logs)
        if targets.ndim == 2:
            return float(-(targets * logs).sum() / n), (residual - targets) / n
        rows = np.arange(n)
        residual[rows, targets] -= 1
        losses = -logs[rows, targets]
    if row_weights is not None:
        losses, residual = losses * row_weights, residual * row_weights[:, None]
    return float(losses.mean()), residual / n


def _softplus(values: Floats) -> Floats:
    """log(1 + e^x)."""
    return np.asarray(np.maximum(values, 0) + np.log1p(np.exp(-np.abs(values))))


def _independent_loss(logits: Floats, targets: Mask, cell_weights: Floats | None = None) -> tuple[float, Floats]:
    """The sum over labels of the mean loss of logits (n, L), and its derivative with respect to each."""
    losses, residual = _softplus(np.where(targets, -logits, logits)), expit(logits) - targets
    if cell_weights is not None:
        losses, residual = losses * cell_weights, residual * cell_weights
    return float(losses.sum() / len(logits)), residual / len(logits)
