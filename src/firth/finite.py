"""Numbers that leave a model: finite, or an error that says for which text, and from which model.

Weights are checked when a folder is loaded; products of finite weights may still be too large for their precision, and
infinity less infinity is no number. A comparison with NaN is false, so that it would become a label, a tag, a tree or
the end of a text in silence.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firth.errors import FormatError, brief


def check_finite(
    numbers: Any, model: Any, items: Sequence[Any], what: str = "text", *, first: int = 0, impossible: bool = False
) -> None:
    """Check numbers that a model gives for some items.

    Args:
        numbers: (N, ...) array, or a tensor of the CPU.
        items: N texts, sentences or the like.
        impossible: whether -inf, the logarithm of the probability of the impossible, may be among them.
    """
    array = np.asarray(numbers)
    right = array < np.inf if impossible else np.isfinite(array)  # NaN is not below infinity
    if not right.all():
        row = int(np.argmin(right.reshape(len(array), -1).all(axis=1)))
        raise not_finite(f"{what} {first + row} ({brief(items[row])})", model)


def not_finite(where: str, model: Any) -> FormatError:
    """Return the error for NaN or infinity from a model."""
    return FormatError(
        f"{where}: NaN or infinity from {brief(model)}; expected finite numbers: its weights are damaged or too large, "
        "train it again or copy it again"
    )
