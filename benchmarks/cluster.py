"""Training on a Ray cluster beside one process: quality, speed and traffic by number of workers; and a simulation.

    python -m benchmarks.cluster quality --seeds 1 2 3
    python -m benchmarks.cluster speed --rounds 3
    python -m benchmarks.cluster staleness --seeds 1 --intervals 4096 16384 65536 --shards 4 16
    python -m benchmarks.cluster pieces --rounds 3
    python -m benchmarks.cluster table
    python -m benchmarks.cluster simulate --words 100e9 --vocabulary 3000000 --dim 300 --workers 64 --gigabits 25

The text is Wikipedia in the manner of text8, or `--corpus FILE`. Quality: skip-gram of 100 dimensions, EPOCHS epochs,
in one process without replicas and on a local cluster; the number of workers changes no bit, which is checked with 1, 2
and 4. Speed: one epoch in turns with one process and with replicas, each with as many threads as there are workers. All
workers share this machine. Pieces: the text in PARTS files is read, and its co-occurrences and n-grams are counted,
with two threads and with two workers that are started already, in turns; results are compared. Staleness: quality with
longer intervals and more shards, in one process. Rows go to results/cluster.jsonl, and nothing there is rewritten.

The simulation counts what a merge moves: rows whose next merge is due (`firth.embeddings.replicas.Schedule`), by words
that follow Zipf's law, all of which are taken as changed. It assumes that workers train at one speed and wait for each
merge, that the head sends and receives through one link, without compression, and that requests take `--latency`.
"""

import argparse
import dataclasses
import hashlib
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks import inputs, records
from benchmarks.__main__ import _default_cache
from benchmarks.deterministic import COMMON, EPOCHS, judge, keep, spread
from benchmarks.models import MIN_COUNT
from firth.embeddings.replicas import SHARDS, Replicas, Schedule
from firth.embeddings.trainer import TrainingArguments
from firth.language import ngram_counts
from firth.language.text import training_text
from firth.workers import lending, lent

FILE = Path(__file__).parent / "results" / "cluster.jsonl"
WORKERS = (1, 2, 4)
ONE, REPLICAS = "one process", "deterministic"
PARTS = 8  # files of a text whose reading is measured

Row = dict[str, Any]


def quality(corpus: firth.Corpus, seeds: Sequence[int], every: int) -> None:
    """Train and evaluate in one process and on a cluster, with every seed."""
    model = firth.Word2Vec(epochs=EPOCHS, **COMMON)
    for number, seed in enumerate(seeds):
        _keep("quality", ONE, 1, corpus, seed=seed, **judge(model.train(corpus, seed=seed, threads=1, progress=False)))
        digests = set()
        for workers in WORKERS if number == 0 else WORKERS[1:2]:
            vectors = firth.Cluster(workers=workers, merge_every=every).train(model, corpus, seed=seed, progress=False)
            digests.add(hashlib.sha256(vectors.vectors.tobytes()).hexdigest())
            _keep("quality", f"cluster, {every}", workers, corpus, seed=seed, **judge(vectors))
        if len(digests) > 1:
            raise SystemExit("the number of workers has changed the result")


def speed(corpus: firth.Corpus, rounds: int, intervals: Sequence[int]) -> None:
    """Train one epoch in turns, in this process and on a cluster."""
    model = firth.Word2Vec(epochs=1, **COMMON)
    for number in range(-1, rounds):
        for workers in WORKERS:
            for way in (ONE, REPLICAS, *intervals):
                if isinstance(way, int):
                    cluster = firth.Cluster(workers=workers, merge_every=way)
                    vectors = cluster.train(model, corpus, seed=0, progress=False)
                else:
                    how = {"threads": workers, "deterministic": way == REPLICAS}
                    vectors = model.train(corpus, seed=0, progress=False, **how)
                facts = vectors.metadata["training"]
                if number >= 0:
                    figures = {"words_a_second": round(facts["words"] / facts["seconds"])}
                    if isinstance(way, int):
                        figures |= {name: facts["cluster"][name] for name in ("merges", "megabytes")}
                    name = f"cluster, {way}" if isinstance(way, int) else way
                    _keep("speed", name, workers, corpus, round=number, **figures)


def staleness(corpus: firth.Corpus, seeds: Sequence[int], intervals: Sequence[int], shards: Sequence[int]) -> None:
    """Train and evaluate with merges as rare as a cluster's, in one process."""
    for seed in seeds:
        alone = firth.Word2Vec(epochs=EPOCHS, **COMMON).train(corpus, seed=seed, threads=1, progress=False)
        _keep("staleness", ONE, 1, corpus, seed=seed, **judge(alone))
        for count in shards:
            for every in intervals:
                arguments: TrainingArguments[Any] = TrainingArguments(
                    seed=seed, threads=1, progress=False, deterministic=True, parts=count
                )
                model, data, arguments = firth.Word2Vec(epochs=EPOCHS, **COMMON).prepare(corpus, {}, arguments)

                def with_rare_merges(run: Any, every: int = every) -> Any:
                    shards = run.arguments.shards
                    return run.train_with(Replicas(run.matrices, run.rates(), run.rate.lr, shards, longest=every))

                vectors = model.train_on(data, dataclasses.replace(arguments, runner=with_rare_merges))
                _keep("staleness", f"{every}", count, corpus, seed=seed, **judge(vectors))


def pieces(text: Path, cache: Path, rounds: int) -> None:
    """Read a text, and count its co-occurrences and n-grams, in turns here and on a cluster."""
    files = _split(text, cache / f"{text.stem}-parts")
    with firth.Cluster(workers=2).lend():
        hired = lent()
        for number in range(-1, rounds):  # the first round hires the workers, and compiles here and there
            digests: dict[str, set[str]] = {}
            for way, workers in (("two threads", None), ("cluster", hired)):
                with tempfile.TemporaryDirectory(dir=cache) as folder, lending(workers):
                    for name, measured in (
                        ("reading", lambda: _read(files, folder)),
                        ("co-occurrences", lambda: _cooccurrences(files, folder)),
                        ("n-grams", lambda: _ngrams(files, folder)),
                    ):
                        seconds, words, digest = measured()
                        digests.setdefault(name, set()).add(digest)
                        if number >= 0:
                            keep(FILE, kind="pieces", way=way, what=name, words=words, round=number, seconds=seconds)
            if wrong := [name for name, seen in digests.items() if len(seen) > 1]:
                raise SystemExit(f"{', '.join(wrong)}: the cluster has other bits")


def _split(text: Path, folder: Path) -> list[Path]:
    files = [folder / f"{number}.txt" for number in range(PARTS)]
    if not folder.is_dir():
        folder.mkdir()
        lines = text.read_bytes().splitlines(keepends=True)
        for number, file in enumerate(files):
            file.write_bytes(b"".join(lines[number * len(lines) // PARTS : (number + 1) * len(lines) // PARTS]))
    return files


def _corpus(files: Sequence[Path], folder: str) -> firth.Corpus:
    how = {"tokens": "whitespace", "min_count": MIN_COUNT, "unknown": "<unk>"}
    return firth.Corpus.build(files, cache=folder, threads=2, progress=False, **how)


def _read(files: Sequence[Path], folder: str) -> tuple[float, int, str]:
    began = time.monotonic()
    corpus = _corpus(files, folder)
    return time.monotonic() - began, corpus.num_tokens, corpus.fingerprint


def _cooccurrences(files: Sequence[Path], folder: str) -> tuple[float, int, str]:
    corpus = _corpus(files, folder)  # read before
    began = time.monotonic()
    counts = firth.Cooccurrence().count(corpus, cache=folder, threads=2, progress=False)
    seconds = time.monotonic() - began
    return seconds, corpus.num_tokens, hashlib.sha256(np.asarray(counts.values).tobytes()).hexdigest()


def _ngrams(files: Sequence[Path], folder: str) -> tuple[float, int, str]:
    corpus = _corpus(files, folder)
    text = training_text(corpus, {}, eos=True, progress=False)
    began = time.monotonic()
    counts = ngram_counts.count(text, 5, threads=2)
    seconds = time.monotonic() - began
    digest = hashlib.sha256(b"".join(each.tobytes() for each in (*counts.counts, *counts.suffixes))).hexdigest()
    return seconds, corpus.num_tokens, digest


def _keep(kind: str, way: str, workers: int, corpus: firth.Corpus, **figures: Any) -> None:
    keep(FILE, kind=kind, way=way, workers=workers, words=corpus.num_tokens, **figures)


def table(rows: Sequence[Row]) -> str:
    """Medians of speeds, and means of figures over the seeds, as Markdown."""
    lines = ["| training | workers or threads | words/s | merges | bytes of rows per word |", "|---|---|---|---|---|"]
    speeds = [row for row in rows if row["kind"] == "speed"]
    for way, workers in dict.fromkeys((row["way"], row["workers"]) for row in speeds):
        own = [row for row in speeds if (row["way"], row["workers"]) == (way, workers)]
        cells = [f"{statistics.median(row['words_a_second'] for row in own):,.0f}"]
        if "merges" in own[0]:
            cells += [f"{own[0]['merges']:,}", f"{1e6 * own[0]['megabytes'] / own[0]['words']:,.0f}"]
        else:
            cells += ["", ""]
        lines.append(f"| {way} | {workers} | {' | '.join(cells)} |")
    lines += ["", "| work | two threads, words/s | two workers, words/s |", "|---|---|---|"]
    both = [row for row in rows if row["kind"] == "pieces"]
    for what in dict.fromkeys(row["what"] for row in both):
        ways: dict[str, list[float]] = {}
        for row in (row for row in both if row["what"] == what):
            ways.setdefault(row["way"], []).append(row["words"] / row["seconds"])
        cells = [f"{statistics.median(ways[way]):,.0f}" for way in ("two threads", "cluster")]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    for kind, heading in (("quality", "training"), ("staleness", "words between merges, shards")):
        judged = [row for row in rows if row["kind"] == kind]
        others = {"kind", "way", "workers", "words", "seed", "machine", "load", "source"}
        names = list(dict.fromkeys(name for row in judged for name in row if name not in others))
        lines += ["", f"| {heading} | seeds | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
        by_way: dict[str, dict[int, Row]] = {}  # any number of workers gives the same figures
        for row in judged:
            way = f"{int(row['way']):,}, {row['workers']}" if row["way"].isdigit() else row["way"]
            by_way.setdefault(way, {})[row["seed"]] = row
        for way, by_seed in by_way.items():
            cells = (spread(list(by_seed.values()), name) for name in names)
            lines.append(f"| {way} | {len(by_seed)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def simulate(args: argparse.Namespace) -> str:
    """Time, memory and traffic of a run, from the speed of one worker."""
    law = 1 / (2.7 + np.arange(1, args.vocabulary + 1))  # Mandelbrot's shift: the most frequent word is a fourteenth
    law /= law.sum()
    kept = law * np.minimum(1, np.sqrt(COMMON["sample"] / law) + COMMON["sample"] / law)
    contexts = COMMON["window"] + 1
    noise = law**0.75 / (law**0.75).sum()
    rates = [kept * contexts, (kept + kept.sum() * noise) * contexts]
    shards = max(SHARDS, args.workers)
    width = 64 * -(-args.dim // 16)  # bytes: rows are padded to cache lines
    schedule = Schedule.of(rates, 0.0125, shards, args.dim, args.merge_every)  # half-way through the decay of .025
    due = [sum(len(plan.due[tier]) for plan in schedule.plans) for tier in range(schedule.tiers)]
    share = [2.0 ** -(tier + 1) for tier in range(schedule.tiers)]
    share[-1] *= 2  # of the merges whose last due tier it is
    # A row that is due has changed in a shard if the shard has predicted it since its last merge: at most all of them.
    rows = sum(part * count for part, count in zip(share, due, strict=True))
    merged = 2 * shards * rows * width  # from each shard, and back to each worker
    interval = schedule.interval
    training = args.words / shards / args.speed
    merges = args.words / shards / interval
    traffic, waiting = merges * merged / (args.gigabits * 1e9 / 8), merges * args.latency / 1000
    matrices = 2 * args.vocabulary * width
    gigabytes = 1e9
    return "\n".join(
        [
            f"words {args.words:,.0f}, vocabulary {args.vocabulary:,}, {args.dim} dimensions, {args.workers} workers",
            f"interval {interval:,} words of a shard, {merges:,.0f} merges of {rows:,.0f} rows",
            f"training {training / 3600:,.1f} h; traffic {traffic / 3600:,.1f} h; requests {waiting / 3600:,.1f} h; "
            f"in all {(training + traffic + waiting) / 3600:,.1f} h",
            f"memory of a worker {(1 + shards / args.workers) * matrices / gigabytes:,.1f} GB, "
            f"of the head {3 * matrices / gigabytes:,.1f} GB; "
            f"through the head {merges * merged / 1e12:,.1f} TB",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, simulate, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("quality", "speed", "staleness", "pieces", "table", "simulate"))
    parser.add_argument("--rounds", type=int, default=3, help="rounds of speed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="seeds of quality")
    parser.add_argument("--merge-every", type=int, default=4096, help="words between merges")
    parser.add_argument(
        "--intervals", type=int, nargs="+", default=[1024, 4096, 16384], help="those of speed and staleness"
    )
    parser.add_argument("--shards", type=int, nargs="+", default=[4], help="those of staleness")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="words and spaces (default: Wikipedia as text8)")
    parser.add_argument("--cache", type=Path, default=_default_cache(), metavar="DIR", help="for what is made once")
    parser.add_argument("--words", type=float, default=100e9, help="of the simulation, in all epochs")
    parser.add_argument("--vocabulary", type=int, default=3_000_000, help="of the simulation")
    parser.add_argument("--dim", type=int, default=300, help="of the simulation")
    parser.add_argument("--workers", type=int, default=64, help="of the simulation")
    parser.add_argument("--speed", type=float, default=1e6, help="words a second of a worker, in the simulation")
    parser.add_argument("--gigabits", type=float, default=25, help="a second of the head's network, in the simulation")
    parser.add_argument("--latency", type=float, default=1.0, help="milliseconds of a request, in the simulation")
    args = parser.parse_args(arguments)
    if args.what == "simulate":
        print(simulate(args))
        return
    if args.what == "table":
        print(table(records.read(FILE)))
        return
    args.cache.mkdir(parents=True, exist_ok=True)
    text = inputs.tokenised(args.cache, args.corpus and args.corpus.resolve())
    corpus = firth.Corpus.build([text.path], tokens="whitespace", min_count=MIN_COUNT, progress=False)
    began = time.monotonic()
    if args.what == "pieces":
        pieces(text.path, args.cache, args.rounds)
    elif args.what == "quality":
        quality(corpus, args.seeds, args.merge_every)
    elif args.what == "staleness":
        staleness(corpus, args.seeds, args.intervals, args.shards)
    else:
        speed(corpus, args.rounds, args.intervals)
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
