"""The folder that holds what is built once, such as corpora: it is built aside and appears there whole, or not at all.

A folder that is being built is locked by its builder (`firth.storage.partial`). Of two processes that build the same at
once, both finish, and the one that comes second uses what the first made. What killed processes left behind, the next
build removes.
"""

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from firth.errors import CorpusError, FormatError
from firth.storage.files import finish_folder, sync_folder
from firth.storage.partial import OLD, partial_folder, remove, remove_leftovers

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


def holds(place: Path, open_it: Callable[[Path], object], *, tell: bool) -> bool:
    """Return whether something that was built lies somewhere, whole.

    Args:
        place: its folder.
        open_it: opens and verifies it; raises CorpusError where there is none, FormatError where it is damaged.
        tell: whether to warn that a damaged one will be built again.
    """
    try:
        open_it(place)
    except CorpusError:
        return False
    except FormatError as error:
        if tell:
            warnings.warn(f"{str(error).rpartition('; ')[0]}; it is built again", stacklevel=4)
        return False
    return True


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
    with writing(folder), partial_folder(folder / "corpus") as aside:
        target = fill(aside)
        finish_folder(aside)
        _adopt(aside, target, is_whole)
        sync_folder(folder)
    return target


def _adopt(aside: Path, target: Path, is_whole: Callable[[Path], bool]) -> None:
    """Move a whole folder to where it belongs, unless another process has put an equal one there."""
    for attempt in range(_ATTEMPTS):
        if is_whole(target):
            return
        with contextlib.suppress(OSError):
            if target.exists():  # damaged, or of another state of the text
                old = aside.with_suffix(OLD)
                target.rename(old)
                remove(old)
            aside.rename(target)
            return
        time.sleep(0.01 * attempt)
    raise OSError(f"{target} could not be replaced")
