"""Numbers of threads: of kernels and of BLAS libraries."""

import functools
import importlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firth.errors import OptionError


def usable_threads(threads: int | None) -> int:
    """Return the requested number of threads, by default one per processor that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads={threads!r}: expected a whole number of at least 1")
    return threads


def blas_threads() -> int:
    """Return the number of threads of this process's matrix products.

    The user sets it with `OPENBLAS_NUM_THREADS`, `MKL_NUM_THREADS` or `OMP_NUM_THREADS`, the first that is set;
    default: one per processor.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return min(int(value), usable_threads(None))
    return usable_threads(None)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run matrix products in the calling thread, until the last of several concurrent callers is done.

    NumPy and SciPy each have a pool of threads, and a thread that has finished its part of a product spins. With
    alternating small products of the two, two threads are slower than one, on a busy machine ten times. The limit
    applies to the whole process, other threads included.
    """
    with _callers:
        if not _limits:
            _limits.append(_pools().limit(limits=1, user_api="blas"))
        _limits.append(None)
    try:
        yield
    finally:
        with _callers:
            _limits.pop()
            if len(_limits) == 1:
                _limits.pop().restore_original_limits()


_callers = threading.Lock()
_limits: list[Any] = []  # the active limit, then one entry per caller


@functools.cache  # finding the pools takes milliseconds, setting them microseconds
def _pools() -> Any:
    from threadpoolctl import ThreadpoolController

    importlib.import_module("scipy.linalg")  # the controller only finds the pools of loaded libraries
    return ThreadpoolController()
