"""What may lie in place of a file or folder: links in a circle, names that are too long, folders, pipes, devices.

A reader must refuse each with an error of firth's that names it, in bounded time and memory, or do without a file that
only helps.
"""

import contextlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

LONG = "n" * 300  # more than the 255 bytes that file systems take
LONG_NAME = "a name that is too long"
FORBIDDEN = "no permission"
NOBODY = 65534
Odd = Callable[[Path], object]


def _forbidden(path: Path) -> None:
    path.write_bytes(b"x")
    path.chmod(0)


FILES: Mapping[str, Odd] = {
    "link in a circle": lambda path: path.symlink_to(path.name),
    "pipe": os.mkfifo,
    "link to a long name": lambda path: path.symlink_to(LONG),
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "link to nothing": lambda path: path.symlink_to("nothing"),
    FORBIDDEN: _forbidden,
    "link below a file": lambda path: path.symlink_to(f"{__file__}/inside"),
}
FOLDERS: Mapping[str, Odd] = {
    **{name: FILES[name] for name in FILES if name not in ("folder", FORBIDDEN)},
    "file": lambda path: path.write_bytes(b"x"),
    FORBIDDEN: lambda path: path.mkdir(0),
}


def odd_cases(
    reader: str, seed: Mapping[str, bytes], *, every: bool
) -> Iterator[tuple[str, Mapping[str, bytes | Odd]]]:
    """Yield cases by name: in place of the whole seed, and of each file in a folder.

    Args:
        reader: what reads them.
        seed: files by their paths in the folder; a single file is called "".
        every: whether the seed and each of its files give way to everything; else the seed to half of what there is,
            and each file in a folder to one thing, so that over all readers everything has its turn.
    """
    yield LONG_NAME, seed
    turn = zlib.crc32(reader.encode())
    for place, (what, make) in enumerate((FILES if "" in seed else FOLDERS).items(), turn):
        if every or place % 2:
            yield f"{what}:", {"": make}
    for number, name in enumerate((name for name in seed if name), turn):
        for place, (what, make) in enumerate(FILES.items()):
            if every or (place - number) % len(FILES) == 0:
                yield f"{what}: {name.replace('/', ' ')}", {**seed, name: make}


def is_odd(case: str) -> bool:
    """Return whether a case is one of these."""
    return case == LONG_NAME or case.partition(":")[0] in (*FILES, *FOLDERS)


@contextlib.contextmanager
def as_nobody(case: str) -> Iterator[None]:
    """Read a file without permission as another user than root, who may read everything."""
    change = case.startswith(FORBIDDEN) and os.geteuid() == 0
    if change:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if change:
            os.seteuid(0)
