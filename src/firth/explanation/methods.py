"""Attribution methods: a number per token that says what the token contributes to a model's answer.

What: five methods, of which four work on any model whose answer is a differentiable function of input vectors.

Objective: with e_1 ... e_N the input vectors of a text, f(e) = log p(target | e) and g_i = df / de_i,

    jacobian               || g_i ||_2, or || g_i ||_1
    gradient-x-input       g_i . e_i
    integrated-gradients   e_i . integral_0^1 g_i(a e) da                (from a baseline of zeros)
    leave-one-out          f(text) - f(text without token t)
    attention              the weight that the model's attention gives to token t

Integrated gradients sum to f(e) - f(0).

Source: Simonyan, Vedaldi and Zisserman 2014 and Li, Chen, Hovy and Jurafsky 2016, section 5 (jacobian); Shrikumar et
al. 2017, section 3.2 (gradient times input); Sundararajan, Taly and Yan 2017, equation 1; Li, Monroe and Jurafsky 2016,
equation 1 (leave-one-out, by erasure); Jain and Wallace 2019 on attention.

Departures: the derivatives are those of the log-probability, the negative loss, not of a score before the softmax. A
token with several input vectors, such as a word with character n-grams, gets the sum of theirs; a vector that belongs
to several words is divided among them. The integral is computed in parts by Gauss and Legendre's quadrature. The sum
over a part must be the difference of f between its ends: the parts that are furthest from it are halved, until the sum
of all is within `COMPLETE`. Behind layer norms f is steep near zero, and behind rectifiers it has kinks. The norm of
the Jacobian is the same for all words of a model that averages vectors.

Cost: one gradient for the first two methods, 32 or more for integrated gradients, at most 16,384; one answer per token
for leave-one-out.
"""

from collections.abc import Callable, Mapping

import numpy as np

from firth.explanation.explanation import ExplainableText, Floats

COMPLETE = 1e-3  # tolerance, relative to the larger of 1 and the sum of integrated gradients
PARTLY = 10  # times as much may the sums over parts differ from their true ones, in all
INTERVALS, POINTS, MOST_POINTS = 8, 4, 1 << 14  # parts of the integral at first, points of each part and of all
PARTS = 8  # parts that are computed at once


def jacobian(text: ExplainableText, norm: int = 2) -> Floats:
    """Return (T,) norms of the gradients."""
    gradients = text.gradient(text.rows[None])[0]
    return np.asarray(text.shares @ np.linalg.norm(gradients, ord=norm, axis=1))


def gradient_x_input(text: ExplainableText) -> Floats:
    """Return (T,) products of gradients and input vectors."""
    gradients = text.gradient(text.rows[None])[0]
    return np.asarray(text.shares @ (gradients * text.rows).sum(axis=1))


def integrated_gradients(text: ExplainableText) -> Floats:
    """Return (T,) integrated gradients from a baseline of zeros."""
    ends = np.linspace(0, 1, INTERVALS + 1)
    starts, stops = ends[:-1], ends[1:]
    scores, errors = _parts(text, starts, stops)
    points, whole = POINTS * INTERVALS, text.log_prob(np.stack([np.zeros_like(text.rows), text.rows]))
    allowed = COMPLETE * max(1.0, abs(float(whole[1] - whole[0])))
    while abs(errors.sum()) > allowed or np.abs(errors).sum() > PARTLY * allowed:
        worst = np.abs(errors) > min(allowed / len(errors), float(np.abs(errors).max()) / 2)
        if points >= MOST_POINTS:
            break
        middle = (starts[worst] + stops[worst]) / 2
        halves = np.concatenate([starts[worst], middle]), np.concatenate([middle, stops[worst]])
        their_scores, their_errors = _parts(text, *halves)
        points += POINTS * len(their_errors)
        starts, stops, scores, errors = (
            np.concatenate([old[~worst], new])
            for old, new in ((starts, halves[0]), (stops, halves[1]), (scores, their_scores), (errors, their_errors))
        )
    return np.asarray(text.shares @ scores.sum(axis=0))


def leave_one_out(text: ExplainableText) -> Floats:
    """Return (T,) decreases of the log-probability when a token is left out."""
    return np.asarray(text.log_prob(text.rows[None])[0] - text.log_probs_without())


def attention(text: ExplainableText) -> Floats:
    """Return (T,) the model's attention."""
    return text.attention()


def _parts(text: ExplainableText, starts: Floats, stops: Floats) -> tuple[Floats, Floats]:
    """Return the integral over each of P parts of the way from zeros, (P, N), and the errors of its sums, (P,)."""
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    widths = (stops - starts)[:, None]
    at, weight = starts[:, None] + widths * (nodes + 1) / 2, widths * weights / 2  # (P, points)
    rows = text.rows
    scores = np.concatenate(
        [
            (text.gradient(at[part].ravel()[:, None, None] * rows) * rows).sum(axis=2)
            for part in (slice(first, first + PARTS) for first in range(0, len(starts), PARTS))
        ]
    )
    scores = np.einsum("pq,pqn->pn", weight, scores.reshape(*at.shape, len(rows)))
    ends, numbers = np.unique(np.concatenate([starts, stops]), return_inverse=True)
    values = text.log_prob(ends[:, None, None] * rows)[numbers]
    return scores, scores.sum(axis=1) - (values[len(starts) :] - values[: len(starts)])


METHODS: Mapping[str, Callable[..., Floats]] = {
    "jacobian": jacobian,
    "gradient-x-input": gradient_x_input,
    "integrated-gradients": integrated_gradients,
    "leave-one-out": leave_one_out,
    "attention": attention,
}
