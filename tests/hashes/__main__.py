"""Hashes of every trainer's results and of every file format, compared with those of an earlier state.

A tool for refactorings: `record` writes what the code that is imported answers, `compare` says which answers differ.
Answers depend on the processor, so that a record is of use on the machine that wrote it alone.

    python -m tests.hashes list
    python -m tests.hashes compare [CASE...]              names or their beginnings, such as word2vec
    python -m tests.hashes record [CASE...]               the cases named are written anew, all others are kept
    python -m tests.hashes record --formats FOLDER        keep a file or folder of every format, and their hashes
    python -m tests.hashes compare --formats FOLDER       read those files, and compare what they hold
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import json
import sys
import time
import traceback
import warnings
from pathlib import Path

from tests.hashes import registry

BEFORE = Path(__file__).with_name("before.json")


def main() -> int:
    """Run the cases that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.hashes", description=__doc__, formatter_class=_Plain)
    parser.add_argument("command", choices=("list", "compare", "record"))
    parser.add_argument("cases", nargs="*", help="names of cases, or their beginnings; all by default")
    parser.add_argument("--formats", type=Path, help="folder of files written by the earlier state")
    parser.add_argument("--file", type=Path, default=BEFORE, help="the record")
    parser.add_argument("--times", action="store_true", help="show the seconds of each case")
    given = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    cases = _cases(given)
    if given.cases:
        cases = {name: run for name, run in cases.items() if any(name.startswith(each) for each in given.cases)}
    if given.command == "list":
        print("\n".join(cases))
        return 0
    if not cases:
        print("no such case")
        return 2
    recorded = json.loads(given.file.read_text(encoding="utf-8")) if given.file.exists() else {}
    wrong = 0
    for name, run in cases.items():
        started = time.perf_counter()
        try:
            parts = registry.digests(run())
        except Exception:
            wrong += 1
            print(f"FAILED {name}\n{traceback.format_exc(limit=-6)}", flush=True)
            continue
        if given.times:
            print(f"{time.perf_counter() - started:6.2f} s  {name}", flush=True)
        if given.command == "record":
            recorded[name] = parts
        elif parts != recorded.get(name):
            wrong += 1
            expected = recorded.get(name, {})
            names = [part for part in {**expected, **parts} if expected.get(part) != parts.get(part)]
            print(f"DIFFERENT {name}: {', '.join(names)}" if expected else f"NOT RECORDED {name}", flush=True)
    if given.command == "record":
        text = json.dumps(recorded, indent=0, sort_keys=True, ensure_ascii=False)
        given.file.write_text(text + "\n", encoding="utf-8")
    print(f"{len(cases)} cases, {wrong} {'failed' if given.command == 'record' else 'failed or different'}")
    return 1 if wrong else 0


class _Plain(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the description."""


def _cases(given: argparse.Namespace) -> dict[str, registry.Case]:
    from tests.hashes import formats

    if given.formats is not None:
        return formats.in_folder(given.formats, write=given.command == "record")
    from tests.hashes import cases

    cases.load()
    return {**registry.CASES, **formats.round_trips()}


if __name__ == "__main__":
    sys.exit(main())
