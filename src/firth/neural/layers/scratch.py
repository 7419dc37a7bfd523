"""Large arrays that one step of training hands on to the next.

The system maps an array of more than 32 MiB afresh each time, and clears it page by page as it is written: measured, a
tenth of the time of a step whose scores of words take 50 MiB. While `kept_arrays` lasts, what is given back is lent
again.
"""

import contextlib
import math
from collections.abc import Iterator

import torch

_shelves: list[list[torch.Tensor]] = []  # one for each training that goes on, the innermost last


@contextlib.contextmanager
def kept_arrays() -> Iterator[None]:
    """Keep arrays that are given back until the end."""
    shelf: list[torch.Tensor] = []
    _shelves.append(shelf)
    try:
        yield
    finally:
        _shelves.remove(shelf)


def borrow(shape: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
    """Return an array of any contents.

    Args:
        shape: of the array.
        like: has its type and device.
    """
    count = math.prod(shape)
    if _shelves and _shelves[-1]:
        flat = _shelves[-1].pop()
        if flat.dtype == like.dtype and flat.device == like.device and len(flat) >= count:
            return flat[:count].view(shape)
    return torch.empty(shape, dtype=like.dtype, device=like.device)


def give_back(array: torch.Tensor) -> None:
    """Let an array be lent again, whole as it was made, where arrays are kept; its contents are as good as lost.

    torch notices where a graph that holds it is gone through once more after that, and refuses.

    Args:
        array: of `borrow`.
    """
    if _shelves and not _shelves[-1]:
        _shelves[-1].append((array if array._base is None else array._base).view(-1))
