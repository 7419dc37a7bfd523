"""Arrays of real numbers from what callers pass: lists, arrays, tensors."""

from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import KindError


def given_array(name: str, values: Any, expected: str) -> npt.NDArray[Any]:
    """Return values as an array of the type that they have; tensors may have gradients and be on any device.

    Args:
        expected: what they should be, as the end of "expected ...".

    Raises:
        KindError: they are no array, complex or masked.
    """
    detach = getattr(values, "detach", None)
    try:
        array = np.asanyarray(values if detach is None else detach().cpu())
    except (TypeError, ValueError, RuntimeError) as error:
        raise KindError(f"{name}: {error}; expected {expected}") from None
    check_real(name, array)
    return np.asarray(array)


def single_array(name: str, values: Any, expected: str) -> npt.NDArray[np.float32]:
    """Return values as a float32 array; see `given_array`.

    Raises:
        KindError: they are no array of real numbers.
    """
    given = given_array(name, values, expected)
    try:
        return given.astype(np.float32, copy=False)
    except (TypeError, ValueError) as error:
        raise KindError(f"{name}: {error}; expected {expected}") from None


def check_real(name: str, array: Any) -> None:
    """Check that an array, dense or sparse, is neither complex nor masked: NumPy drops imaginary parts and masks.

    Raises:
        KindError: it is.
    """
    if isinstance(array, np.ma.MaskedArray):
        raise KindError(f"{name}: a masked array; expected all numbers: array.filled(0) puts 0 for the masked ones")
    if array.dtype.kind == "c":
        raise KindError(f"{name}: complex numbers; expected real ones: array.real or abs(array)")
