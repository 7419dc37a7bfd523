"""Folders in the layouts of other programs: written whole, and replaced only where firth wrote all that is in them."""

import contextlib
from collections.abc import Collection, Iterator
from pathlib import Path

from firth.errors import OptionError
from firth.storage.files import replacing_folder
from firth.storage.integrity import files_of
from firth.storage.partial import is_empty


def check_folder(path: Path, own: Collection[str], layout: str) -> None:
    """Check that a folder can be written without destroying anything of the user's.

    Raises:
        OptionError: the path is a file, or a folder with other files.
    """
    if path.exists() and not path.is_dir():
        raise OptionError(f"{path} is a file; {layout} is a folder: give a new name, or delete the file first")
    if path.is_dir() and not is_empty(path) and (foreign := sorted({*files_of(path)} - {*own})):
        raise OptionError(
            f"{path} is a folder with other files ({', '.join(foreign[:3])}); expected a new name, or a folder that "
            f"firth wrote as {layout}"
        )


@contextlib.contextmanager
def replacing(path: Path, own: Collection[str], layout: str) -> Iterator[Path]:
    """Yield an empty folder that takes the place of `path` when it is filled; arguments as in `check_folder`."""
    check_folder(path, own, layout)
    with replacing_folder(path, lambda _: set(own), sums=False) as aside:
        yield aside
