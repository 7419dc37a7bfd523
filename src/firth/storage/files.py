"""Atomic writes: a reader sees the old content or the new, never a part; and the cache folder."""

import codecs
import contextlib
import difflib
import errno
import io
import itertools
import json
import mmap
import os
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FileError, FormatError, MissingFileError, OptionError, brief
from firth.storage import checksums
from firth.storage.encodings import BLOCK, Utf8Stream, decoded_text
from firth.storage.partial import partial_file, partial_folder, remove_leftovers
from firth.storage.snapshots import snapshot
from firth.storage.swapping import move_into, swap, take_mode
from firth.storage.untrusted import DAMAGE, file_bytes, gunzipped, opened
from firth.storage.user_files import naming, open_file

HEAD = 1 << 16  # bytes in which a file says what it is
SYNCED = "rb" if os.name == "posix" else "r+b"  # how a file is opened to be synced: Windows syncs no other
ARPA = (".arpa", ".lm")  # name endings of ARPA files of n-gram models, before .gz


_instead: ContextVar[Path | None] = ContextVar("firth.cache_folder", default=None)


@contextlib.contextmanager
def caching_in(folder: Path) -> Iterator[None]:
    """Keep what can be made again in another folder, for the calls of one thread inside the context."""
    token = _instead.set(folder)
    try:
        yield
    finally:
        _instead.reset(token)


def cache_folder(name: str) -> Path:
    """Return where something is kept that can be made again: below FIRTH_CACHE, else the user's cache folder."""
    if (folder := _instead.get()) is not None:
        return folder / name
    if folder_name := os.environ.get("FIRTH_CACHE"):
        return Path(folder_name).expanduser() / name
    import platformdirs

    return Path(platformdirs.user_cache_dir("firth")) / name


def unpacked(path: Path) -> bytes:
    """Return the content of a small file, plain or packed with gzip (`.gz`)."""
    return gunzipped(path) if path.suffix == ".gz" else file_bytes(path)


def others_can_write(folder: Path) -> bool:
    """Return whether another user than this one and root can put files into a folder, or into the one to be made there.

    A group that has this user's name is taken for the user's own, as many systems give each user one.

    Args:
        folder: the folder; where it is missing this process makes it, and it is its own.
    """
    if not hasattr(os, "geteuid") or not folder.exists():
        return False
    status = folder.stat()
    shared = status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid))
    return bool(shared) or status.st_uid not in (os.geteuid(), 0)


def _is_own_group(number: int) -> bool:
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return number == user.pw_gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def text_of(path: str | os.PathLike[str], *, strict: bool = True, encoding: str | None = None) -> str:
    """Return the text of a small file.

    Args:
        path: the file, in any encoding that `firth.storage.encodings` knows, plain or packed with gzip (`.gz`).
        strict: whether to refuse UTF-8 that is damaged, in place of replacing and counting.
        encoding: of the file, where it is firth's own; None for what the user names, or what is found.
    """
    return decoded_text(unpacked(Path(path)), path, strict=strict, encoding=encoding)


def lines_of(path: str | os.PathLike[str], *, ends: bool = False, longest: int = -1) -> Iterator[str]:
    """Yield the lines of a file as they are read.

    Args:
        path: in any encoding that `firth.storage.encodings` knows, plain or packed by gzip, bzip2 or xz.
        ends: whether lines keep their ends.
        longest: bytes of UTF-8 after which a line is yielded in parts; -1 for whole lines.

    Raises:
        FormatError: the encoding cannot be found, or the text is damaged, or packed data are.
    """
    try:
        with opened(Path(path)) as file, io.BufferedReader(Utf8Stream(file, path, strict=True), BLOCK) as lines:
            decode = codecs.getincrementaldecoder("utf-8")().decode  # a part may end within a character
            while line := lines.readline(longest):
                yield decode(line if ends else line.removesuffix(b"\n"))
    except DAMAGE as error:
        raise FormatError(f"{path}: damaged packed data ({error}); fetch it or pack it again") from error


def as_utf8(text: str, what: str) -> bytes:
    """Return text as UTF-8.

    Raises:
        FormatError: it holds a lone surrogate, which UTF-8 has no bytes for.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise FormatError(
            f"{what} holds a lone surrogate, {text[error.start]!r}, which no UTF-8 file can hold; "
            "text.encode(errors='replace').decode() puts question marks in place of them"
        ) from None


def json_bytes(value: Any, **options: Any) -> bytes:
    """Return JSON as UTF-8.

    Lone surrogates, as names of files and broken texts hold them that are no UTF-8, are written as escapes.

    Args:
        options: further arguments of `json.dumps`.
    """
    try:
        return json.dumps(value, ensure_ascii=False, **options).encode()
    except UnicodeEncodeError:
        return json.dumps(value, **options).encode()


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return a path that a file or folder can have, whether it is there or not.

    Raises:
        OptionError: it is empty, too long, or holds a NUL character.
    """
    try:
        possible = os.fspath(path) != ""
        os.lstat(path)
    except ValueError:
        possible = False
    except OSError as error:
        possible = possible and error.errno != errno.ENAMETOOLONG
    if not possible:
        raise OptionError(
            f"{brief(os.fspath(path))}: no file can have this name; expected a path, with names of at most 255 bytes"
        )
    return Path(path)


def is_arpa(path: str | os.PathLike[str]) -> bool:
    """Whether a file name is that of an ARPA file."""
    return str(path).lower().removesuffix(".gz").endswith(ARPA)


def check_exists(path: Path, expected: str) -> None:
    """Check that something is at a path that is to be read.

    Args:
        expected: what should be there, as the end of "expected ...".

    Raises:
        MissingFileError: nothing is; the message suggests similar names.
    """
    with contextlib.suppress(OSError):
        path.stat()
        return
    try:
        snapshot(path, Path.stat)  # which waits where it is just being replaced
    except (FileNotFoundError, NotADirectoryError):
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = [file.name for file in itertools.islice(path.parent.iterdir(), 10_000)]
        near = difflib.get_close_matches(path.name, names)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        problem = f"{os.strerror(errno.ENOENT)}; expected {expected}{hint}"
        raise MissingFileError(errno.ENOENT, problem, str(path)) from None
    except OSError as error:
        raise FileError.of(error, path) from None


def first_bytes(path: Path) -> bytes:
    """Return the first `HEAD` bytes of a file, in which it says what it is."""
    with open_file(path) as file:
        return file.read(HEAD)


@names_files
def check_replaceable(path: str | os.PathLike[str], is_ours: Callable[[Path], bool], what: str) -> None:
    """Make sure that writing a file destroys nothing of the user's.

    Args:
        path: the file that will be replaced or created.
        is_ours: whether a file that is there, and not empty, is of the kind that is written.
        what: that kind is, for the message.

    Raises:
        OptionError: a file of something else is there.
        OSError: it cannot be read.
    """
    target = Path(path)
    if not target.is_file() or _is_stream(target) or target.stat().st_size == 0 or is_ours(target):
        return
    with open_file(target) as file:
        start = file.read(40)
    raise OptionError(
        f"{target} is there and holds something else, which begins with {brief(start)[1:]}; only {what} are replaced: "
        "give another name, or delete the file first"
    )


@contextlib.contextmanager
@names_files
def replacing_file(path: str | os.PathLike[str], former: str | os.PathLike[str] | None = None) -> Iterator[BinaryIO]:
    """Open a file to be written whole: aside, synced to disk, then renamed over `path`.

    An error, a full disk or a killed process leaves the old file as it was. The new one gets its mode and, where the
    system allows it, its owner; a symbolic link stays, and what it leads to is replaced. A device or a pipe
    (`/dev/null`, `/dev/stdout`) is written into as it stands: putting a file in its place would take it from everybody.

    Args:
        path: the file to replace or create; its folder is made where it is missing.
        former: where the old file is kept, as well as that can be done; None if it goes.

    Yields:
        A binary file open for writing.

    Raises:
        FileError: the file cannot be written; the error names it.
    """
    if _is_stream(Path(path)):
        with naming(path), Path(path).open("wb") as file:
            yield file
        return
    target = resolved(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(target.parent, target.name)
    with partial_file(target) as aside:
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            take_mode(aside, target)
            if former is not None:
                _keep(target, Path(former))
        try:
            aside.replace(target)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            shutil.copyfile(aside, target)  # a file that is mounted itself, as in containers, cannot be renamed over
    sync_folder(target.parent)


def _keep(file: Path, former: Path) -> None:
    """Give a file a second name, or copy it; the file itself is there at any moment."""
    with contextlib.suppress(OSError):
        former.unlink(missing_ok=True)
        try:
            os.link(file, former)
        except OSError:  # on another file system, or one without links
            shutil.copyfile(file, former)


@contextlib.contextmanager
@names_files
def replacing_folder(
    path: str | os.PathLike[str], own: Callable[[Path], Collection[str]] | None = None, *, sums: bool = True
) -> Iterator[Path]:
    """Fill a folder aside, add the checksums of its files, and swap it for `path` when it is whole.

    Its readers call `firth.storage.integrity.verify`.

    Modes, owners and symbolic links stay as in `replacing_file`. Where the folder cannot be renamed, because it is
    mounted or the folder around it is read-only, its files are replaced one by one.

    Args:
        path: the folder to replace or create.
        own: returns which files of the old folder may go, relative to it; all others stay. None means that all may go.
        sums: whether to add checksums; folders in the layouts of other programs have none.

    Yields:
        An empty folder, to be filled.

    Raises:
        FileError: the folder cannot be written; the error names it.
    """
    target = resolved(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    fixed = is_read_only(target)
    inside = target / target.name if fixed else target
    remove_leftovers(inside.parent, inside.name)
    with partial_folder(inside) as aside:
        mode = aside.stat().st_mode
        aside.chmod(0o700)
        yield aside
        finish_folder(aside, sums=sums)
        aside.chmod(stat.S_IMODE(mode))
        if not target.exists():
            aside.rename(target)
        else:
            move = move_into if fixed else swap
            move(aside, target, None if own is None else own(target))
    sync_folder(target.parent)


def is_read_only(folder: Path) -> bool:
    """Return whether a folder is there and cannot be renamed: it is mounted, or the folder around it is read-only."""
    return folder.is_dir() and (os.path.ismount(folder) or not os.access(folder.parent, os.W_OK | os.X_OK))


def resolved(path: str | os.PathLike[str]) -> Path:
    """Return what a path leads to past symbolic links, whether anything is there or not.

    Raises:
        OSError: the links lead in a circle.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def _is_stream(path: Path) -> bool:
    """Return whether a path is a device, a pipe, or a name of a file that the process has open (`/dev/stdout`)."""
    if not path.exists() or path.is_dir():
        return False
    return not path.is_file() or path.absolute().parent in (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))


def finish_folder(folder: Path, *, sums: bool = True) -> None:
    """Add the checksums of the files in a folder, if asked to, and make everything durable."""
    if sums:
        checksums.write(folder)
    for file in folder.rglob("*"):
        if file.is_file():
            _sync(file)
    sync_folder(folder)


def _sync(path: Path) -> None:
    with path.open(SYNCED) as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable, where the system allows it (Windows does not)."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


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
