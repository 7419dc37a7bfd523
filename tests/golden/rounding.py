"""How far a trainer in float32 may be from its twin in float64."""

import math

UNIT = 2.0**-25  # half a unit in the last place of a number below 1


def tolerance(additions):
    """Return the largest difference that rounding explains, for numbers below 1.

    Each addition to a row is rounded by up to UNIT, in either direction: n of them walk about sqrt(n) UNIT away. Four
    times that covers the largest of some thousand numbers, and 1e-5 the rounding of the steps themselves. How many
    additions a step makes depends on the processor: those with 16 registers add an output row's gradients one by one.

    Args:
        additions: to the row that is updated most, at the most.
    """
    return max(1e-5, 4 * math.sqrt(additions) * UNIT)
