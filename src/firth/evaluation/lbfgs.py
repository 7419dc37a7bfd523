"""Where a smooth convex function of many numbers is least: L-BFGS, on one processor.

What: each step goes along minus the gradient times the inverse of the curvature that the last ten steps met, by half
as much until the function falls.

Source: Nocedal 1980, Updating quasi-Newton matrices with limited storage; Armijo 1966 for the length of a step.

Departures: the functions here are convex, so that a step shows no negative curvature, and no second condition is asked
of its length. SciPy has L-BFGS-B, which takes bounds that nobody needs here, and hands the smallest of matrices to a
LAPACK of several threads: on a busy machine these wait for each other at every step, a hundred times as long as they
work.

Cost: a step is one value and gradient, as a rule, and 40 products of vectors.
"""

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Step = tuple[Floats, Floats, float]  # change of place, change of gradient, their product

MEMORY = 10  # steps that are remembered
STEPS = 1000
_HALVINGS = 12
_FLAT = 10
_ENOUGH = 1e-4  # of the fall that the slope promises


def minimise(objective: Callable[[Floats], tuple[float, Floats]], place: Floats, tolerance: float) -> Floats:
    """Return where a convex function is least, (n,).

    Args:
        objective: from (n,) numbers to the function's value and gradient.
        place: (n,) where to begin.
        tolerance: the greatest part of the gradient at which it is done. It ends before that where rounding leaves no
            step that goes down, and after 1,000 steps.
    """
    value, gradient = objective(place)
    steps: deque[Step] = deque(maxlen=MEMORY)
    flat = 0
    for _ in range(STEPS):
        if np.abs(gradient).max() <= tolerance:
            break
        direction = _direction(gradient, steps)
        slope = _dot(gradient, direction)
        for length in 0.5 ** np.arange(_HALVINGS):
            below, new = objective(place + length * direction)
            if below <= value + _ENOUGH * length * slope:
                break
        else:
            break
        change, bend = length * direction, new - gradient
        if (curvature := _dot(change, bend)) > 0:
            steps.append((change, bend, curvature))
        flat = flat + 1 if below == value else 0  # rounding hides a fall; of several, there is none left
        place, value, gradient = place + change, below, new
        if flat == _FLAT:
            break
    return place


def _direction(gradient: Floats, steps: Sequence[Step]) -> Floats:
    """Nocedal's two loops: minus the gradient times the inverse of the curvature that the last steps met."""
    direction, shares = -gradient, []
    for change, bend, curvature in reversed(steps):
        shares.append(_dot(change, direction) / curvature)
        direction -= shares[-1] * bend
    if steps:
        _, bend, curvature = steps[-1]
        direction *= curvature / _dot(bend, bend)
    for (change, bend, curvature), share in zip(steps, reversed(shares), strict=True):
        direction += (share - _dot(bend, direction) / curvature) * change
    return direction


def _dot(one: Floats, other: Floats) -> float:
    return float(np.einsum("i,i->", one, other))  # BLAS would wake its threads for long vectors
