"""Compiled gradient descent of counter-fitting."""

import numpy as np
import numpy.typing as npt

from firth.kernels.compiled import compiled

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

SLACK = 1e-12  # rounding error of a distance: neighbours start exactly at their margin and must cost nothing


def minimise(start: Floats, pairs: Ids, signs: Floats, margins: Floats, epochs: int) -> tuple[Floats, list[float]]:
    """Return the vectors after all epochs, and the objective before each epoch and at the end.

    Args:
        start: (n, D) vectors of length 1; not changed.
        pairs: (P, 2) rows.
        signs: (P,) weight k: positive if a distance above the margin costs, negative if one below it costs.
        margins: (P,) distances.
        epochs: number of steps of all words.
    """
    q, gradient, terms = start.copy(), np.empty_like(start), np.empty(len(start), dtype=np.int64)
    losses = [_gradients(q, pairs, signs, margins, gradient, terms)]
    for _ in range(epochs):
        _step(q, gradient, terms)
        losses.append(_gradients(q, pairs, signs, margins, gradient, terms))
    return q, losses


def gradients(q: Floats, pairs: Ids, signs: Floats, margins: Floats) -> tuple[float, Floats]:
    """Return the objective and its gradient at `q`; arguments as in `minimise`."""
    gradient, terms = np.empty_like(q), np.empty(len(q), dtype=np.int64)
    return _gradients(q, pairs, signs, margins, gradient, terms), gradient


@compiled
def _gradients(
    q: Floats,  # (n, D) of length 1
    pairs: Ids,  # (P, 2)
    signs: Floats,  # (P,)
    margins: Floats,  # (P,)
    gradient: Floats,  # (n, D), written
    terms: Ids,  # (n,), written: number of violated terms of each word
) -> float:
    cost = 0.0
    gradient[:] = 0.0
    terms[:] = 0
    for p in range(len(pairs)):
        u, w = pairs[p]
        cosine = 0.0
        for i in range(q.shape[1]):
            cosine += q[u, i] * q[w, i]
        violation = signs[p] * (1.0 - cosine - margins[p])
        if violation <= SLACK:
            continue
        cost += violation
        terms[u] += 1
        terms[w] += 1
        for i in range(q.shape[1]):
            # d distance / d q_u = cos q_u - q_w, where q_u and q_w have length 1
            gradient[u, i] += signs[p] * (cosine * q[u, i] - q[w, i])
            gradient[w, i] += signs[p] * (cosine * q[w, i] - q[u, i])
    return cost


@compiled
def _step(
    q: Floats,  # (n, D) updated in place
    gradient: Floats,  # (n, D)
    terms: Ids,  # (n,)
) -> None:
    for u in range(len(q)):
        if terms[u] == 0:
            continue
        square = 0.0
        for i in range(q.shape[1]):
            q[u, i] -= gradient[u, i] / terms[u]
            square += q[u, i] * q[u, i]
        if square > 0.0:
            for i in range(q.shape[1]):
                q[u, i] /= np.sqrt(square)
