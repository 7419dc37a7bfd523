"""What a layer hands from one step to the next: tensors, in tuples within tuples, each with the batch first.

One form for every model is what lets one loop carry states over chunks of text and one search pick rows out of them.
"""

from collections.abc import Callable
from typing import Any

import torch

State = Any  # a tensor with the batch as its first side, None, or a tuple of states


def mapped(state: State, change: Callable[[torch.Tensor], torch.Tensor]) -> State:
    """Return a state with every tensor changed.

    Args:
        state: tensors, None, or tuples of them.
        change: called with each tensor.
    """
    if state is None:
        return None
    if isinstance(state, tuple):
        return tuple(mapped(part, change) for part in state)
    return change(state)


def detached(state: State) -> State:
    """Return a state that gradients do not go back through."""
    return mapped(state, torch.Tensor.detach)


def rows_of(state: State, rows: torch.Tensor) -> State:
    """Return the state of some sequences of a batch.

    Args:
        state: of B sequences.
        rows: (B',) int64, which of them.
    """
    return mapped(state, lambda tensor: tensor.index_select(0, rows))
