import numpy as np
import pytest
from scipy.optimize import minimize

from firth.evaluation.lbfgs import minimise


def counted(objective):
    """An objective, and a list with an entry a call."""
    calls = []

    def called(place):
        calls.append(place)
        return objective(place)

    return called, calls


def test_a_parabola_by_hand():
    """f = x^2 / 2 from x = 8: minus the gradient is a step of -8, which lands on 0; there the gradient is 0."""
    objective, calls = counted(lambda x: (float(x @ x) / 2, x))
    assert minimise(objective, np.array([8.0]), 1e-9).tolist() == [0.0]
    assert [float(call[0]) for call in calls] == [8.0, 0.0]


def test_a_steep_parabola_is_stepped_down_by_halves():
    """f = 5 x^2 from x = 1, gradient 10: steps to -9 and -4 go up, that to -1.5 too, that to -0.25 goes down.

    With its curvature, 10, the next step lands on 0.
    """
    objective, calls = counted(lambda x: (5 * float(x @ x), 10 * x))
    assert minimise(objective, np.array([1.0]), 1e-9) == pytest.approx([0.0], abs=1e-12)
    assert [float(call[0]) for call in calls[:5]] == [1.0, -9.0, -4.0, -1.5, -0.25]
    assert len(calls) == 6


@pytest.mark.parametrize("n", [3, 40])
def test_a_convex_function_ends_where_scipy_does(n):
    random = np.random.default_rng(n)
    matrix, shift = random.normal(size=(60, n)), random.normal(size=n)

    def objective(x):
        scores = matrix @ x
        value = np.logaddexp(0, scores).sum() + 0.1 * ((x - shift) ** 2).sum()
        return float(value), matrix.T @ (1 / (1 + np.exp(-scores))) + 0.2 * (x - shift)

    wanted = minimize(objective, np.zeros(n), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    found = minimise(objective, np.zeros(n), 1e-8)
    assert found == pytest.approx(wanted, abs=1e-6)
    assert np.abs(objective(found)[1]).max() <= 1e-8


def test_rounding_ends_it():
    """Single precision cannot reach a gradient of 1e-30; it stops near the minimum and does not run for ever."""
    objective, calls = counted(lambda x: (float(np.float32(np.cosh(x - 3).sum())), np.float32(np.sinh(x - 3)) + 1e-9))
    assert minimise(objective, np.zeros(4), 1e-30) == pytest.approx(np.full(4, 3), abs=1e-3)
    assert len(calls) < 200
