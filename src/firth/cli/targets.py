"""Places to write to, looked at before hours of work go into what is to be written there."""

import tempfile
from pathlib import Path

from firth.errors import OptionError
from firth.vectors.io.saved import is_ours


def check_folder_target(path: Path) -> None:
    """Make sure that a folder of vectors can be written to a path.

    Raises:
        OptionError: something else is there, which is never replaced.
        OSError: nothing can be written there.
    """
    if path.is_dir():
        if any(path.iterdir()) and not is_ours(path):
            raise OptionError(f"{path} is a folder of something else; expected a new name, or vectors that firth wrote")
    elif path.exists() or path.is_symlink():
        raise OptionError(f"{path} is a file; vectors are saved as a folder: give a new name, or remove the file")
    check_writable(path)


def check_writable(path: Path) -> None:
    """Make sure that something can be written beside a path, by writing.

    Raises:
        OSError: nothing can.
    """
    beside = path.absolute().parent
    while not beside.exists():
        beside = beside.parent
    with tempfile.TemporaryFile(dir=beside):
        pass
