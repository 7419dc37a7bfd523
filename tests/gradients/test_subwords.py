"""One window of subword models ascends the objective of its module, in float64, against central differences.

The plain twin takes the step; the golden tests tie the compiled trainer to it. Its rows get the whole gradient of the
mean where the derivative is 1/|G| of it: a stated departure, put right here before the comparison.
"""

import numpy as np
import pytest

import firth
from tests.golden.fasttext_twin import Twin
from tests.gradients.steps import derivative

TOLERANCE = 1e-6
CONTEXT, CENTRE = [0, 2, 3], 1


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Words without a common n-gram, none with an n-gram twice: each row is in one word, once."""
    return firth.Corpus.build(
        [["abc", "def", "ghij", "klmno", "pq"]] * 3, min_count=1, cache=tmp_path_factory.mktemp("c")
    )


def log_sigma(x):
    return -np.logaddexp(0, -x)


def value(twin, inputs, outputs, noise):
    """J of the module's docstring, for one window."""
    model, cbow = twin.model, twin.model.architecture == "cbow"
    rows = [row for word in (CONTEXT if cbow else [CENTRE]) for row in twin.rows_of(word)]
    hidden = inputs[..., rows, :].mean(axis=-2)
    total = 0.0
    for i, word in enumerate([CENTRE] if cbow else CONTEXT):
        scores = np.einsum("...d,...vd->...v", hidden, outputs)
        if model.objective == "softmax":
            total = total + scores[..., word] - np.logaddexp.reduce(scores, axis=-1)
        elif model.objective == "hierarchical":
            nodes, turns = twin.paths[word]
            total = total + log_sigma(scores[..., nodes] * np.array(turns)).sum(axis=-1)
        else:
            own = [n for n in noise[2 * i : 2 * i + 2] if n != word]
            total = total + log_sigma(scores[..., word]) + log_sigma(-scores[..., own]).sum(axis=-1)
    return total


@pytest.mark.parametrize("architecture", ["skipgram", "cbow"])
@pytest.mark.parametrize("objective", ["negative", "hierarchical", "softmax"])
def test_a_window(architecture, objective, corpus):
    model = firth.FastText(
        architecture=architecture, objective=objective, dim=4, negative=2, min_n=2, max_n=3, epochs=1, sample=0
    )
    twin, random = Twin(model, corpus, 0), np.random.default_rng(1)
    # Large steps would meet rows that earlier predictions of the window have moved already; a small one is divided by.
    rate = 1e-7
    twin.inputs, twin.outputs = (random.normal(0, 0.5, rows.shape) for rows in (twin.inputs, twin.outputs))
    before, noise, twin.rate = (twin.inputs.copy(), twin.outputs.copy()), [4, 1, 0, 4, 2, 4], rate
    by_input = derivative(lambda rows: value(twin, rows, before[1], noise), before[0])
    by_output = derivative(lambda rows: value(twin, before[0], rows, noise), before[1])
    twin.window(CENTRE, CONTEXT, noise if objective == "negative" else None)
    parts = sum(len(twin.rows_of(word)) for word in (CONTEXT if architecture == "cbow" else [CENTRE]))
    assert twin.loss == pytest.approx(-value(twin, *before, noise), rel=1e-5)
    assert (twin.inputs - before[0]) / rate / parts == pytest.approx(by_input, abs=TOLERANCE)
    assert (twin.outputs - before[1]) / rate == pytest.approx(by_output, abs=TOLERANCE)
    assert np.abs(by_input).max() > 1e-2
