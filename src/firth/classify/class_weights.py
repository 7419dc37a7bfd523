"""Weights of labels in the loss of a classifier, so that rare ones count as much as frequent ones.

Objective: with "balanced", a text with label l of L weighs n / (L n_l) for n texts, n_l of them with the label: every
label has the same weight in all, and the mean weight is 1. Where a text may have several labels, those with label l
weigh n / (2 n_l) in its loss and those without it n / (2 (n - n_l)).

Source: King and Zeng 2001, "Logistic regression in rare events data"; the formula is scikit-learn's.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.options import option

Floats = npt.NDArray[np.float64]


def class_weights_option() -> Any:
    """Return the field for the weights of labels."""
    return option(
        None, "weights of labels in the loss: balanced; default: all texts weigh the same", choices=("balanced",)
    )


def label_weights(class_weights: str | None) -> Callable[[npt.NDArray[Any]], Floats] | None:
    """Return the function from targets to their weights: of labels (n,), or of (n, L) indicators; None for 1."""
    return None if class_weights is None else _balanced


def _balanced(targets: npt.NDArray[Any]) -> Floats:
    if targets.ndim == 1:
        return np.asarray(weights_of_counts(np.bincount(targets))[targets])
    present = targets.sum(axis=0)
    n = len(targets)
    return np.asarray(np.where(targets, n / (2 * np.maximum(present, 1)), n / (2 * np.maximum(n - present, 1))))


def weights_of_counts(counts: npt.NDArray[np.integer]) -> Floats:
    """Return the weight of each label, (L,), from its number of texts."""
    return np.asarray(counts.sum() / (len(counts) * np.maximum(counts, 1)), dtype=np.float64)
