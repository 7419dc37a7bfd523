"""Compiles each kernel and each module once for all processes of a run of the tests.

On a fresh machine several workers would need the same kernel at the same time, and each would compile it. Here the
first one compiles; the others wait, and read Numba's cache. Modules likewise; of the tests, whose asserts pytest
rewrites, each worker takes a part before it collects.
"""

import contextlib
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

from firth import progress
from tests.costs import FOLDER

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_held: set[str] = set()  # locks of this process: a kernel may be compiled within another's compilation


def share_compilations() -> None:
    """Make this process wait for modules and kernels that another process of the same run compiles.

    It does not say that it compiles: the same is printed on a fresh machine as on any other.
    """
    progress._told = True
    _share_modules()
    _share_kernels()


def rewrite_asserts(config: pytest.Config) -> None:
    """Rewrite those of the tests to be collected that no other worker has begun with, and keep them for all."""
    from _pytest.assertion import rewrite

    folder, state = os.environ.get(FOLDER), config.stash.get(rewrite.assertstate_key, None)
    if folder is None or state is None or sys.dont_write_bytecode:
        return
    for path in sorted(_test_files(config)):
        kept = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
        if kept.exists():  # pytest looks itself whether it is of this version of the file
            continue
        with contextlib.suppress(OSError, SyntaxError):
            (Path(folder) / f"asserts-{_digest(str(path))}").touch(exist_ok=False)
            kept.parent.mkdir(exist_ok=True)
            stamp, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(state, code, stamp, kept)


def share_constants() -> None:
    """Make this process wait for constants that Hypothesis reads in the source for another process of the same run."""
    providers: Any = sys.modules.get("hypothesis.internal.conjecture.providers")
    alone = getattr(providers, "constants_from_module", None)
    if alone is None or getattr(alone, "shared", False):
        return

    def constants(module: Any, *arguments: Any, **how: Any) -> Any:
        with _locked(f"constants of {module.__name__}"):
            return alone(module, *arguments, **how)

    constants.shared = True  # type: ignore[attr-defined]
    providers.constants_from_module = constants


def _test_files(config: pytest.Config) -> Iterator[Path]:
    for argument in config.args:
        path = Path(argument.partition("::")[0]).absolute()
        yield from path.rglob("test_*.py") if path.is_dir() else [path] * path.is_file()


def _share_modules() -> None:
    alone = SourceFileLoader.get_code
    if getattr(alone, "shared", False):
        return

    def get_code(self: Any, name: str) -> Any:
        path = self.get_filename(name)
        if sys.dont_write_bytecode or Path(importlib.util.cache_from_source(path)).exists():
            return alone(self, name)
        with _locked(path):
            return alone(self, name)

    get_code.shared = True  # type: ignore[attr-defined]
    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]


def _share_kernels() -> None:
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
    if fcntl is None or name in _held or folder is None or not Path(folder).is_dir():
        yield
        return
    with (Path(folder) / f"lock-{_digest(name)}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _held.add(name)
        try:
            yield
        finally:
            _held.discard(name)


def _digest(name: str) -> str:
    return hashlib.md5(name.encode()).hexdigest()
