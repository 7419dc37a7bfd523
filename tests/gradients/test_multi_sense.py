"""One window of the multi-sense skip-gram ascends its objective, and moves no sense but those that were chosen.

The update of a window, divided by the rate, against central differences in float64. The plain twin takes the step; the
golden test ties the compiled trainer to it.
"""

import numpy as np
import pytest

import firth
from tests.golden.test_senses_kernel import Twin
from tests.gradients.steps import derivative

TOLERANCE = 1e-6
SENTENCE = [3, 1, 4, 0, 5]
SENSES = [1, 0, 1, 1, 0]
NOISE = [6, 7, 2]
DIM = 4


def log_sigma(x):
    return -np.logaddexp(0, -x)


@pytest.mark.parametrize("t", [0, 2, 4])
def test_a_window_of_senses(t, tmp_path):
    """sum_m [ log sigma(v_{c_m,s_m} . u_w) + sum_k log sigma(-v_{c_m,s_m} . u_{n_k}) ]; other senses stay."""
    corpus = firth.Corpus.build([[f"w{i}" for i in range(8)]] * 2, min_count=1, cache=tmp_path)
    twin = Twin(firth.MultiSenseSkipGram(dim=DIM, window=2, epochs=1, sample=0), corpus, 0)
    random = np.random.default_rng(0)
    inputs, twin.outputs = random.normal(0, 0.5, (8, 2, DIM)), random.normal(0, 0.5, (8, DIM))
    twin.inputs, twin.rate = [[*rows] for rows in inputs.copy()], 1.0
    outputs, places = twin.outputs.copy(), [j for j in (t - 2, t - 1, t + 1, t + 2) if 0 <= j < 5]

    def objective(inputs, outputs):
        rows = [inputs[SENTENCE[j], SENSES[j]] for j in places]
        true = sum(log_sigma(v @ outputs[SENTENCE[t]]) for v in rows)
        return true + sum(log_sigma(-v @ outputs[n]) for v in rows for n in NOISE)

    twin.train_pairs(SENTENCE, SENSES, places, t, NOISE)
    by_input = derivative(lambda batch: np.array([objective(one, outputs) for one in batch]), inputs)
    by_output = derivative(lambda batch: np.array([objective(inputs, one) for one in batch]), outputs)
    assert np.array(twin.inputs) - inputs == pytest.approx(by_input, abs=TOLERANCE)
    assert twin.outputs - outputs == pytest.approx(by_output, abs=TOLERANCE)
    assert twin.loss == pytest.approx(-objective(inputs, outputs), rel=1e-12)
    assert np.count_nonzero(np.abs(by_input).max(axis=2)) == len(places)
