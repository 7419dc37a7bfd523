"""Build folders atomically in a cache, such as corpora: a folder appears complete or not at all.

A folder under construction is locked by its builder (`firth.storage.partial`). If two processes build the same folder,
both finish, and the second uses the result of the first. The next build removes the leftovers of killed processes.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from firth.errors import CorpusError, FormatError, warn_caller
from firth.storage.files import finish_folder, sync_folder
from firth.storage.partial import partial_folder, remove_leftovers
from firth.storage.snapshots import snapshot
from firth.storage.swapping import swap

_ATTEMPTS = 20


@contextlib.contextmanager
def writing(
    folder: Path, what: str = "the corpus", room: str = "about as many bytes as the text has"
) -> Iterator[None]:
    """Turn write errors into a `CorpusError`.

    Args:
        what: what is written, for the message.
        room: the space it needs, for the message.
    """
    try:
        yield
    except OSError as error:
        raise CorpusError(
            f"{what} cannot be written to {folder} ({error.strerror or error}); expected a folder with room for "
            f"{room}; free some, or name another folder with cache= or FIRTH_CACHE"
        ) from error


def holds(folder: Path, open_it: Callable[[Path], object], *, tell: bool) -> bool:
    """Whether a folder holds a complete build.

    Args:
        open_it: opens and verifies it; raises CorpusError if there is none, FormatError if it is damaged.
        tell: whether to warn that a damaged folder is built again.
    """
    try:
        snapshot(folder, open_it)
    except CorpusError:
        return False
    except FormatError as error:
        if tell:
            warn_caller(f"{str(error).rpartition('; ')[0]}; it is built again")
        return False
    return True


def build_in(folder: Path, fill: Callable[[Path], Path], is_whole: Callable[[Path], bool]) -> Path:
    """Build a folder in a temporary place and move it to its destination.

    Args:
        fill: writes into an empty folder and returns the destination.
        is_whole: whether the destination already holds a complete and equal build.

    Returns:
        The destination.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder)
    with writing(folder), partial_folder(folder / "corpus") as aside:
        target = fill(aside)
        finish_folder(aside)
        _adopt(aside, target, is_whole)
        sync_folder(folder)
    return target


def _adopt(aside: Path, target: Path, is_whole: Callable[[Path], bool]) -> None:
    """Move a complete folder to its destination, unless another process has put an equal one there."""
    for attempt in range(_ATTEMPTS):
        if is_whole(target):
            return
        with contextlib.suppress(OSError):
            aside.rename(target)  # unless something is there
            return
        if is_whole(target):  # another process has come first, and may be reading
            return
        with contextlib.suppress(OSError):  # damaged, or built from a former state of the text
            swap(aside, target, None)
            return
        time.sleep(0.01 * attempt)
    raise OSError(f"{target} could not be replaced")
