"""`python -m tests.fuzz READER [--hours N | --inputs N] [--seed N]`: feed damaged files to readers.

READER is a name of the table, several, "own" for firth's own binary formats, or "all"; "list" names them. Inputs are
made of the seed and their numbers: `--only 123` runs one again, with its traceback, and `--keep DIR` leaves its files.
The exit status is 1 where anything failed.
"""

import argparse
import importlib.util
import itertools
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # a worker is forked, and threads are not


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="+", metavar="READER")
    parser.add_argument("--hours", type=float, help="time for all readers together")
    parser.add_argument("--inputs", type=int, help="inputs a reader; by default 1,000")
    parser.add_argument("--seconds", type=float, help="inputs a reader: as many as should go into this time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", help="run one input, or case, in the foreground")
    parser.add_argument("--keep", type=Path, help="folder for the files of the input that runs, or of those that fail")
    parser.add_argument("--cases", action="store_true", help="run the kept cases as well")
    parser.add_argument("--memory", type=int, default=1 << 30, help="bytes that an input may take")
    parser.add_argument("--json", type=Path, help="file for every failure and the counts")
    return parser.parse_args()


def main() -> int:
    """Run."""
    asked = arguments()
    scratch = Path(tempfile.mkdtemp(prefix="fuzz."))
    os.environ["FIRTH_CACHE"] = str(scratch / "cache")
    os.environ.pop("FIRTH_DATA", None)
    try:
        return run(asked, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run(asked: argparse.Namespace, scratch: Path) -> int:
    """Run every reader that was asked for."""
    from tests.fuzz.readers import READERS

    if asked.readers == ["list"]:
        print("\n".join(f"{name}{'  (own)' if reader.own else ''}" for name, reader in READERS.items()))
        return 0
    names = chosen(asked.readers, {name: reader.own for name, reader in READERS.items()})
    if asked.only is not None:
        return show(asked, READERS[names[0]], scratch)
    total, failures = Counter[str](), list[Any]()
    began = time.monotonic()
    for place, name in enumerate(names):
        reader = READERS[name]
        if reader.needs and importlib.util.find_spec(reader.needs) is None:
            print(f"{name:28} left out: {reader.needs} is not installed")
            continue
        until = float("inf")
        if asked.hours is not None:
            left = began + 3600 * asked.hours - time.monotonic()
            until = time.monotonic() + max(left, 1) / (len(names) - place)
        start, found = time.monotonic(), fed(asked, reader, scratch, until)
        counts = Counter(outcome.kind for outcome in found)
        failures += [outcome for outcome in found if outcome.failed]
        total += counts
        print(line(name, counts, time.monotonic() - start), flush=True)
        print_failures([outcome for outcome in found if outcome.failed])
    print(line("all", total, time.monotonic() - began))
    if asked.json:
        report = {"counts": total, "failures": [vars(outcome) for outcome in failures]}
        asked.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return int(bool(failures))


def fed(asked: argparse.Namespace, reader: Any, scratch: Path, until: float) -> list[Any]:
    """What comes of the inputs of one reader; those that fail are kept where that is asked for."""
    from tests.fuzz.cases import cases_of
    from tests.fuzz.server import Server

    server = Server(reader, scratch, seed=asked.seed, memory=asked.memory)
    if asked.cases:
        server.cases = cases_of(reader.name, server.files)
    count = asked.inputs if asked.inputs is not None else 1000
    if asked.seconds is not None:
        count = math.ceil(asked.seconds / reader.cost)
    if asked.hours is not None:
        count = 10**7
    numbers = itertools.chain(server.cases, range(asked.first, asked.first + count))
    found = []
    for outcome in server.outcomes(numbers, until):
        found.append(outcome)
        if outcome.failed and asked.keep:
            server.write(outcome.input, kept_at(asked.keep / f"{reader.name}-{outcome.input}", reader))
    server.close()
    return found


def show(asked: argparse.Namespace, reader: Any, scratch: Path) -> int:
    """Run one input in this process."""
    from tests.fuzz.cases import cases_of
    from tests.fuzz.server import Server

    server = Server(reader, scratch, seed=asked.seed, memory=asked.memory)
    server.cases = cases_of(reader.name, server.files)
    number = int(asked.only) if asked.only.isdecimal() else asked.only
    outcome = server.show(number, kept_at(asked.keep or scratch / "only", reader))
    print(outcome)
    return int(outcome.failed)


def kept_at(folder: Path, reader: Any) -> Path:
    """The place of an input in a folder that is emptied for it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder / reader.path


def chosen(asked: Sequence[str], own: dict[str, bool]) -> list[str]:
    """The names of readers: those given, or of a kind, or that begin with what was given and a star."""
    names: list[str] = []
    for one in asked:
        found = [
            name
            for name in own
            if one in ("all", name) or (one == "own" and own[name]) or (one.endswith("*") and name.startswith(one[:-1]))
        ]
        if not found:
            sys.exit(f"no reader is called {one}: `python -m tests.fuzz list` names them")
        names += [name for name in found if name not in names]
    return names


def line(name: str, counts: Counter[str], seconds: float) -> str:
    """Counts of a reader."""
    total = sum(counts.values())
    told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(counts.items()))
    return f"{name:28} {total:>7,} inputs  {total / max(seconds, 1e-9):>6,.0f}/s  {told}"


def print_failures(failures: Sequence[Any]) -> None:
    """Failures that arose at the same place, once each, with how to see one again."""
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for outcome in failures:
        groups.setdefault((outcome.reader, outcome.kind, outcome.where), []).append(outcome)
    for (reader, kind, where), some in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]))):
        told = f"{kind} x {len(some)}: {where}: {some[0].message[:150]!r}"
        print(f"    {reader} --only {some[0].input}  {told}", flush=True)


if __name__ == "__main__":
    random.seed(0)
    sys.exit(main())
