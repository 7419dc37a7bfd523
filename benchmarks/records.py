"""Results on disk: one JSON object per line, never rewritten.

A line of kind "series" describes the machine, the versions and the options of one comparison; lines of kind
"run" belong to the series that they name. An interrupted run has no line, and a later call continues the same series as
long as the source and the options are unchanged.
"""

import argparse
import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    """All rows of a results file; none without a file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def append(path: Path, row: Mapping[str, Any]) -> None:
    """Write one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Series:
    """All runs of one comparison in one state of the source, on one machine, with one set of options."""

    file: Path
    header: Row

    @property
    def runs(self) -> list[Row]:
        """The runs so far that succeeded, oldest first."""
        return [row for row in read(self.file) if row["kind"] == "run" and row["series"] == self.header["series"]]

    def add(self, row: Mapping[str, Any]) -> None:
        """Keep one run."""
        append(self.file, {"kind": "run", "series": self.header["series"], **row})


IDENTITY = ("comparison", "options", "contenders", "source", "machine", "versions")


def open_series(file: Path, header: Mapping[str, Any], *, any_source: bool = False) -> Series:
    """Go on with the last series that has this header, or begin one.

    Args:
        file: the results file of a suite.
        header: what identifies the series; see `IDENTITY`.
        any_source: whether a series of another state of firth's source may be gone on with.
    """
    same = [name for name in IDENTITY if not (any_source and name in {"source", "versions"})]
    expected = json.loads(json.dumps({name: header.get(name) for name in same}))
    for row in reversed(read(file)):
        if row["kind"] == "series" and {name: row.get(name) for name in same} == expected:
            return Series(file, row)
    began = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    count = sum(row["kind"] == "series" for row in read(file))
    row = {"kind": "series", "series": f"{header['comparison']}/{count + 1}", "began": began, **header}
    append(file, row)
    return Series(file, row)


def last_series(rows: Iterable[Row]) -> dict[str, tuple[Row, list[Row]]]:
    """Comparison -> (header, runs) of the newest series that holds any runs, in the order of first appearance."""
    rows = list(rows)
    runs: dict[str, list[Row]] = {}
    for row in rows:
        if row["kind"] == "run":
            runs.setdefault(row["series"], []).append(row)
    series: dict[str, tuple[Row, list[Row]]] = {}
    for row in rows:
        if row["kind"] == "series" and row["series"] in runs:
            series[row["comparison"]] = (row, runs[row["series"]])
    return series


def run_or_table(
    description: str | None, names: Collection[str], run: Callable[[str], None], page: Path, table: Callable[[], str]
) -> None:
    """Do what the command line asks for: `run`, of some names or of all, or `table`, which writes the page."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("names", nargs="*", choices=[*names, []])
    arguments = parser.parse_args()
    if arguments.what == "table":
        page.write_text(table(), encoding="utf-8")
        return
    for name in arguments.names or names:
        run(name)
