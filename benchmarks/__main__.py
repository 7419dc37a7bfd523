"""The command line: `python -m benchmarks SUITE`, where SUITE is one suite, `all` or `table`."""

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import contest as contests
from benchmarks import inputs, machine, table
from benchmarks.comparison import Comparison
from benchmarks.peers import peers_python
from benchmarks.records import Series, open_series
from benchmarks.running import JobError, run_rounds
from benchmarks.setting import Setting
from benchmarks.suites import corpus, counts, encode, families, quality, queries, speed, startup

RESULTS = Path(__file__).resolve().parent / "results"
SUITES = {
    "speed": speed.comparisons,
    "corpus": corpus.comparisons,
    "families": families.comparisons,
    "counts": counts.comparisons,
    "queries": queries.comparisons,
    "encode": encode.comparisons,
    "startup": startup.comparisons,
}


def main() -> int:
    """Run what the command line names and write the table."""
    args = _parser().parse_args()
    if args.suite == "table":
        print(table.write(args.results))
        return 0
    setting = _setting(args)
    errors = []
    for suite in [*SUITES, "quality"] if args.suite == "all" else [args.suite]:
        errors += _run_quality(args, setting) if suite == "quality" else _run_suite(suite, args, setting)
    print(table.write(args.results))
    for message in errors:
        print(message, file=sys.stderr)
    return 1 if errors else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("suite", choices=[*SUITES, "quality", "all", "table"], help="what to run; `table` only rewrites the table")
    add("--only", metavar="TEXT", default="", help="only comparisons whose key holds TEXT")
    add("--repetitions", type=int, default=5, metavar="N", help="rounds of each comparison (default 5)")
    add("--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="numbers of threads (default 1 2)")
    add("--epochs", type=int, metavar="N", help="passes: 1 where speed is measured, 3 or 5 where quality is")
    add("--seeds", type=int, default=3, metavar="N", help="runs that answer each question of quality (default 3)")
    add("--models", nargs="+", default=["skipgram", "cbow"], choices=quality.KEYS, help="of quality")
    add("--corpus", type=Path, metavar="FILE", help="words and spaces (default: Wikipedia as text8, from FIRTH_DATA)")
    add("--text", type=Path, metavar="FILE", help="text as it was written (default: Wikipedia, from FIRTH_DATA)")
    add("--word2vec", type=Path, metavar="PROGRAM", help="the word2vec program of 2013, if you built one")
    add("--wang2vec", type=Path, metavar="PROGRAM", help="the wang2vec program, if you built one")
    add("--glove", type=Path, metavar="DIR", help="the folder of GloVe's programs, if you built them")
    add("--peers", metavar="PYTHON", help="an environment that holds the peers (default: one is made)")
    add("--cache", type=Path, default=_default_cache(), metavar="DIR", help="for what is made once")
    add("--results", type=Path, default=RESULTS, metavar="DIR", help="where runs are kept")
    add("--any-source", action="store_true", help="go on with runs of another state of firth's source")
    return parser


def _default_cache() -> Path:
    base = os.environ.get("FIRTH_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "firth-benchmarks"


def _setting(args: argparse.Namespace) -> Setting:
    cache = args.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    return Setting(
        cache=cache,
        peers=args.peers or peers_python(cache),
        word2vec=args.word2vec.resolve() if args.word2vec else None,
        wang2vec=args.wang2vec.resolve() if args.wang2vec else None,
        glove=args.glove.resolve() if args.glove else None,
        tokenised=inputs.tokenised(cache, args.corpus and args.corpus.resolve()),
        written=inputs.written(cache, args.text and args.text.resolve()),
        threads=tuple(args.threads),
        epochs=args.epochs,
    )


def _series(file: Path, header: dict[str, Any], args: argparse.Namespace, setting: Setting) -> Series:
    full = {
        **header,
        "source": machine.source_state(),
        "machine": machine.describe(),
        "versions": {
            **machine.versions(sys.executable, ("firth", "numpy", "numba", "llvmlite")),
            **machine.versions(setting.peers, ("gensim", "fasttext", "model2vec")),
        },
    }
    return open_series(file, full, any_source=args.any_source)


def _run_suite(suite: str, args: argparse.Namespace, setting: Setting) -> list[str]:
    errors = []
    for comparison in SUITES[suite](setting):
        if args.only in comparison.key:
            series = _series(args.results / f"{suite}.jsonl", _header(comparison), args, setting)
            try:
                run_rounds(comparison, series, args.repetitions, _say)
            except JobError as error:
                errors.append(str(error))
                _say(f"FAILED {error}")
    return errors


def _header(comparison: Comparison) -> dict[str, Any]:
    return {
        "comparison": comparison.key,
        "title": comparison.title,
        "options": dict(comparison.options),
        "words": comparison.words,
        "contenders": [contender.name for contender in comparison.contenders],
        "targets": [asdict(target) for target in comparison.targets],
        "limits": [asdict(limit) for limit in comparison.limits],
    }


def _run_quality(args: argparse.Namespace, setting: Setting) -> list[str]:
    errors = []
    threads = max(args.threads)
    for contest in quality.contests(setting, threads):
        if contest.key not in args.models:
            continue
        series = _series(args.results / "quality.jsonl", contest.header, args, setting)
        try:
            contests.run(contest, series, seeds=args.seeds, say=_say)
        except JobError as error:
            errors.append(str(error))
            _say(f"FAILED {error}")
    return errors


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
