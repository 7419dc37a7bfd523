"""The content of files, mapped into memory; or of copies in memory, which nobody else can change.

A map shows what is in the file now. A file that another program overwrites in place shows other numbers, and one that
it cuts short ends the process: the system sends SIGBUS to a process that reads a page behind the end. firth itself
writes aside and renames, which leaves maps as they were; `cp`, `rsync --inplace` and editors may not. A server, which
others rely on for weeks, therefore copies what it opens.
"""

import contextlib
import mmap
import os
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, BinaryIO

import numpy as np

PAGE = 4096  # bytes; what begins on a page in the file does so in the copy
_copying: ContextVar[bool] = ContextVar("copying", default=False)


@contextlib.contextmanager
def in_memory() -> Iterator[None]:
    """Copy files that are opened inside into memory, where they would be mapped."""
    token = _copying.set(True)
    try:
        yield
    finally:
        _copying.reset(token)


def is_copying() -> bool:
    """Return whether files are to be copied into memory, not mapped."""
    return _copying.get()


def content_of(file: BinaryIO) -> Any:
    """Return the bytes of a file that is not empty, read-only: a map, or an array inside `in_memory`."""
    if not is_copying():
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    size = os.fstat(file.fileno()).st_size
    whole = np.empty(size + PAGE, np.uint8)  # NumPy asks for large pages, which are searched faster
    first = -whole.ctypes.data % PAGE
    content, read = whole[first : first + size], 0
    file.seek(0)
    while read < size and (count := file.readinto(content[read:])):  # type: ignore[attr-defined]  # files have it
        read += count
    content.flags.writeable = False
    return content[:read]
