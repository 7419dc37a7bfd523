"""The gradient of counter-fitting's objective against central differences of the objective with true cosines."""

import numpy as np
import pytest

from firth.postprocess.counter_fitting_steps import gradients

STEP, TOLERANCE = 1e-5, 1e-6


def objective(q, pairs, signs, margins):
    """The paper's sum, with cosines of vectors of any length."""
    unit = q / np.linalg.norm(q, axis=1, keepdims=True)
    distances = 1 - np.sum(unit[pairs[:, 0]] * unit[pairs[:, 1]], axis=1)
    return np.maximum(signs * (distances - margins), 0).sum()


@pytest.mark.parametrize("seed", range(3))
def test_gradient(seed):
    random = np.random.default_rng(seed)
    q = random.normal(size=(12, 5))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    pairs = np.array([(i, j) for i in range(12) for j in range(i) if random.random() < 0.4])
    signs = random.choice([-0.2, 0.1, 0.3], len(pairs))
    margins = random.uniform(0.3, 1.7, len(pairs))
    value, found = gradients(q, pairs, signs, margins)
    assert value == pytest.approx(objective(q, pairs, signs, margins), abs=1e-12)
    for i, d in np.ndindex(q.shape):
        up, down = q.copy(), q.copy()
        up[i, d] += STEP
        down[i, d] -= STEP
        slope = (objective(up, pairs, signs, margins) - objective(down, pairs, signs, margins)) / (2 * STEP)
        assert found[i, d] == pytest.approx(slope, abs=TOLERANCE)
    assert np.abs(found).max() > 0.1
