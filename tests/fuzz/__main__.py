"""`python -m tests.fuzz READER [--hours N | --inputs N] [--seed N]`: give damaged files to readers.

READER is one or more names of the table, "own" for firth's own binary formats, or "all"; "list" shows the names. The
seed and the number of an input decide its content: `--only 123` runs one input again and shows its traceback, `--keep
DIR` keeps its files. The exit status is 1 if anything failed.
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
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="+", metavar="READER")
    parser.add_argument("--hours", type=float, help="time for all readers together")
    parser.add_argument("--inputs", type=int, help="inputs per reader; 1,000 by default")
    parser.add_argument("--seconds", type=float, help="processor time per reader, which decides the number of inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", help="run one input, or case, in the foreground")
    parser.add_argument("--keep", type=Path, help="folder for the files of the input that runs, or of those that fail")
    parser.add_argument("--cases", action="store_true", help="also run the cases that failed once, and odd files")
    parser.add_argument("--every", action="store_true", help="with --cases: everything odd in place of each file")
    parser.add_argument("--memory", type=int, default=1 << 30, help="bytes that an input may take")
    parser.add_argument("--json", type=Path, help="file for every failure and the counts")
    return parser.parse_args()


def main() -> int:
    """Run the fuzzer in a temporary folder."""
    options = arguments()
    scratch = Path(tempfile.mkdtemp(prefix="fuzz."))
    scratch.chmod(0o777)
    os.environ["FIRTH_CACHE"] = str(scratch / "cache")
    os.environ.pop("FIRTH_DATA", None)
    try:
        return run(options, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run(options: argparse.Namespace, scratch: Path) -> int:
    """Run the chosen readers."""
    from tests.fuzz.readers import READERS

    if options.readers == ["list"]:
        print("\n".join(f"{name}{'  (own)' if reader.own else ''}" for name, reader in READERS.items()))
        return 0
    names = select_readers(options.readers, {name: reader.own for name, reader in READERS.items()})
    if options.only is not None:
        return show(options, READERS[names[0]], scratch)
    total, failures = Counter[str](), list[Any]()
    began = time.monotonic()
    for place, name in enumerate(names):
        reader = READERS[name]
        if reader.needs and importlib.util.find_spec(reader.needs) is None:
            print(f"{name:28} left out: {reader.needs} is not installed")
            continue
        until = float("inf")
        if options.hours is not None:
            left = began + 3600 * options.hours - time.monotonic()
            until = time.monotonic() + max(left, 1) / (len(names) - place)
        start, outcomes = time.monotonic(), outcomes_of(options, reader, scratch, until)
        counts = Counter(outcome.kind for outcome in outcomes)
        failures += [outcome for outcome in outcomes if outcome.failed]
        total += counts
        print(line(name, counts, time.monotonic() - start), flush=True)
        print_failures([outcome for outcome in outcomes if outcome.failed])
    print(line("all", total, time.monotonic() - began))
    if options.json:
        report = {"counts": total, "failures": [vars(outcome) for outcome in failures]}
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return int(bool(failures))


def outcomes_of(options: argparse.Namespace, reader: Any, scratch: Path, until: float) -> list[Any]:
    """Return the outcomes of one reader's inputs; with --keep, failing inputs are kept."""
    from tests.fuzz.cases import cases_of
    from tests.fuzz.server import Server

    server = Server(reader, scratch, seed=options.seed, memory=options.memory)
    if options.cases:
        server.cases = cases_of(reader.name, server.files, every=options.every)
    count = options.inputs if options.inputs is not None else 1000
    if options.seconds is not None:
        count = math.ceil(options.seconds / reader.cost)
    if options.hours is not None:
        count = 10**7
    numbers = itertools.chain(server.cases, range(options.first, options.first + count))
    outcomes = []
    for outcome in server.outcomes(numbers, until):
        outcomes.append(outcome)
        if outcome.failed and options.keep:
            server.write(outcome.input, kept_at(options.keep / f"{reader.name}-{outcome.input}", reader))
    server.close()
    return outcomes


def show(options: argparse.Namespace, reader: Any, scratch: Path) -> int:
    """Run one input in this process."""
    from tests.fuzz.cases import cases_of
    from tests.fuzz.server import Server

    server = Server(reader, scratch, seed=options.seed, memory=options.memory)
    server.cases = cases_of(reader.name, server.files, every=True)
    number = int(options.only) if options.only.isdecimal() else options.only
    outcome = server.show(number, kept_at(options.keep or scratch / "only", reader))
    print(outcome)
    return int(outcome.failed)


def kept_at(folder: Path, reader: Any) -> Path:
    """Empty a folder for an input and return the input's path in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder / reader.path


def select_readers(names: Sequence[str], own: dict[str, bool]) -> list[str]:
    """Return the readers of a list of names, kinds, and beginnings of names with a star."""
    selected: list[str] = []
    for one in names:
        matches = [
            name
            for name in own
            if one in ("all", name) or (one == "own" and own[name]) or (one.endswith("*") and name.startswith(one[:-1]))
        ]
        if not matches:
            sys.exit(f"no reader is called {one}: `python -m tests.fuzz list` names them")
        selected += [name for name in matches if name not in selected]
    return selected


def line(name: str, counts: Counter[str], seconds: float) -> str:
    """Return a line with the outcomes of a reader."""
    total = sum(counts.values())
    summary = ", ".join(f"{kind} {count:,}" for kind, count in sorted(counts.items()))
    return f"{name:28} {total:>7,} inputs  {total / max(seconds, 1e-9):>6,.0f}/s  {summary}"


def print_failures(failures: Sequence[Any]) -> None:
    """Print one failure per place in the code, with the option that repeats it."""
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for outcome in failures:
        groups.setdefault((outcome.reader, outcome.kind, outcome.where), []).append(outcome)
    for (reader, kind, where), group in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1]))):
        summary = f"{kind} x {len(group)}: {where}: {group[0].message[:150]!r}"
        print(f"    {reader} --only {group[0].input}  {summary}", flush=True)


if __name__ == "__main__":
    random.seed(0)
    sys.exit(main())
