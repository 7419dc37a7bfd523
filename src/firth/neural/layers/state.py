"""State of a module between steps: tensors with the batch first, in nested tuples.

All models use this form, so that one loop can carry states across batches and one search can select rows of them.
"""

from collections.abc import Callable
from typing import Any

import torch

State = Any  # a tensor with the batch first, None, or a tuple of states


def mapped(state: State, change: Callable[[torch.Tensor], torch.Tensor]) -> State:
    """Return a state with a function applied to every tensor."""
    if state is None:
        return None
    if isinstance(state, tuple):
        return tuple(mapped(part, change) for part in state)
    return change(state)


def detached(state: State) -> State:
    """Return a state without its gradient history."""
    return mapped(state, torch.Tensor.detach)


def rows_of(state: State, rows: torch.Tensor) -> State:
    """Return the state of some sequences of a batch, by their (B',) int64 rows."""
    return mapped(state, lambda tensor: tensor.index_select(0, rows))
