"""The folder that holds what is built once, such as corpora: it is built aside and appears there whole, or not at all.

A folder that is being built ends in `.part` and is locked by its builder for as long as that lives. Of two processes
that build the same at once, both finish, and the one that comes second uses what the first made. What a killed
process left behind is not locked any more, and the next build clears it away.
"""

import contextlib
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from firth.errors import CorpusError
from firth.files import replacing_folder

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows: leftovers are told by their age alone
    fcntl = None

_PART = ".part"
_FRESH = 60.0  # seconds in which an empty folder may still be about to be locked
_OLD = 86400.0  # seconds after which a folder that cannot be locked counts as left behind
_ATTEMPTS = 20


@contextlib.contextmanager
def writing(
    folder: Path, what: str = "the corpus", room: str = "about as many bytes as the text has"
) -> Iterator[None]:
    """Turn what can go wrong while something is written into a `CorpusError`.

    Args:
        folder: where to.
        what: is written, for the message.
        room: it takes, for the message.
    """
    try:
        yield
    except OSError as error:
        raise CorpusError(
            f"{what} cannot be written to {folder} ({error.strerror or error}); expected a folder with room for "
            f"{room}; free some, or name another folder with cache= or FIRTH_CACHE"
        ) from error


def build_in(folder: Path, fill: Callable[[Path], Path], is_whole: Callable[[Path], bool]) -> Path:
    """Build something aside and put it in its place.

    Args:
        folder: the folder of what was built.
        fill: writes into an empty folder and returns where it is to stand.
        is_whole: whether what stands there already is the same, and whole.

    Returns:
        Where it stands.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
    aside = folder / f"{uuid.uuid4().hex}{_PART}"
    with contextlib.ExitStack() as locks:
        with writing(folder), replacing_folder(aside) as inner:
            locks.enter_context(_locked(inner))  # the lock stays with the folder when it is renamed
            target = fill(inner)
        with writing(folder):
            _adopt(aside, target, is_whole)
    return target


def _adopt(aside: Path, target: Path, is_whole: Callable[[Path], bool]) -> None:
    """Move a whole folder to where it belongs, unless another process has put an equal one there."""
    for attempt in range(_ATTEMPTS):
        if is_whole(target):
            shutil.rmtree(aside, ignore_errors=True)
            return
        with contextlib.suppress(OSError):
            if target.exists():  # damaged, or of another state of the text
                old = target.with_name(f"{uuid.uuid4().hex}{_PART}")
                target.rename(old)
                shutil.rmtree(old, ignore_errors=True)
            aside.rename(target)
            return
        time.sleep(0.01 * attempt)
    shutil.rmtree(aside, ignore_errors=True)
    raise OSError(f"{target} could not be replaced")


def remove_leftovers(folder: Path) -> None:
    """Remove what builds that were killed have left in a folder."""
    for path in folder.glob(f"*{_PART}"):
        if path.is_dir() and _is_dead(path):
            shutil.rmtree(path, ignore_errors=True)


def _is_dead(path: Path) -> bool:
    with contextlib.suppress(OSError):
        age = time.time() - path.stat().st_mtime
        if fcntl is None:
            return age > _OLD
        if age < _FRESH and not any(path.iterdir()):
            return False
        with contextlib.suppress(OSError), _locked(path, wait=False):
            return True
        return age > _OLD
    return False


@contextlib.contextmanager
def _locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Hold a lock on a folder; without waiting, raise OSError where another process has it."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        if wait:
            with contextlib.suppress(OSError):  # a file system without locks: leftovers are told by their age
                fcntl.flock(handle, fcntl.LOCK_EX)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
