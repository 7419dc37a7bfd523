"""Agreement between methods, against scipy's tau; the control with random parameters."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import firth
from firth.explanation.method_agreement import agreement

METHODS = ["gradient-x-input", "leave-one-out"]


@pytest.fixture(scope="module")
def model():
    """A classifier of texts whose words all speak for or against a label."""
    random = np.random.default_rng(0)
    weights, data = random.normal(size=40), []
    for _ in range(600):
        words = random.integers(0, 40, 10)
        data.append((" ".join(f"w{i}" for i in words), "pos" if weights[words].sum() > 0 else "neg"))
    return firth.TextClassifier(dim=8, epochs=20, lr=0.5).train(data, seed=1, threads=1), [
        text for text, _ in data[:40]
    ]


def test_tau_is_that_of_scipy(model):
    classifier, texts = model
    table = agreement(classifier, [*texts[:3], "w1"], METHODS)
    taus = []
    for text in texts[:3]:
        one, other = (np.abs(firth.explain(classifier, text, method=name).scores) for name in METHODS)
        taus.append(kendalltau(one, other).statistic)
    assert table.texts == 3  # the fourth has too few tokens
    assert table.tau[0, 1] == table.tau[1, 0] == pytest.approx(np.mean(taus))
    assert np.diag(table.tau) == pytest.approx(1)
    assert str(table).splitlines()[0].split() == [*METHODS, "random"]


def test_random_parameters_destroy_the_agreement(model):
    """One random model may be like the trained one by chance, the mean of six is not."""
    classifier, texts = model
    tables = [agreement(classifier, texts[:12], METHODS, seed=seed) for seed in range(6)]
    assert tables[0].tau[0, 1] > 0.5
    assert np.abs(np.mean([table.control for table in tables], axis=0)).max() < 0.15
