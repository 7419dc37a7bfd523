"""How many threads kernels run in."""

import functools
import importlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firth.errors import OptionError


def usable_threads(threads: int | None) -> int:
    """Return the number of threads asked for, or one a processor that this process may use.

    Raises:
        OptionError: `threads` is not a whole number of at least 1.
    """
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads={threads!r}: expected a whole number of at least 1")
    return threads


def blas_threads() -> int:
    """Return how many threads the matrix products of this process run in: one a processor, or what its user says.

    `OPENBLAS_NUM_THREADS`, `MKL_NUM_THREADS` and `OMP_NUM_THREADS` say so, in the order in which these libraries look.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        said = os.environ.get(name, "")
        if said.isdecimal() and int(said) > 0:
            return min(int(said), usable_threads(None))
    return usable_threads(None)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let matrix products run in the thread that calls them, until the last of several callers is done.

    NumPy and SciPy each bring a pool of threads, and a thread that has finished its part of a product waits by
    spinning: where small products of the two take turns, two threads are slower than one, on a busy machine ten times.
    The limit is one of the process: other threads' products have it as well while it lasts.
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
_limits: list[Any] = []  # the limit that is set, and behind it one entry a caller


@functools.cache  # finding the pools takes some milliseconds, setting them some microseconds
def _pools() -> Any:
    from threadpoolctl import ThreadpoolController

    importlib.import_module("scipy.linalg")  # a library that is not loaded has no pool to be found
    return ThreadpoolController()
