"""`firth.explain` on a model of three lines."""

import numpy as np
import pytest

import firth
from firth.explanation.explain import explain
from firth.explanation.explanation import Explainable


class Counter:
    """A model whose answer is the number of letters a: log p = count - 10."""

    def explainable(self, text, target=None):
        tokens = text.split()
        rows = np.array([[word.count("a")] for word in tokens], dtype=np.float64)
        return _Counted(tokens, target or "a", rows)

    def randomised(self, seed=0):
        return self


class _Counted:
    def __init__(self, tokens, target, rows):
        self.tokens, self.target, self.rows, self.shares = tokens, target, rows, np.eye(len(tokens))

    def log_prob(self, rows):
        return rows.sum(axis=(1, 2)) - 10

    def gradient(self, rows):
        return np.ones_like(rows)

    def log_probs_without(self):
        return self.rows.sum() - self.rows[:, 0] - 10

    def attention(self):
        raise firth.errors.OptionError("none")


@pytest.mark.parametrize("method", ["gradient-x-input", "integrated-gradients", "leave-one-out"])
def test_an_additive_model(method):
    model = Counter()
    assert isinstance(model, Explainable)
    explanation = explain(model, "banana is ananas", method=method)
    assert explanation.scores == pytest.approx([3, 0, 3])
    assert explanation.probability == pytest.approx(np.exp(-4))
    assert explanation.difference == pytest.approx(6)
    assert (explanation.method, explanation.target) == (method, "a")
