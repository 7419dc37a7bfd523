"""Compiles each kernel once for all processes of a run of the tests.

On a fresh machine several workers would need the same kernel at the same time, and each would compile it. Here the
first one compiles; the others wait, and read Numba's cache.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.costs import FOLDER

_held: set[str] = set()  # locks of this process: a kernel may be compiled within another's compilation


def share_compilations() -> None:
    """Make this process wait for kernels that another process of the same run compiles."""
    if importlib.util.find_spec("numba") is None:
        return
    from numba.core.caching import NullCache
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    alone = Dispatcher.compile
    if getattr(alone, "shared", False):
        return

    def compile(self: Any, sig: Any) -> Any:
        if isinstance(self._cache, NullCache):
            return alone(self, sig)
        # The process's own lock comes first: two of its threads could otherwise wait for each other.
        with global_compiler_lock, _locked(f"{self.py_func.__module__}.{self.py_func.__qualname__}"):
            return alone(self, sig)

    compile.shared = True  # type: ignore[attr-defined]
    Dispatcher.compile = compile


@contextlib.contextmanager
def _locked(name: str) -> Iterator[None]:
    folder = os.environ.get(FOLDER)
    if name in _held or folder is None or not Path(folder).is_dir():
        yield
        return
    with (Path(folder) / f"kernel-{hashlib.md5(name.encode()).hexdigest()}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _held.add(name)
        try:
            yield
        finally:
            _held.discard(name)
