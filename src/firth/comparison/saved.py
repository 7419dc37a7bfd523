"""The folder of a comparison: what `firth compare` wrote, read back."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.comparison.results import Comparison
from firth.errors import FormatError
from firth.storage.checksums import unstamped
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import file_bytes, parse_json

FORMAT, VERSION = "firth comparison", 1
RUN, METRICS = "run.json", "metrics.jsonl"
MEASURED = ("seconds", "counting_seconds", "words_per_second", "peak_bytes", "file_bytes")
MOST = 10**18  # largest number accepted


@names_files
def read_comparison(path: str | os.PathLike[str]) -> Comparison:
    """Return the comparison in a folder of `firth compare`.

    Raises:
        FormatError: the folder holds something else.
    """
    return snapshot(Path(path), _read)


def _read(folder: Path) -> Comparison:
    rows, run = list(read_rows(folder / METRICS)), read_run(folder)
    if not all(type(run.get(name)) is int and 0 < run[name] < MOST for name in ("tokens", "threads")):
        raise FormatError(f"{folder / RUN}: no numbers of tokens and threads; expected what firth compare wrote")
    for number, row in enumerate(rows, 1):
        if wrong := _problem_in(row):
            raise FormatError(f"{folder / METRICS} line {number}: {wrong}; expected what firth compare wrote")
    return Comparison(rows, run)


def _problem_in(row: Mapping[str, Any]) -> str:
    """Return the problem of a row of metrics, or ""."""
    if not isinstance(row.get("model"), str):
        return f"model {row.get('model')!r}, no name"
    for name in MEASURED:
        if not (_is_number(row.get(name)) or (row.get(name, "") is None and name == "peak_bytes")):
            return f"{name} {row.get(name)!r}, no number"
    figures = row.get("figures")
    if not isinstance(figures, list) or not all(isinstance(figure, dict) for figure in figures):
        return "figures that are not a list of objects"
    for figure in figures:
        if not all(isinstance(figure.get(name), str) for name in ("set", "metric")):
            return "a figure without the name of its set or metric"
        shares = ("value", "low", "high") if figure.get("value", "") is not None else ()
        if not all(_is_number(figure.get(name)) for name in shares):
            return f"a figure of {figure['set']} that is not a number"
        covered, total = figure.get("covered"), figure.get("total")
        if type(covered) is not int or type(total) is not int or not 0 <= covered <= total or not total:
            return f"a figure of {figure['set']} of {covered!r} of {total!r} items"
    return ""


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and -MOST < value < MOST  # type: ignore[operator]  # the type was asked


def read_run(folder: Path) -> dict[str, Any]:
    """Return the conditions of a comparison: corpus, options, seed and environment.

    Raises:
        FormatError: the folder holds something else.
    """
    try:
        run = unstamped(parse_json(file_bytes(folder / RUN)))
        if (run["format"], run["version"]) != (FORMAT, VERSION):
            raise ValueError(f"{run['format']!r} version {run['version']}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{folder / RUN}: not a comparison ({error}); expected what firth compare wrote") from error
    return dict(run)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of metrics; a last line that was cut off by a kill is skipped.

    Raises:
        FormatError: a line is not a JSON object.
    """
    if not os.path.lexists(path):  # a link in a circle is there
        return
    for number, line in enumerate(file_bytes(path).splitlines(keepends=True), 1):
        if line.endswith(b"\n"):
            try:
                yield unstamped(parse_json(line))
            except (ValueError, TypeError, AttributeError) as error:
                raise FormatError(
                    f"{path} line {number}: damaged, or not a JSON object ({error}); expected a line of firth compare; "
                    "remove the line to have its model measured again"
                ) from None
