"""Replace a folder by a new one, keeping the user's own files in it, modes and owners."""

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Collection
from pathlib import Path

from firth.storage.partial import OLD, in_steps


def swap(new: Path, target: Path, own: Collection[str] | None) -> None:
    """Put a folder in the place of another.

    Args:
        new: the folder; what has its name afterwards may be removed.
        own: its files that may go, relative to it; None means all of them.
    """
    if own is not None:
        _keep_others(target, new, own, _link)
    take_modes(new, target)
    if not _exchange(new, target):
        # Elsewhere than on Linux and macOS a folder cannot be renamed over one that is not empty: the old one steps
        # aside for the instant between two renames, and stays beside if the process dies in it.
        old = new.with_suffix(OLD)
        with in_steps(target):
            target.rename(old)
            try:
                new.rename(target)
            except OSError:
                old.rename(target)
                raise
        old.rename(new)
    if own is not None:
        _keep_others(new, target, own, os.rename)  # what came meanwhile, or could not be linked


def move_into(new: Path, target: Path, own: Collection[str] | None) -> None:
    """Replace the files of a folder one by one, where the folder itself cannot be renamed.

    Args:
        new: a folder inside `target`, which is empty afterwards.
        own: as in `swap`.
    """
    take_modes(new, target)
    names = _files(new)
    before = [name for name in _files(target) if Path(name).parts[0] != new.name]
    with in_steps(target, inside=True):
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).replace(target / name)
        for name in set(before if own is None else own).difference(names):
            if not (target / name).is_dir():
                (target / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # the folder has other files
                (target / name).parent.rmdir()


def take_modes(new: Path, old: Path) -> None:
    """Give files and folders the modes and the owners of those that they replace."""
    for path in (new, *new.rglob("*")):
        if os.path.lexists(before := old / path.relative_to(new)):
            take_mode(path, before)


def take_mode(new: Path, old: Path) -> None:
    """Give a file or folder the mode of the one that it replaces, and its owner where the system allows that."""
    here, there = new.lstat(), old.lstat()
    if stat.S_IFMT(here.st_mode) != stat.S_IFMT(there.st_mode) or new.is_symlink():
        return
    if hasattr(os, "chown") and (here.st_uid, here.st_gid) != (there.st_uid, there.st_gid):
        with contextlib.suppress(OSError):
            os.chown(new, there.st_uid, there.st_gid)
    if (mode := stat.S_IMODE(there.st_mode)) != stat.S_IMODE(here.st_mode):
        new.chmod(mode)


def _keep_others(old: Path, new: Path, own: Collection[str], bring: Callable[[Path, Path], object]) -> None:
    """Bring what is not firth's from an old folder into a new one that has nothing of the same name."""
    for name in _files(old):
        if name not in own and not os.path.lexists(new / name):
            with contextlib.suppress(FileExistsError):
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                bring(old / name, new / name)


def _link(source: Path, target: Path) -> None:
    """Make a second name for a file, or a copy where the file system has no second names; or nothing."""
    if source.is_dir() and not source.is_symlink():
        target.mkdir()
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):  # the second where a system cannot name a link itself
        try:
            shutil.copy2(source, target, follow_symlinks=False)
        except OSError:
            target.unlink(missing_ok=True)


def _files(folder: Path) -> list[str]:
    """Return the files of a folder, relative to it, and its empty folders; a symbolic link is a file."""
    paths = []
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        paths += [Path(parent, name) for name in (*files, *links)]
        if not folders and not files:
            paths.append(Path(parent))
    return [str(path.relative_to(folder)) for path in paths if path != folder]


def _exchange(first: Path, second: Path) -> bool:
    """Swap two names in one step, or return False where the system or the file system cannot."""
    if sys.platform not in ("linux", "darwin"):
        return False
    import ctypes

    library, here, exchange = ctypes.CDLL(None), -100, 2  # AT_FDCWD; RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
    if (rename := getattr(library, "renameat2", None)) is not None:  # glibc 2.28 of 2018, musl 1.2.4
        return bool(rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0)
    rename = getattr(library, "renamex_np", None)  # macOS 10.12 of 2016
    return rename is not None and rename(os.fsencode(first), os.fsencode(second), exchange) == 0
