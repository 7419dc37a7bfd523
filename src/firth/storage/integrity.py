"""Folders are verified before anything in them is trusted: all bytes the first time, the times of change afterwards.

Every reader of a folder calls `verify`. The first call for a folder reads all files that `firth.storage.checksums`
covers and runs the reader's own check of the contents, if it has one: ids in range, offsets that ascend. That it went
well is remembered below the cache folder, for as long as path, device, inode, size and times of change of all files
stay; then opening costs a few calls of `stat`. Of a folder without checksums the contents are checked alone.

Inside `fresh_reads` everything is read again whatever is remembered: `firth info --verify`.

What was changed less than two seconds ago is verified and not remembered: a further change within the resolution of the
file system's clock could not be seen.
"""

import contextlib
import contextvars
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from firth.errors import FormatError
from firth.storage import checksums
from firth.storage.checksums import FileState
from firth.storage.files import cache_folder

CURE = "fetch the folder again, or train again"
MTIME_RESOLUTION = 2.0  # seconds; the coarsest file systems tell times of change apart by as much
MOST_KEPT = 64  # notes in each of 256 folders of the cache
RULES = 1  # raise it when a check of contents becomes stricter: what was remembered before is forgotten

_examined: contextvars.ContextVar[dict[Path, list[FileState]] | None] = contextvars.ContextVar("examined", default=None)
_remembered: dict[str, str] = {}  # where the cache folder cannot be written, for the life of the process


def verify(folder: Path, cure: str = CURE, check: Callable[[Path], object] | None = None) -> frozenset[str] | None:
    """Refuse a folder that does not hold what was written, unless it was verified before and has not changed since.

    Args:
        check: a function of a module that takes the folder and raises FormatError where contents are out of their
            range; called once the checksums match, and remembered like them.

    Returns:
        The paths of the files whose checksums match, relative to the folder; None for a folder without checksums.
    """
    covered = checksums.covered(folder, cure)
    if covered is None and check is None:
        return None
    key = _place(folder, check)
    state, newest = _state(folder, covered)
    anew = _examined.get()
    if anew is not None or _recall(key) != state:
        try:
            refuse(folder, _examine(folder, covered, anew), cure)
            if check is not None:
                check(folder)
        except FormatError:
            _forget(key)
            raise
        if newest < time.time() - MTIME_RESOLUTION:
            _remember(key, state)
    return None if covered is None else frozenset(covered)


@contextlib.contextmanager
def fresh_reads() -> Iterator[dict[Path, list[FileState]]]:
    """Let `verify` read everything again inside the context, and examine all files of a folder where one is damaged.

    Yields:
        By folder, the state of each file that its checksums cover, as far as folders have been verified.
    """
    examined: dict[Path, list[FileState]] = {}
    token = _examined.set(examined)
    try:
        yield examined
    finally:
        _examined.reset(token)


def _examine(
    folder: Path, covered: Mapping[str, checksums.Entry] | None, anew: dict[Path, list[FileState]] | None
) -> Iterable[FileState]:
    if covered is None:
        return ()
    states = checksums.examine(folder, covered)
    if anew is None:
        return states
    if not any(_is_part(folder, outer, seen) for outer, seen in anew.items()):  # a part was examined with its whole
        anew[folder] = list(states)
    return anew.get(folder, ())


def _is_part(folder: Path, outer: Path, seen: Iterable[FileState]) -> bool:
    """Whether the checksums of a folder cover one inside it: those of runs, for one, are on their own."""
    if outer not in folder.parents:
        return False
    return any(state.path == (folder.relative_to(outer) / checksums.FILE).as_posix() for state in seen)


def refuse(folder: Path, states: Iterable[FileState], cure: str) -> None:
    """Raise an error for the first file that is not as it was written.

    Raises:
        FormatError: there is one.
    """
    for state in states:
        if state.problem:
            path, part = folder / state.path, ""
            if path.name == checksums.FILE:  # which stands for all of a part
                there = "another model than was saved here, or damaged" if path.parent.is_dir() else "missing"
                part = f"{path.parent} is {there}; "
            raise FormatError(f"{path}: {state.problem}; {part}{cure}")


def files_of(folder: Path) -> list[str]:
    """Return the paths of all regular files in a folder, relative to it."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _state(folder: Path, covered: Mapping[str, checksums.Entry] | None) -> tuple[str, float]:
    """Return a digest that changes when a file does, and when the last change was, in seconds since 1970."""
    digest, newest = hashlib.blake2b(digest_size=16), 0.0
    for name in files_of(folder) if covered is None else (checksums.FILE, *covered):
        try:
            status = (folder / name).stat()
        except (FileNotFoundError, NotADirectoryError):
            return "", newest  # never equal to what is remembered; the examination names the file
        facts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        digest.update(repr((name, *facts)).encode("utf-8", "surrogatepass"))
        # Only the system sets ctime, but on Windows, where it is the time of creation.
        newest = max(newest, status.st_mtime if os.name == "nt" else status.st_ctime)
    return digest.hexdigest(), newest


def _place(folder: Path, check: Callable[[Path], object] | None) -> str:
    from firth import __version__

    name = "" if check is None else f"{check.__module__}.{check.__qualname__}"
    key = repr((str(folder.absolute()), name, __version__, RULES))
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _note(key: str) -> Path:
    return cache_folder("verified") / key[:2] / key[2:]


def _recall(key: str) -> str | None:
    with contextlib.suppress(OSError, ValueError):
        return _note(key).read_text("ascii")
    return _remembered.get(key)


def _remember(key: str, state: str) -> None:
    _remembered[key] = state
    note = _note(key)
    with contextlib.suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(state, "ascii")  # one that a kill cuts short equals no state
        notes = sorted(note.parent.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in notes[:-MOST_KEPT]:
            old.unlink()


def _forget(key: str) -> None:
    _remembered.pop(key, None)
    with contextlib.suppress(OSError):
        _note(key).unlink()
