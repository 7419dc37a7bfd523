"""Attribution methods on functions whose derivatives are known."""

from dataclasses import dataclass

import numpy as np
import pytest

from firth.explanation import methods
from firth.explanation.explanation import ExplainableText, Floats


@dataclass
class Known:
    """f(e) = sum_i a_i . e_i + (sum_i b . e_i)^2: gradients a_i + 2 (b . s) b with s the sum of all e_i."""

    a: Floats
    b: Floats
    rows: Floats
    shares: Floats
    tokens: tuple[str, ...] = ("x", "y", "z")
    target: str = "t"

    def log_prob(self, rows):
        return np.einsum("snd,nd->s", rows, self.a) + (rows.sum(axis=1) @ self.b) ** 2

    def gradient(self, rows):
        return self.a[None] + 2 * (rows.sum(axis=1) @ self.b)[:, None, None] * self.b

    def log_probs_without(self):
        keep = [np.arange(len(self.rows)) != i for i in range(len(self.rows))]
        return np.array([np.sum(self.a[k] * self.rows[k]) + (self.rows[k].sum(0) @ self.b) ** 2 for k in keep])

    def attention(self):
        return np.array([0.2, 0.3, 0.5])


@pytest.fixture
def known():
    random = np.random.default_rng(0)
    a, rows = random.normal(size=(2, 3, 4))
    return Known(a, random.normal(size=4), rows, np.eye(3))


def test_the_norm_of_the_jacobian(known):
    gradient = known.a + 2 * (known.rows.sum(0) @ known.b) * known.b
    assert methods.jacobian(known) == pytest.approx(np.sqrt((gradient**2).sum(axis=1)))
    assert methods.jacobian(known, norm=1) == pytest.approx(np.abs(gradient).sum(axis=1))


def test_gradient_times_input(known):
    gradient = known.a + 2 * (known.rows.sum(0) @ known.b) * known.b
    assert methods.gradient_x_input(known) == pytest.approx((gradient * known.rows).sum(axis=1))


def test_integrated_gradients_of_a_square(known):
    """The mean gradient between 0 and e is a + (b . s) b."""
    mean = known.a + (known.rows.sum(0) @ known.b) * known.b
    assert methods.integrated_gradients(known) == pytest.approx((mean * known.rows).sum(axis=1))


def test_leaving_out(known):
    whole = known.log_prob(known.rows[None])[0]
    assert methods.leave_one_out(known) == pytest.approx(whole - known.log_probs_without())


def test_rows_are_shared_among_tokens(known):
    known.shares, known.tokens = np.array([[1, 0.5, 0], [0, 0.5, 1]]), ("x", "y")
    by_row = Known(known.a, known.b, known.rows, np.eye(3))
    for method in (methods.jacobian, methods.gradient_x_input, methods.integrated_gradients):
        assert method(known) == pytest.approx(known.shares @ method(by_row))


def test_more_points_where_the_function_is_steep(known, monkeypatch):
    class Steep(Known):
        calls: int = 0

        def log_prob(self, rows):
            return np.tanh(40 * (rows.sum(axis=(1, 2)) - self.rows.sum() / 2))

        def gradient(self, rows):
            self.calls += len(rows)
            slope = 40 / np.cosh(40 * (rows.sum(axis=(1, 2)) - self.rows.sum() / 2)) ** 2
            return np.ones_like(rows) * slope[:, None, None]

    steep: ExplainableText = Steep(known.a, known.b, np.abs(known.rows), np.eye(3))
    scores = methods.integrated_gradients(steep)
    assert scores.sum() == pytest.approx(2, abs=2 * methods.COMPLETE)
    assert steep.calls > methods.POINTS
