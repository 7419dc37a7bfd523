"""The content of files, mapped into memory; or of copies in memory, which nobody else can change.

A map shows what is in the file now. A file that another program overwrites in place shows other numbers, and one that
it cuts short ends the process: the system sends SIGBUS to whoever reads a page behind the end. firth itself writes
aside and renames, which leaves maps as they were; `cp`, `rsync --inplace` and editors may not. A server, which others
rely on for weeks, therefore copies what it opens.
"""

import contextlib
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, BinaryIO, Literal

_copying: ContextVar[bool] = ContextVar("copying", default=False)


@contextlib.contextmanager
def in_memory() -> Iterator[None]:
    """Copy files that are opened inside into memory, where they would be mapped."""
    token = _copying.set(True)
    try:
        yield
    finally:
        _copying.reset(token)


def content_of(file: BinaryIO) -> mmap.mmap:
    """Return the content of a file that is not empty, read-only: mapped, or copied inside `in_memory`."""
    if not _copying.get():
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with _nameless() as copy:
        file.seek(0)
        shutil.copyfileobj(file, copy, 2**22)
        copy.flush()
        return mmap.mmap(copy.fileno(), 0, access=mmap.ACCESS_READ)


def numpy_mode() -> Literal["r"] | None:
    """Return the `mmap_mode` of `numpy.load`."""
    return None if _copying.get() else "r"


def _nameless() -> Any:
    """Return a file without a name, in memory where the system has such."""
    return os.fdopen(os.memfd_create("firth"), "w+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()
