"""Writing files so that a reader sees the old content or the new, never half of it; and where caches lie."""

import contextlib
import gzip
import mmap
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError


def cache_folder(name: str) -> Path:
    """Return where something is kept that can be made again: below FIRTH_CACHE, else the user's cache folder.

    Args:
        name: of the folder inside.
    """
    if chosen := os.environ.get("FIRTH_CACHE"):
        return Path(chosen).expanduser() / name
    import platformdirs

    return Path(platformdirs.user_cache_dir("firth")) / name


def unpacked(path: Path) -> bytes:
    """Return the content of a small file, plain or packed with gzip (`.gz`).

    Args:
        path: the file.

    Raises:
        FormatError: it is named .gz and is not gzip's, or is cut short.
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"{path}: damaged gzip data ({error}); fetch it or pack it again") from error


def text_of(path: str | os.PathLike[str], *, damaged: str = "strict") -> str:
    """Return the text of a small file.

    Args:
        path: the file, UTF-8 with a byte order mark or without, plain or packed with gzip (`.gz`).
        damaged: what becomes of bytes that are no UTF-8: "strict" refuses them, any other word is Python's `errors`.

    Raises:
        FormatError: the file is not UTF-8 text, or not gzip's though it is named so.
        OSError: the file cannot be read.
    """
    return decoded(unpacked(Path(path)), path, damaged=damaged)


def decoded(content: bytes, path: str | os.PathLike[str], *, damaged: str = "strict") -> str:
    """Return text that has been read.

    Args:
        content: UTF-8, with a byte order mark or without.
        path: where it is from, for the message.
        damaged: as in `text_of`.

    Raises:
        FormatError: it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig", errors=damaged)
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path} line {number}: not UTF-8 text at byte {error.start:,}; save it as UTF-8") from None


@contextlib.contextmanager
def replacing_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to be written whole: aside, synced to disk, then renamed over `path`.

    An error, a full disk or a killed process leaves the old file as it was. A device or a pipe (`/dev/null`,
    `/dev/stdout`) is written into as it stands: putting a file in its place would take it from everybody.

    Args:
        path: the file to replace or create; its folder is made where it is missing.

    Yields:
        A binary file open for writing.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(path)
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as file:
            yield file
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, aside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _take_usual_mode(aside)
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


@contextlib.contextmanager
def replacing_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Fill a folder aside and swap it for `path` when it is whole.

    Args:
        path: the folder to replace or create.

    Yields:
        An empty folder beside `path`, to be filled.

    Raises:
        OSError: the folder cannot be written.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        yield aside
        for file in aside.rglob("*"):
            if file.is_file():
                _sync(file)
        sync_folder(aside)
        aside.chmod(0o777 & ~_umask())
        _swap(aside, target)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    sync_folder(target.parent)


def _swap(aside: Path, target: Path) -> None:
    if not target.exists():
        aside.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    try:
        if _exchange(aside, target):
            aside.rename(old / target.name)  # what was the target
            return
        # Elsewhere than on Linux a folder cannot be renamed over one that is not empty: the old one steps aside for the
        # instant between two renames, and stays beside if the process dies in it.
        target.rename(old / target.name)
        try:
            aside.rename(target)
        except OSError:
            (old / target.name).rename(target)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step, or return False where the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None)  # glibc 2.28 of 2018, musl 1.2.4
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, where the system allows it (Windows does not)."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _take_usual_mode(path: str) -> None:
    # mkstemp makes private files; a saved model should be as readable as any other file of its owner.
    Path(path).chmod(0o666 & ~_umask())


def release_pages(array: npt.NDArray[Any]) -> None:
    """Let the system take back the memory of a memory-mapped array's pages; the next read fetches them from the file.

    A process that reads a large file through a map is otherwise charged for all of it. Arrays that are not mapped, and
    systems without `madvise`, are left alone.

    Args:
        array: an array over a read-only memory map.
    """
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        owner.madvise(mmap.MADV_DONTNEED)
