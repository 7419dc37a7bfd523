"""Loads that overlap a save: what is read comes from one save, or it is read again.

A save replaces a folder by another (`firth.storage.swapping`), whose directory and checksums are new files with numbers
of their own. `snapshot` looks at these numbers, lets a reader open, verify and parse what it needs, and looks again. If
they are others now, what was read may be of two saves, and whatever error came may be due to that: it is read anew. An
error of a folder that stayed the same is the folder's.

While it is read, the folder is held open: the system gives its number to no other folder, so that equal numbers mean
that it stayed in its place. Windows, which does not let others replace what is held open, and gives no number twice for
long, does without.

Where the names in a folder change one after another, or the folder is missing between two steps, the process that
replaces it leaves a sign (`firth.storage.partial.in_steps`), and readers wait until it is gone.
"""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from firth.errors import FormatError
from firth.storage import checksums
from firth.storage.partial import is_in_steps

ATTEMPTS = 100
LONGEST = 0.05  # seconds between two looks at what is being replaced
T = TypeVar("T")


def snapshot(path: Path, read: Callable[[Path], T]) -> T:
    """Return what a reader makes of a folder or file, none of it from one save and the rest from another.

    Args:
        read: opens whatever it needs of it; called again where it was replaced meanwhile. What it returns has nothing
            left to open; mapped files stay as they were.

    Raises:
        FormatError: it was replaced during each of `ATTEMPTS` attempts.
    """
    for attempt in range(ATTEMPTS):
        with _held(path) as before:
            if is_in_steps(path):
                time.sleep(min(0.001 * 2**attempt, LONGEST))
                continue
            try:
                content = read(path)
            except Exception:
                if is_in_steps(path) or _identity(path) != before:
                    continue
                raise
            if not is_in_steps(path) and _identity(path) == before:  # in this order: a sign goes after the last step
                return content
    raise FormatError(
        f"{path}: replaced by another process during each of {ATTEMPTS} attempts to read it; expected it to stay as it "
        "is for as long as reading takes: load it again when nobody saves there, or a copy of it"
    )


@contextlib.contextmanager
def _held(path: Path) -> Iterator[tuple[object, ...]]:
    """Yield the identity of what is at a path, and keep its number from being given to anything else."""
    handle = None
    with contextlib.suppress(OSError, ValueError):
        if hasattr(os, "O_NONBLOCK") and _is_file_or_folder(path.stat()):  # Windows has it not
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield _identity(path)
    finally:
        if handle is not None:
            os.close(handle)


def _identity(path: Path) -> tuple[object, ...]:
    """Return what differs between two saves; equal for whatever is missing, and for a device or a pipe."""
    try:
        status = path.stat()
        if not _is_file_or_folder(status):
            return ()
        numbers = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode):
            return numbers
        # Where the folder itself cannot be renamed, its checksums are new; a foreign layout has none.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            status = (path / checksums.FILE).stat()
        return (*numbers, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    except (OSError, ValueError):  # ValueError: a NUL character
        return ()


def _is_file_or_folder(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
