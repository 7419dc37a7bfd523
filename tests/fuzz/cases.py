"""Inputs that failed once; they run by default.

What failed in many readers at once is made here of every reader's seed, file by file. What failed in one is a file or a
folder `cases/READER/NAME`, as `python -m tests.fuzz READER --only N --keep cases/READER` leaves it.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from firth.storage import checksums
from tests.fuzz.mutations import DEEP, Files
from tests.fuzz.odd_files import odd_cases
from tests.fuzz.server import RESEALED, read_files

FOLDER = Path(__file__).parent / "cases"
NUMBER = re.compile(rb": -?[0-9.]+")  # in JSON

EVERYWHERE: Mapping[str, Callable[[bytes], bytes]] = {
    "nested": lambda content: b"[" * DEEP + content,  # RecursionError
    "infinite": lambda content: NUMBER.sub(b": 1e400", content, count=1),  # OverflowError
    "endless": lambda content: NUMBER.sub(b": " + b"9" * 400, content, count=1),
    "huge": lambda content: NUMBER.sub(b": " + b"9" * 40, content, count=1),
    "bad byte": lambda content: content[: len(content) // 2] + b"\xff" + content[len(content) // 2 + 1 :],
    "ones": lambda content: content[: len(content) // 2] + b"\xff" * (len(content) - len(content) // 2),
}


def cases_of(reader: str, seed: Mapping[str, bytes], *, every: bool = False) -> dict[str, Files]:
    """Return the named cases of a reader; see `odd_cases` for `every`."""
    cases: dict[str, Files] = {path.name: read_files(path) for path in sorted((FOLDER / reader).glob("*"))}
    for name, content in seed.items():
        for what, change in EVERYWHERE.items():
            changed = change(content)
            if changed != content and Path(name).name not in ("README.md", checksums.FILE):
                cases[f"{what} {name.replace('/', ' ')}".strip() + RESEALED] = {**seed, name: changed}
    cases.update((case, dict(files)) for case, files in odd_cases(reader, seed, every=every))
    return cases
