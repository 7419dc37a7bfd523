"""Numbers that enter a model, as lists, arrays or tensors, and numbers that leave it, which are finite.

The error about others says for which text, and from which model.

Weights are checked when a folder is loaded; products of finite weights may still be too large for their precision, and
infinity less infinity is no number. A comparison with NaN is false, so that it would become a label, a tag, a tree or
the end of a text in silence.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import ArgumentTypeError, FormatError, brief


def check_finite(
    numbers: Any, model: Any, items: Sequence[Any], what: str = "text", *, first: int = 0, impossible: bool = False
) -> None:
    """Check numbers that a model gives for some items.

    Args:
        numbers: (N, ...) array, or a tensor of the CPU.
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


def given_array(name: str, values: Any, expected: str) -> npt.NDArray[Any]:
    """Return values as an array of the type that they have; tensors may have gradients and be on any device.

    Args:
        expected: what they should be, as the end of "expected ...".

    Raises:
        ArgumentTypeError: they are no array, complex or masked.
    """
    detach = getattr(values, "detach", None)
    try:
        array = np.asanyarray(values if detach is None else detach().cpu())
    except (TypeError, ValueError, RuntimeError) as error:
        raise ArgumentTypeError(f"{name}: {error}; expected {expected}") from None
    check_real(name, array)
    return np.asarray(array)


def single_array(name: str, values: Any, expected: str) -> npt.NDArray[np.float32]:
    """Return values as a float32 array; see `given_array`.

    Raises:
        ArgumentTypeError: they are no array of real numbers.
    """
    given = given_array(name, values, expected)
    try:
        return given.astype(np.float32, copy=False)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"{name}: {error}; expected {expected}") from None


def check_real(name: str, array: Any) -> None:
    """Check that an array, dense or sparse, is neither complex nor masked: NumPy drops imaginary parts and masks.

    Raises:
        ArgumentTypeError: it is.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise ArgumentTypeError(
            f"{name}: a masked array; expected all numbers: array.filled(0) puts 0 for the masked ones"
        )
    if array.dtype.kind == "c":
        raise ArgumentTypeError(f"{name}: complex numbers; expected real ones: array.real or abs(array)")
