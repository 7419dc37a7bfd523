"""Files and folders while they are being written: beside what they replace, and locked by the process that writes them.

The name is that of the target between a dot and `.HOST-RANDOM.part`. A process that is killed leaves its file behind
without the lock, and the next one that writes to the same target removes it. Where there are no locks (Windows, some
network file systems), and for files of another host, only what is a day old counts as left behind.
"""

import contextlib
import functools
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from firth.errors import FileError, FirthError, OptionError

fcntl: Any
try:
    import fcntl
except ImportError:
    fcntl = None

PART, OLD = ".part", ".old"
_SIGN = f".replaced{OLD}"  # ends the name of a sign; one that a kill left behind goes with the next
_LONGEST = 200  # bytes of the target's name that are kept: file systems allow 255 in all
_SHORT = 10.0  # seconds that renaming takes at most, where nobody can ask who does it
_STALE = 86_400.0  # seconds without a change after which what cannot be locked counts as left behind
_NO_LOCK = -1


@contextlib.contextmanager
def lock(path: Path) -> Iterator[bool]:
    """Hold the lock of a file, which is made; yield whether this process has it.

    Where the system has no locks, every caller gets it.
    """
    with path.open("ab") as file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:  # a file system without locks
            pass
        yield True


@contextlib.contextmanager
def partial_file(target: Path) -> Iterator[Path]:
    """Make an empty file beside a target, and hold its lock; see `partial_folder`.

    Its mode is the usual one, or that of the target, so that what is private stays so while it is written anew.
    """
    mode = stat.S_IMODE(target.stat().st_mode) & 0o666 | 0o600 if target.exists() else 0o666

    def make(path: Path) -> None:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))

    with _partial(target, make) as path:
        yield path


@contextlib.contextmanager
def partial_folder(target: Path) -> Iterator[Path]:
    """Make an empty folder beside a target, and hold its lock.

    Args:
        target: what it will replace; the folder that it lies in must exist.

    Yields:
        The folder. Whatever has its name at the end is removed: rename it before.
    """
    with _partial(target, Path.mkdir) as path:
        yield path


@contextlib.contextmanager
def _partial(target: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    lock = None
    while lock is None:  # it is None where another process took the new file for left behind before it was locked
        path = target.with_name(f".{_shortened(target.name)}.{_host()}-{secrets.token_hex(4)}{PART}")
        with _naming(target, path):
            make(path)
        lock = _lock(path)
    try:
        with _naming(target, path):
            yield path
    finally:
        remove(path)
        if lock != _NO_LOCK:
            os.close(lock)


@contextlib.contextmanager
def _naming(target: Path, aside: Path) -> Iterator[None]:
    """Let errors of the system name what the user writes, and not what lies aside; a full disk names nothing."""
    try:
        yield
    except OSError as error:
        if isinstance(error, FirthError) or error.errno is None:
            raise
        if isinstance(error.filename, str | bytes) and not Path(os.fsdecode(error.filename)).is_relative_to(aside):
            raise FileError.of(error) from error
        raise FileError.of(OSError(error.errno, error.strerror), target) from error


@contextlib.contextmanager
def locked(path: Path, target: Path) -> Iterator[None]:
    """Hold the lock of a file that several calls of a program may write in turn, and make the file if it is missing."""
    if fcntl is None:
        with _naming(target, path):
            yield
        return
    handle = None
    while handle is None:  # it is None where another process has just renamed or removed the file that was opened
        handle = _locked_handle(path, target)
    try:
        with _naming(target, path):
            yield
    finally:
        os.close(handle)


def _locked_handle(path: Path, target: Path) -> int | None:
    """Open and lock a file; return the handle that holds the lock, or None if the file is no longer at its path."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise OptionError(f"{target} is being written by another process: wait for it, or name another file") from None
    except OSError:  # the file system has no locks
        pass
    if _is_at(handle, path):
        return handle
    os.close(handle)
    return None


@contextlib.contextmanager
def in_steps(target: Path, *, inside: bool = False) -> Iterator[None]:
    """Give readers a sign that names are changed one after another, for as long as that takes.

    Args:
        inside: whether the sign lies in the target, a folder, and not beside it.
    """
    sign, handle = _sign(target, inside=inside), None
    with contextlib.suppress(OSError):  # readers are told as well as that can be done
        handle = _shared_handle(sign)
    try:
        yield
    finally:
        if handle is not None:
            _withdraw(sign, handle)


def _shared_handle(sign: Path) -> int:
    """Make a sign, which several processes may give, and share its lock, which a reader holds for an instant only."""
    while True:
        sign.touch()
        if fcntl is None:
            return _NO_LOCK
        with contextlib.suppress(FileNotFoundError):  # another process has just removed it
            handle = os.open(sign, os.O_RDWR)
            with contextlib.suppress(OSError):  # the file system has no locks
                fcntl.flock(handle, fcntl.LOCK_SH)
            if _is_at(handle, sign):
                return handle
            os.close(handle)


def _withdraw(sign: Path, handle: int) -> None:
    """Remove a sign, unless another process gives it, too: the last one removes it."""
    is_last = True
    if handle != _NO_LOCK:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_last = False
        except OSError:  # the file system has no locks
            pass
    if is_last:
        with contextlib.suppress(OSError):
            sign.unlink()
    if handle != _NO_LOCK:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    """Return whether what is open is still at its path."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def is_in_steps(target: Path) -> bool:
    """Return whether a process is between two steps of replacing a file or a folder."""
    try:
        is_folder = stat.S_ISDIR(target.stat().st_mode)
    except ValueError:  # a NUL character
        return False
    except OSError:
        is_folder = False
    return _is_held(_sign(target if is_folder else Path(os.path.realpath(target)), inside=is_folder))


def _sign(target: Path, *, inside: bool) -> Path:
    return target / f".folder{_SIGN}" if inside else target.with_name(f".{_shortened(target.name)}{_SIGN}")


def _is_held(sign: Path) -> bool:
    """Return whether the process that gave a sign lives; one that was killed has lost its lock."""
    try:
        handle = os.open(sign, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # another user's
        return _is_young(sign)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:  # the file system has no locks
        pass
    finally:
        os.close(handle)
    return _is_young(sign)


def _is_young(sign: Path) -> bool:
    with contextlib.suppress(OSError):
        return time.time() - sign.lstat().st_mtime < _SHORT
    return False


def is_empty(folder: Path) -> bool:
    """Return whether a folder holds nothing but what a killed process left, or a new file system comes with."""
    pattern = _leftovers(None)
    return all(pattern.fullmatch(path.name) or path.name == "lost+found" for path in folder.iterdir())


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        if not stat.S_ISDIR(path.lstat().st_mode):
            path.unlink()
            return
        for parent, folders, _ in os.walk(path):  # a folder that is read-only keeps what is in it
            for folder in (Path(parent, name) for name in folders):
                if not folder.is_symlink():
                    folder.chmod(0o700)
        shutil.rmtree(path, ignore_errors=True)


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes have left in a folder.

    Args:
        name: of the target whose leftovers are meant; None means those of all.
    """
    pattern = _leftovers(name)
    with contextlib.suppress(OSError):
        for path in [Path(entry.path) for entry in os.scandir(folder)]:
            if match := pattern.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    _remove_if_left(path, match["host"] == _host())


def _leftovers(name: str | None) -> re.Pattern[str]:
    pattern = ".+" if name is None else re.escape(_shortened(name))
    # Earlier versions gave names without a host.
    return re.compile(rf"\.{pattern}\.(?:(?P<host>[0-9a-f]{{6}})-)?[0-9a-z_]{{8}}({PART}|{OLD})", re.DOTALL)


def _remove_if_left(path: Path, of_this_host: bool) -> None:
    """Remove a file or folder of this user's that no process holds."""
    status = path.lstat()
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return
    if fcntl is None or not of_this_host:
        if _is_stale(path):
            remove(path)
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(path)
    except BlockingIOError:  # it is being written
        pass
    except OSError:  # the file system has no locks
        if _is_stale(path):
            remove(path)
    finally:
        os.close(handle)


def _is_stale(path: Path) -> bool:
    times = [path.lstat().st_mtime]
    for inside in path.rglob("*"):
        with contextlib.suppress(OSError):
            times.append(inside.lstat().st_mtime)
    return time.time() - max(times) > _STALE


def _lock(path: Path) -> int | None:
    """Lock a new file or folder; return the handle that holds the lock, or None if the file is gone."""
    if fcntl is None:
        return _NO_LOCK
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with contextlib.suppress(OSError):  # the file system has no locks
        fcntl.flock(handle, fcntl.LOCK_EX)
    if _is_at(handle, path):
        return handle
    os.close(handle)
    return None


def _shortened(name: str) -> str:
    encoded = os.fsencode(name)
    if len(encoded) <= _LONGEST:
        return name
    digest = hashlib.blake2b(encoded, digest_size=8).hexdigest()
    return f"{os.fsdecode(encoded[: _LONGEST - 17])}-{digest}"


@functools.cache
def _host() -> str:
    return hashlib.blake2b(platform.node().encode("utf-8", "surrogateescape"), digest_size=3).hexdigest()
