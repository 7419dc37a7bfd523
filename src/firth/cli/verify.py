"""`firth info --verify`: checks the files of a folder against their checksums, without the cache of earlier checks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.cli.output import print_table
from firth.errors import FirthError, OptionError
from firth.storage import checksums
from firth.storage.checksums import FileState
from firth.storage.integrity import files_of, reading_anew
from firth.storage.snapshots import snapshot

WHOLE, FREE = "as written", "no checksum"


def verify_facts(path: Path) -> dict[str, Any]:
    """Check a folder and return the state of its files.

    Args:
        path: a folder that firth wrote, or one that contains such folders.

    Returns:
        "path", "whole" (nothing is damaged), "checksums" (whether there are any), "files" with "file", "bytes" and
        "state", and "error": what is wrong in one sentence, or None.
    """
    return snapshot(path, _facts)


def _facts(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise OptionError(f"{path} is not a folder; expected one that firth wrote: only those have checksums")
    folders = _folders(path)
    if not folders:
        raise OptionError(f"{path} is a folder of something else; expected one that firth wrote")
    states: dict[str, FileState] = {}
    error = None
    with reading_anew() as examined:
        for folder in folders:
            try:
                _open(folder)
            except (FirthError, OSError) as problem:
                error = error or str(problem)
        for folder, checked in examined.items():
            prefix = folder.relative_to(path)
            states |= {(prefix / state.path).as_posix(): state for state in checked}
    others = [name for name in files_of(path) if name not in states and Path(name).name != checksums.FILE]
    files = [{"file": name, "bytes": s.size, "state": s.problem or WHOLE} for name, s in sorted(states.items())]
    files += [{"file": name, "bytes": (path / name).stat().st_size, "state": FREE} for name in others]
    return {"path": str(path), "whole": error is None, "checksums": bool(states), "files": files, "error": error}


def print_states(facts: Mapping[str, Any]) -> None:
    """Print a line per file: its name, bytes and state."""
    rows = [
        (each["file"], "" if each["bytes"] is None else f"{each['bytes']:,}", each["state"]) for each in facts["files"]
    ]
    print_table([("file", "bytes", "state"), *rows], left=(0, 2))


def _folders(path: Path) -> list[Path]:
    """Return the folder itself if firth wrote it, else the folders inside that firth wrote."""
    if _is_ours(path):
        return [path]
    folders: list[Path] = []
    for inner in sorted(each for each in path.rglob("*") if each.is_dir()):
        if not any(outer in inner.parents for outer in folders) and _is_ours(inner):
            folders.append(inner)
    return folders


def _is_ours(folder: Path) -> bool:
    from firth.storage.model_folder import may_be_model_folder

    return may_be_model_folder(folder) or any(
        (folder / name).is_file() for name in ("corpus.json", "cooccurrence.json")
    )


def _open(folder: Path) -> None:
    # The reader of each kind also checks the contents; some readers import the compiler.
    if any((folder / name).is_file() for name in ("corpus.json", "ids.bin")):
        from firth.corpus.encoded import Corpus

        Corpus.open(folder)
    elif any((folder / name).is_file() for name in ("cooccurrence.json", "rows.bin")):
        from firth.counts.matrix import CooccurrenceMatrix

        CooccurrenceMatrix.open(folder)
    else:
        from firth.loading import load

        load(folder)
