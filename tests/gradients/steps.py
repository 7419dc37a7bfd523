"""One step of the compiled kernels on plain arrays, at any vector width, and the objective that it must ascend."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from firth.kernels import processor
from firth.kernels.rows import aligned_rows
from firth.kernels.step import (
    Kernels,
    call_rows,
    call_score,
    call_update,
    coefficient_floats,
    compile_kernels,
    take_loss,
)
from firth.kernels.step_emission import MOST_PADDING

WIDTHS = [width for width in (16, 8, 4) if width <= processor.width()]


def objective(x, o, signs):
    """J = sum over m, n with a sign of log sigma(s_n x_m . o_n), float64; leading axes are a batch.

    Args:
        x: (..., M, D) hidden rows.
        o: (..., N, D) output rows.
        signs: (N,) of +1, -1 and 0.
    """
    scores = x @ np.swapaxes(o, -1, -2) * signs
    return -np.where(signs == 0, 0.0, np.logaddexp(0, -scores)).sum((-1, -2))


def derivative(function, values, h=1e-5):
    """Central differences of a function of a batch of arrays, with respect to each number of `values`."""
    shifts = h * np.eye(values.size).reshape(values.size, *values.shape)
    return ((function(values + shifts) - function(values - shifts)) / (2 * h)).reshape(values.shape)


def random_rows(random, count, dim, scale=0.5):
    """Rows of float32 numbers that float64 holds exactly, on the grid of 1/256: updates of order 1 round by 1e-7."""
    return np.round(random.uniform(-scale, scale, (count, dim)) * 256).astype(np.float32) / 256


def random_signs(random, n):
    """One true row, noise rows, and a row now and then that takes no part."""
    signs = random.choice(np.array([-1, -1, -1, 1, 0], dtype=np.float32), n)
    signs[0] = 1
    return signs


@njit
def _score(kernels, hidden, m, outputs, n, chunks, coefficients, signs, likelihood, rate, times):
    for _ in range(times):
        call_score(kernels.score, hidden, m, outputs, n, chunks, coefficients, signs, likelihood, rate)


@njit
def _update(kernels, hidden, targets, m, outputs, n, chunks, coefficients):
    call_update(kernels.update, hidden, targets, m, outputs, n, chunks, coefficients)


@njit
def _rows(kernel, rows, m, other, chunks, scale):
    call_rows(kernel, rows, m, other, chunks, scale)


@dataclass
class Stage:
    """Rows laid out as the kernels read them.

    Attributes:
        width: lanes of the kernels under test.
        hidden: (M, P) distinct hidden rows, updated in place.
        outputs: (N, P) distinct output rows, updated in place.
        signs: one a place in the output table.
        hidden_places: which hidden row stands at each place of the hidden table.
        output_places: which output row stands at each place of the output table.
    """

    width: int
    hidden: np.ndarray
    outputs: np.ndarray
    signs: np.ndarray
    hidden_places: np.ndarray
    output_places: np.ndarray

    def __post_init__(self):
        self.kernels: Kernels = compile_kernels(self.width)
        self.dim = self.hidden.shape[1]
        self.hidden, self.outputs = _padded(self.hidden), _padded(self.outputs)
        self.gradients = np.zeros((0, 0), np.float32)
        self.chunks = self.hidden.shape[1] // self.width
        self.likelihood = aligned_rows(1, 2 * self.width)[0, : 2 * self.width]
        self.likelihood[: self.width] = 1
        n = len(self.output_places)
        # What kernels may read but must not use is filled with what would show: NaN, and rows that are not zero.
        self.coefficients = aligned_rows(1, coefficient_floats(n))[0]
        self.coefficients[:] = np.nan
        self.zeros = aligned_rows(1, self.dim)
        self.sign_row = np.zeros(n + MOST_PADDING + self.width, dtype=np.float32)
        self.sign_row[:n] = self.signs
        self.hidden_table = _addresses(self.hidden, self.hidden_places)
        padding = np.full(MOST_PADDING, self.zeros.ctypes.data)
        self.output_table = np.concatenate([_addresses(self.outputs, self.output_places), padding])

    def score(self, rate, times=1):
        """Write the coefficients, `times` over; return the loss in nats."""
        _score(
            self.kernels, self.hidden_table.ctypes.data, len(self.hidden_table), self.output_table.ctypes.data,
            len(self.output_places), self.chunks, self.coefficients.ctypes.data, self.sign_row.ctypes.data,
            self.likelihood.ctypes.data, np.float32(rate), times,
        )  # fmt: skip
        return take_loss(self.likelihood, self.likelihood[self.width :].view(np.int32))

    def update(self, targets=None):
        """Add the gradients to the output rows, and to the hidden rows or to a table of targets."""
        targets = self.hidden_table if targets is None else targets
        _update(
            self.kernels, self.hidden_table.ctypes.data, targets.ctypes.data, len(self.hidden_table),
            self.output_table.ctypes.data, len(self.output_places), self.chunks, self.coefficients.ctypes.data,
        )  # fmt: skip

    def mean(self, table, scale):
        """Return scale * sum of the rows of a table, as a padded row."""
        row = aligned_rows(1, self.dim)
        row[:] = np.nan
        _rows(self.kernels.mean, table.ctypes.data, len(table), row.ctypes.data, self.chunks, np.float32(scale))
        return row

    def add(self, table, row, scale):
        """Add scale * row to the rows of a table."""
        _rows(self.kernels.add, table.ctypes.data, len(table), row.ctypes.data, self.chunks, np.float32(scale))


def stage(width, hidden, outputs, signs, hidden_places=None, output_places=None):
    """Lay rows out; without places every row stands once, in order."""
    hidden_places = np.arange(len(hidden)) if hidden_places is None else np.asarray(hidden_places)
    output_places = np.arange(len(outputs)) if output_places is None else np.asarray(output_places)
    return Stage(width, hidden, outputs, signs, hidden_places, output_places)


def _padded(rows):
    padded = aligned_rows(len(rows), rows.shape[1])
    padded[:, : rows.shape[1]] = rows
    return padded


def _addresses(rows, places):
    return rows.ctypes.data + places.astype(np.int64) * rows.strides[0]
