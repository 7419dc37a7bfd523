"""The folder of a comparison: what `firth compare` wrote, read back."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firth.comparison.results import Comparison
from firth.errors import FormatError
from firth.reading import parse_json

FORMAT, VERSION = "firth comparison", 1
RUN, METRICS = "run.json", "metrics.jsonl"


def read(path: str | os.PathLike[str]) -> Comparison:
    """Return what a folder of `firth compare` holds.

    Raises:
        FormatError: the folder holds something else.
    """
    folder = Path(path)
    return Comparison(list(read_rows(folder / METRICS)), read_run(folder))


def read_run(folder: Path) -> dict[str, Any]:
    """Return what a comparison is of: corpus, options, seed and environment.

    Raises:
        FormatError: the folder holds something else.
    """
    try:
        run = parse_json((folder / RUN).read_bytes())
        if (run["format"], run["version"]) != (FORMAT, VERSION):
            raise ValueError(f"{run['format']!r} version {run['version']}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{folder / RUN}: not a comparison ({error}); expected what firth compare wrote") from error
    return dict(run)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of metrics; one that a kill cut off is no line.

    Raises:
        FormatError: a line is no JSON object.
    """
    if not path.exists():
        return
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):
        if line.endswith(b"\n"):
            try:
                yield dict(parse_json(line))
            except (ValueError, TypeError):
                raise FormatError(f"{path} line {number}: no JSON object; expected what firth compare wrote") from None
