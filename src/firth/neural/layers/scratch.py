"""Large arrays that training steps reuse.

The system maps each new array above 32 MiB afresh and clears it page by page. This slows a softmax's forward and
backward pass with 700 predictions of 17,906 scores each (48 MiB), but not with 10,000 scores (27 MiB). Within
`reuse_arrays`, `borrow` reuses an array that `release` returned.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch

_shelf: ContextVar[list[torch.Tensor] | None] = ContextVar("reusable arrays", default=None)  # one array at most


@contextmanager
def reuse_arrays() -> Iterator[None]:
    """Keep returned arrays for reuse until the end; nested trainings and other threads have their own."""
    token = _shelf.set([])
    try:
        yield
    finally:
        _shelf.reset(token)


def borrow(shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
    """Return an uninitialised array with the type and device of `like`."""
    count, shelf = math.prod(shape), _shelf.get()
    if shelf:
        flat = shelf.pop()
        if flat.dtype == like.dtype and flat.device == like.device and len(flat) >= count:
            return flat[:count].view(shape)
    return torch.empty(shape, dtype=like.dtype, device=like.device)


def release(array: torch.Tensor) -> None:
    """Return an array from `borrow` for reuse; its contents are lost.

    torch raises an error if a second backward pass uses a graph that holds the array.
    """
    shelf = _shelf.get()
    if shelf is not None and not shelf:
        shelf.append((array if array._base is None else array._base).view(-1))
