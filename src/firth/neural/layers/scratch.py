"""Large arrays that one step of training hands on to the next.

The system maps an array of more than 32 MiB afresh each time, and clears it page by page as it is written: measured,
7 % of a softmax's way forward and back where 700 predictions have 17,906 scores each (48 MiB), nothing where they have
10,000 (27 MiB). While `kept_arrays` lasts, what is given back is lent again.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

_shelf: ContextVar[list[torch.Tensor] | None] = ContextVar("arrays to lend", default=None)  # one array at most


@contextmanager
def kept_arrays() -> Iterator[None]:
    """Keep what is given back until the end; trainings inside one another, and in other threads, have their own."""
    token = _shelf.set([])
    try:
        yield
    finally:
        _shelf.reset(token)


def borrow(shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
    """Return an array of any contents.

    Args:
        shape: of the array.
        like: has its type and device.
    """
    count, shelf = math.prod(shape), _shelf.get()
    if shelf:
        flat = shelf.pop()
        if flat.dtype == like.dtype and flat.device == like.device and len(flat) >= count:
            return flat[:count].view(shape)
    return torch.empty(shape, dtype=like.dtype, device=like.device)


def give_back(array: torch.Tensor) -> None:
    """Let an array be lent again, whole as it was made, where arrays are kept; its contents are as good as lost.

    torch notices where a graph that holds it is gone through once more after that, and refuses.

    Args:
        array: of `borrow`.
    """
    shelf = _shelf.get()
    if shelf is not None and not shelf:
        shelf.append((array if array._base is None else array._base).view(-1))
