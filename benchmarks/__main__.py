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
from benchmarks.suites import corpus, counts, families, quality, queries, speed, startup

RESULTS = Path(__file__).resolve().parent / "results"
SUITES = {
    "speed": speed.comparisons,
    "corpus": corpus.comparisons,
    "families": families.comparisons,
    "counts": counts.comparisons,
    "queries": queries.comparisons,
    "startup": startup.comparisons,
}


def main() -> int:
    """Run what the command line names and write the table."""
    told = _parser().parse_args()
    if told.suite == "table":
        print(table.write(told.results))
        return 0
    setting = _setting(told)
    failed = []
    for suite in [*SUITES, "quality"] if told.suite == "all" else [told.suite]:
        failed += _run_quality(told, setting) if suite == "quality" else _run_suite(suite, told, setting)
    print(table.write(told.results))
    for message in failed:
        print(message, file=sys.stderr)
    return 1 if failed else 0


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


def _setting(told: argparse.Namespace) -> Setting:
    cache = told.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    return Setting(
        cache=cache,
        peers=told.peers or peers_python(cache),
        word2vec=told.word2vec.resolve() if told.word2vec else None,
        wang2vec=told.wang2vec.resolve() if told.wang2vec else None,
        glove=told.glove.resolve() if told.glove else None,
        tokenised=inputs.tokenised(cache, told.corpus and told.corpus.resolve()),
        written=inputs.written(cache, told.text and told.text.resolve()),
        threads=tuple(told.threads),
        epochs=told.epochs,
    )


def _series(file: Path, header: dict[str, Any], told: argparse.Namespace, setting: Setting) -> Series:
    full = {
        **header,
        "source": machine.source_state(),
        "machine": machine.describe(),
        "versions": {
            **machine.versions(sys.executable, ("firth", "numpy", "numba", "llvmlite")),
            **machine.versions(setting.peers, ("gensim", "fasttext")),
        },
    }
    return open_series(file, full, any_source=told.any_source)


def _run_suite(suite: str, told: argparse.Namespace, setting: Setting) -> list[str]:
    failed = []
    for comparison in SUITES[suite](setting):
        if told.only in comparison.key:
            series = _series(told.results / f"{suite}.jsonl", _header(comparison), told, setting)
            try:
                run_rounds(comparison, series, told.repetitions, _say)
            except JobError as error:
                failed.append(str(error))
                _say(f"FAILED {error}")
    return failed


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


def _run_quality(told: argparse.Namespace, setting: Setting) -> list[str]:
    failed = []
    threads = max(told.threads)
    for contest in quality.contests(setting, threads):
        if contest.key not in told.models:
            continue
        series = _series(told.results / "quality.jsonl", contest.header, told, setting)
        try:
            contests.run(contest, series, seeds=told.seeds, say=_say)
        except JobError as error:
            failed.append(str(error))
            _say(f"FAILED {error}")
    return failed


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
