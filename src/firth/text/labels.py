"""Labels of texts or nodes in lists, arrays, tensors and columns of tables, as plain values of Python."""

import numbers
from collections.abc import Iterable, Mapping, Set
from typing import Any

from firth.errors import KindError, brief
from firth.options import wrong_kind

Label = str | numbers.Real


def plain_labels(labels: Any, name: str = "labels", what: str = "text") -> list[Label | None]:
    """Return labels as strings and numbers, and None for those that are missing: None, NaN, NaT, NA, masked ones.

    Args:
        labels: a list, a column of a table, or an array or tensor of one dimension.
        what: has a label each, for messages.
    """
    expected = f"a list with the label of each {what}"
    if isinstance(labels, str | bytes | Mapping | Set) or not hasattr(labels, "__len__"):
        raise KindError(f"{name}: found {brief(labels)}, expected {expected}")
    if getattr(labels, "ndim", 1) != 1:
        raise KindError(f"{name}: an array of the shape {tuple(labels.shape)}, expected {expected}: one dimension")
    # NumPy, PyTorch and pandas have the one; Arrow the other
    to_list = next((getattr(labels, way) for way in ("tolist", "to_pylist") if hasattr(labels, way)), None)
    values = list(labels) if to_list is None else to_list()
    return [_plain(value, f"{name}[{row}]") for row, value in enumerate(values)]


def _plain(value: Any, name: str) -> Label | None:
    if getattr(value, "ndim", None) == 0:  # a scalar of NumPy or PyTorch
        value = value.tolist()
    if value is None or (not isinstance(value, Iterable) and _is_missing(value)):
        return None
    if not isinstance(value, str | numbers.Real):
        raise wrong_kind(name, value, "a string or a number")
    return value


def _is_missing(value: Any) -> bool:
    """NaN and NaT are not equal to themselves; whether NA is, it refuses to say."""
    try:
        return not bool(value == value)
    except TypeError:
        return True
