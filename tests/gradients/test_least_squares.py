"""GloVe's step against central differences of its cost, and AdaGrad's sums against their definition.

A first step of r = 1 from a = b = 1 moves every number by -dJ/dx, J = f/2 (x . y - t)^2, and adds its square to a or b.
"""

import numpy as np
import pytest
from numba import njit

from firth.kernels.least_squares import AHEAD, FIXED, call_fit, compile_fit
from firth.kernels.rows import aligned_rows
from tests.gradients.steps import WIDTHS, derivative, random_rows

DIM = 40


@njit
def fit(kernel, cells, n, x, y, a, b, cost, rate):
    call_fit(kernel, cells, n, x, y, a, b, cost, rate)


def take(width, pairs, targets, weights, x, y, a, b, rate):
    """Take a step a cell; return the cost. x, y, a, b: (rows, P), updated."""
    cells = np.zeros((len(pairs) + AHEAD, 3), dtype=np.float32)
    cells.view(np.uint16)[: len(pairs), :2] = pairs
    cells[: len(pairs), 1], cells[: len(pairs), 2] = targets, weights
    cost = np.zeros(1)
    at = [m.ctypes.data for m in (x, y, a, b)]
    fit(compile_fit(width, x.shape[1] // width), cells.ctypes.data, len(pairs), *at, cost.ctypes.data, np.float32(rate))
    return cost[0]


def rows(random, count):
    made = aligned_rows(count, DIM)
    made[:, :DIM] = random_rows(random, count, DIM)
    return made


def ones(count):
    made = aligned_rows(count, DIM)
    made[:] = 1
    return made


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", range(3))
def test_a_first_step_is_the_gradient(width, seed):
    random = np.random.default_rng(seed)
    x, y, target, weight = rows(random, 3), rows(random, 3), 0.75, 0.375
    before = x[2, :DIM].astype(np.float64), y[1, :DIM].astype(np.float64)

    def cost(one, other):
        return weight / 2 * ((one * other).sum(-1) - target) ** 2

    a, b, kept = ones(3), ones(3), (x.copy(), y.copy())
    told = take(width, [(2, 1)], [target], [weight], x, y, a, b, 1.0)
    np.testing.assert_allclose(told, cost(*before), rtol=1e-6)
    wanted = derivative(lambda v: cost(v, before[1]), before[0]), derivative(lambda v: cost(before[0], v), before[1])
    sides = ((x[2], kept[0][2], a[2], wanted[0]), (y[1], kept[1][1], b[1], wanted[1]))
    for moved, start, squares, gradient in sides:
        np.testing.assert_allclose((start - moved)[:DIM], gradient, atol=1e-6)
        np.testing.assert_allclose(squares[:DIM] - 1, gradient**2, atol=1e-6)
    untouched = [(x, kept[0], [0, 1]), (y, kept[1], [0, 2])]
    assert all((now[others] == then[others]).all() for now, then, others in untouched)


def twin(pairs, targets, weights, x, y, a, b, rate):
    """The same in float64, a number at a time, as the module's docstring has it."""
    cost = 0.0
    for (i, j), t, f in zip(pairs, targets, weights, strict=True):
        error = x[i] @ y[j] - t
        g = rate * f * error
        cost += f * error**2 / 2
        dx, dy = g * y[j], g * x[i]
        x[i] -= dx / np.sqrt(a[i])
        y[j] -= dy / np.sqrt(b[j])
        a[i] += dx**2
        b[j] += dy**2
    return cost


@pytest.mark.parametrize("width", WIDTHS)
def test_many_steps_are_those_of_the_formulas(width):
    random = np.random.default_rng(7)
    matrices = rows(random, 6), rows(random, 5), ones(6), ones(5)
    slow = [m.astype(np.float64) for m in matrices]
    pairs = np.stack([random.integers(0, 6, 200), random.integers(0, 5, 200)], axis=1)
    targets, weights = random.normal(0, 2, 200).astype(np.float32), random.uniform(0.1, 1, 200).astype(np.float32)
    told = take(width, pairs, targets, weights, *matrices, 0.05)
    np.testing.assert_allclose(told, twin(pairs, targets, weights, *slow, np.float32(0.05)), rtol=1e-5)
    for fast, wanted in zip(matrices, slow, strict=True):
        np.testing.assert_allclose(fast[:, :DIM], wanted[:, :DIM], atol=2e-5)
        assert not (fast[:, DIM:] - wanted[:, DIM:]).any()


def test_a_fixed_number_stays():
    random = np.random.default_rng(8)
    x, y, a, b = rows(random, 2), rows(random, 2), ones(2), ones(2)
    a[:, 3] = FIXED
    before = x.copy()
    take(WIDTHS[0], [(0, 1), (1, 1)] * 20, [3.0, -2.0] * 20, [1.0, 0.5] * 20, x, y, a, b, 0.05)
    assert (x[:, 3] == before[:, 3]).all()
    assert (x[:, :3] != before[:, :3]).all()
