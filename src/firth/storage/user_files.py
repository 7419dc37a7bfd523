"""Open the files that a user names: regular files, and the pipes that a shell hands over.

A pipe with a name, or a link to `/dev/zero`, in place of a file would make a reader wait for ever or fill the memory:
both are refused before a byte is read. `/dev/stdin`, `/dev/fd/N` and `/proc/self/fd/N`, as the shell's `<(...)` gives
them, are what the user asked for. What the system refuses becomes a `FileError`, which names the path.

Every read of a user's file goes through `open_file`, or through `check_file` where a library opens it by its name.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from firth.errors import FileError, FirthError, FormatError

OPEN_FOLDERS = (Path("/dev/fd"), Path("/proc/self/fd"))  # of what a process has open
STREAMS = (Path("/dev/stdin"), Path(os.devnull))
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)  # a pipe is opened without waiting for its writer


def open_file(path: str | os.PathLike[str], buffering: int = -1) -> BinaryIO:
    """Open a file to read bytes.

    Args:
        buffering: as in Python's `open`.
    """
    with naming(path):
        file = open(path, "rb", buffering, opener=_opened)  # noqa: SIM115  closed by the caller
    try:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            _check_mode(path, mode)
            if _NONBLOCK:  # Windows has it not, and Python 3.11 there no function for it
                os.set_blocking(file.fileno(), True)
    except BaseException:
        file.close()
        raise
    return file


def check_file(path: str | os.PathLike[str]) -> None:
    """Check that a file can be opened, before a library opens it by its name."""
    with naming(path):
        mode = Path(path).stat().st_mode
    _check_mode(path, mode)
    if stat.S_ISREG(mode):  # a pipe that is opened twice may lose what is in it
        open_file(path, 0).close()


def is_handed_over(path: str | os.PathLike[str]) -> bool:
    """Return whether a path names what the process has open, such as `/dev/stdin` or `/dev/fd/63`, or `/dev/null`."""
    absolute = Path(path).absolute()
    return not {Path(path), absolute}.isdisjoint(STREAMS) or absolute.parent in OPEN_FOLDERS


@contextlib.contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors of the system into `FileError`s.

    Args:
        path: for the message, where an error names none.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, FirthError) or error.errno is None:  # None: of a decompressor
            raise
        raise FileError.of(error, path) from error


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _NONBLOCK)


def _check_mode(path: str | os.PathLike[str], mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise FileError.of(IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)), path)
    if not stat.S_ISREG(mode) and not is_handed_over(path):
        raise FormatError(
            f"{os.fsdecode(path)}: a device or a pipe; expected a file, or for what a command writes '-' or the "
            "shell's <(...)"
        )
