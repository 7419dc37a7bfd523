"""Inputs that failed once, by reader: they run by default, so that they do not fail again."""

from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.mutations import Files
from tests.fuzz.server import read_files

FOLDER = Path(__file__).parent / "cases"


def cases_of(reader: str, seed: Mapping[str, bytes]) -> dict[str, Files]:
    """Return the named cases of a reader."""
    kept = sorted((FOLDER / reader).glob("*")) if (FOLDER / reader).is_dir() else []
    return {path.name: read_files(path) for path in kept}
