"""Inputs that failed once; they run by default.

What failed in many readers at once is made here of every reader's seed, file by file. What failed in one is a file or a
folder `cases/READER/NAME`, as `python -m tests.fuzz READER --only N --keep cases/READER` leaves it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from firth.storage import checksums
from tests.fuzz.mutations import DEEP, Files
from tests.fuzz.server import RESEALED, read_files

FOLDER = Path(__file__).parent / "cases"

EVERYWHERE: Mapping[str, Callable[[bytes], bytes]] = {
    "nested": lambda content: b"[" * DEEP + content,  # RecursionError
    "infinite": lambda content: content.replace(b": 1", b": 1e400", 1),  # OverflowError
    "endless": lambda content: content.replace(b": 1", b": " + b"9" * 400, 1),
    "bad byte": lambda content: content[: len(content) // 2] + b"\xff" + content[len(content) // 2 + 1 :],
    "ones": lambda content: content[: len(content) // 2] + b"\xff" * (len(content) - len(content) // 2),
}


def cases_of(reader: str, seed: Mapping[str, bytes]) -> dict[str, Files]:
    """Return the named cases of a reader."""
    cases = {path.name: read_files(path) for path in sorted((FOLDER / reader).glob("*"))}
    for name, content in seed.items():
        for what, change in EVERYWHERE.items():
            changed = change(content)
            if changed != content and Path(name).name not in ("README.md", checksums.FILE):
                cases[f"{what} {name.replace('/', ' ')}".strip() + RESEALED] = {**seed, name: changed}
    return cases
