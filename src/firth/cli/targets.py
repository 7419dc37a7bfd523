"""Places to write to, looked at before hours of work go into what is to be written there."""

import tempfile
from pathlib import Path

from firth.errors import OptionError
from firth.files import followed, is_fixed
from firth.partial import is_empty
from firth.vectors.io import format_of
from firth.vectors.io.saved import is_ours


def check_folder_target(path: Path) -> None:
    """Make sure that a folder of vectors can be written to a path.

    Raises:
        OptionError: something else is there, which is never replaced.
        OSError: nothing can be written there.
    """
    if path.is_dir():
        if not is_ours(path) and not is_empty(path):
            raise OptionError(f"{path} is a folder of something else; expected a new name, or vectors that firth wrote")
    elif path.exists():
        raise OptionError(f"{path} is a file; vectors are saved as a folder: give a new name, or remove the file")
    check_writable(path)


def check_vectors_target(path: Path, takes_files: bool) -> None:
    """Make sure that vectors can be written to a path, in the format that its name asks for.

    Args:
        path: where to.
        takes_files: whether they can be written as anything but a folder of firth's.

    Raises:
        OptionError: something else is there, or the name asks for a format that has no place for them.
        OSError: nothing can be written there.
    """
    format = format_of(path)
    if format == "firth":
        check_folder_target(path)
    elif not takes_files:
        raise OptionError(f"{path}: {format} cannot hold what this model learns; expected the name of a folder")
    elif path.is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write as {format}")
    else:
        check_writable(path)


def check_writable(path: Path) -> None:
    """Make sure that something can be written beside a path, or into a folder that cannot be renamed, by writing.

    Raises:
        OSError: nothing can.
    """
    target = followed(path)
    beside = target if is_fixed(target) else target.parent
    while not beside.exists():
        beside = beside.parent
    with tempfile.TemporaryFile(dir=beside):
        pass
