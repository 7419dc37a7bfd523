"""What Windows lacks or refuses, on another system: import this before firth.

Modules and functions of POSIX are not there; a file that is open for reading cannot be synced; and what this process
has open or mapped, itself or in a folder, can be neither renamed nor replaced nor removed.
"""

import errno
import os
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

MODULES = {"fcntl", "resource", "pwd", "grp", "pty", "termios"}
FUNCTIONS = (
    "fork", "geteuid", "getuid", "getgid", "chown", "set_blocking", "posix_fallocate", "sched_getaffinity",
    "pidfd_open", "O_NOFOLLOW", "O_NONBLOCK", "killpg", "setsid",
)  # fmt: skip


class _Missing(MetaPathFinder):
    def find_spec(self, name: str, *_: Any) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _in_use() -> set[str]:
    open_files = {os.path.realpath(entry) for entry in Path("/proc/self/fd").iterdir()}
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    mapped = {line.split(maxsplit=5)[5] for line in maps if "/" in line}
    return open_files | mapped


def _refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*paths: Any, **named: Any) -> Any:
        for path in map(os.path.realpath, filter(lambda each: isinstance(each, str | os.PathLike), paths)):
            if any(used == path or used.startswith(path + os.sep) for used in _in_use()):
                raise PermissionError(errno.EACCES, "The process cannot access the file because it is in use", path)
        return function(*paths, **named)

    return called


def _fsync(handle: int, synced: Callable[[int], None] = os.fsync) -> None:
    os.write(handle, b"")  # an error where it is open for reading only
    synced(handle)


def install() -> None:
    """Take away what Windows lacks."""
    import numba  # noqa: F401  libraries have Windows versions of their own
    import requests  # noqa: F401
    import scipy.sparse  # noqa: F401

    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Missing())
    for name in FUNCTIONS:
        if hasattr(os, name):
            delattr(os, name)
    os.fsync = _fsync
    for name in ("rename", "replace", "unlink", "remove", "rmdir"):
        setattr(os, name, _refusing(getattr(os, name)))
    from firth import errors
    from firth.cli import app
    from firth.storage import files, swapping

    app.WINDOWS = True
    errors.ADVICE |= errors.WINDOWS_ADVICE
    files.SYNCED = "r+b"
    swapping._exchange = lambda *_: False
