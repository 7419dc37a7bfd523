"""CBOW against central differences: mean, sum and scaled score, with every objective that draws nothing or little."""

import numpy as np
import pytest
from numba import njit

from firth.kernels import objectives
from firth.kernels.objectives import HIERARCHICAL, NAMES, NEGATIVE, SOFTMAX
from firth.kernels.targets import combine, scatter
from tests.gradients.steps import derivative
from tests.gradients.test_objectives import DIM, TOLERANCE, WORD, Stage, value


@njit
def _step(by, at, random, word, m, mean, divide, scale):
    combine(m, mean, scale, at)
    objectives.predict(by, at, random, word, at.hidden_table, at.gradient_table, 1, np.float32(1))
    scatter(m, divide, scale, at)


@pytest.mark.parametrize("kind", [NEGATIVE, HIERARCHICAL, SOFTMAX], ids=NAMES.__getitem__)
@pytest.mark.parametrize("m", [1, 3, 8])
@pytest.mark.parametrize("scale", [1.0, 1 / DIM])
@pytest.mark.parametrize("mean", [True, False], ids=["mean", "sum"])
def test_a_step_adds_the_derivative(kind, m, scale, mean):
    """h = scale * sum or mean of the rows; scale = 1 / D is the score u . h / D, for rows and for outputs."""
    s = Stage(kind, m, 0)
    x, u = (rows[:, :DIM].astype(np.float64) for rows in (s.x, s.u))
    _step(s.by, s.at, s.random, WORD, m, mean, mean, scale)
    samples = ((s.work.outputs[: s.at.n] - s.u.ctypes.data) // s.at.output_bytes)[1:]

    def of(rows, outputs):
        combined = rows.mean(-2, keepdims=True) if mean else rows.sum(-2, keepdims=True)
        return value(kind, scale * combined, outputs, s.tree, samples)

    if len(set(samples)) == len(samples) or kind != NEGATIVE:
        assert s.x[:, :DIM] - x == pytest.approx(derivative(lambda v: of(v, u), x), abs=TOLERANCE)
    assert s.u[:, :DIM] - u == pytest.approx(derivative(lambda v: of(x, v), u), abs=TOLERANCE)


def test_the_whole_gradient_is_m_times_the_means():
    """word2vec.c gives every context word the gradient of h itself."""
    whole, mean = Stage(SOFTMAX, 4, 0), Stage(SOFTMAX, 4, 0)
    before = whole.x.copy()
    _step(whole.by, whole.at, whole.random, WORD, 4, True, False, 1.0)
    _step(mean.by, mean.at, mean.random, WORD, 4, True, True, 1.0)
    assert whole.x - before == pytest.approx(4 * (mean.x - before), abs=TOLERANCE)
