"""A corpus of a billion words, built and read once by skip-gram, in 1.5 GiB; beside it a small corpus.

The text is sampled: sentences of a corpus are drawn with replacement, and each word that occurs there at most RARE
times becomes one of VARIANTS words, by a number after it, so that the vocabulary grows with the text as that of real
text does. Sentences keep their order of words; nothing else of the large text is real, so its vectors are not judged.

Each step runs in a process of its own. `peak` is its largest memory that no file backs (RssAnon); `resident` counts
pages of mapped files that happen to be in memory, too, which the system takes back when it needs them. With --limit,
and rights to make control groups, the process and the file pages that it reads get so many MiB and no more: 1.8 million
words of at least 5 occurrences would take all of them at 100 dimensions, so --min-count is that of the large text, and
the small one keeps 5. The small corpus is read EPOCHS times, so that the processor is as warm as for the large one.

    python -m benchmarks.large_corpus sample corpus/wiki.txt.xz large.txt --words 1000000000
    python -m benchmarks.large_corpus run large.txt --small corpus/wiki.txt.xz --limit 1536 --min-count 40 \\
        --results FILE
    python -m benchmarks.large_corpus files folder/ --results FILE      # several files at once, by threads
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np

import firth
from benchmarks.machine import describe
from benchmarks.records import append

RARE, VARIANTS = 4, 12
MIN_COUNT, EPOCHS = 5, 20  # of the small text
CHUNK = 100_000  # sentences
GROUPS = Path("/sys/fs/cgroup")
BUILD = """
import json, sys, time, firth
began = time.perf_counter()
corpus = firth.Corpus.build(sys.argv[1], cache=sys.argv[2], min_count=int(sys.argv[3]), progress=False)
print(json.dumps({"words": int(corpus.vocabulary.total), "vocabulary": len(corpus.vocabulary),
                  "seconds": time.perf_counter() - began, "path": str(corpus.path)}))
"""
TRAIN = """
import json, sys, time, firth
corpus, options = firth.Corpus.open(sys.argv[1]), firth.Word2Vec(dim=int(sys.argv[2]), epochs=int(sys.argv[4]))
how = {"threads": int(sys.argv[3]), "seed": 0, "progress": False}
options.train(["a b c d"] * 99, min_count=1, **how)  # compiles
began = time.perf_counter()
vectors = options.train(corpus, **how)
seconds = time.perf_counter() - began
print(json.dumps({"words": int(corpus.vocabulary.total), "vocabulary": len(vectors), "seconds": seconds,
                  "words_a_second": options.epochs * corpus.vocabulary.total / seconds}))
"""


@numba.njit(cache=True)
def _written(ids, letters, starts, room):
    """Write words one after the other, each with what follows it; return the bytes used."""
    used = 0
    for i in ids:
        for place in range(starts[i], starts[i + 1]):
            room[used] = letters[place]
            used += 1
    return used


def sample(source: Path, target: Path, words: int, seed: int = 0) -> None:
    """Write sampled sentences, a line each, until there are enough words."""
    corpus = firth.Corpus.build(source, min_count=1)
    random, known = np.random.default_rng(seed), corpus.vocabulary.words
    first_rare = int(np.searchsorted(-corpus.vocabulary.counts, -RARE))  # counts fall
    rare = len(known) - first_rare
    every = [*known[:first_rare], *(f"{word}{number}" for word in known[first_rare:] for number in range(VARIANTS))]
    encoded = [f"{word} ".encode() for word in every]
    encoded.append(b"\n")
    starts = np.cumsum([0, *map(len, encoded)])
    letters = np.frombuffer(b"".join(encoded), np.uint8)
    offsets, done = np.asarray(corpus.offsets), 0
    print(f"{rare:,} of {len(known):,} words are rare and become {VARIANTS} each", flush=True)
    with target.open("wb") as file:
        while done < words:
            drawn = random.integers(len(offsets) - 1, size=CHUNK)
            lengths = offsets[drawn + 1] - offsets[drawn]
            ends = np.cumsum(lengths + 1)
            ids = np.full(int(ends[-1]), len(encoded) - 1, dtype=np.int64)
            inside = np.ones(len(ids), dtype=bool)
            inside[ends - 1] = False
            places = np.arange(lengths.sum()) + np.repeat(offsets[drawn] - (np.cumsum(lengths) - lengths), lengths)
            found = np.asarray(corpus.ids[places], dtype=np.int64)
            is_rare = found >= first_rare
            variants = random.integers(VARIANTS, size=int(is_rare.sum()))
            found[is_rare] = first_rare + (found[is_rare] - first_rare) * VARIANTS + variants
            ids[inside] = found
            room = np.empty(int((starts[ids + 1] - starts[ids]).sum()), np.uint8)
            _written(ids, letters, starts, room)
            file.write(room.data)
            done += int(lengths.sum())
    print(f"{target}: {done:,} words, {target.stat().st_size / 1e9:.2f} GB", flush=True)


@contextlib.contextmanager
def limited(mebibytes: int | None) -> Iterator[Path | None]:
    """A control group with a limit of memory; None without one.

    Raises:
        OSError: there are no control groups that this user may make.
    """
    if mebibytes is None:
        yield None
        return
    old = GROUPS / "memory"
    group = (old if old.is_dir() else GROUPS) / f"firth-{os.getpid()}"
    group.mkdir()
    try:
        limit = "memory.limit_in_bytes" if old.is_dir() else "memory.max"
        (group / limit).write_text(str(mebibytes << 20))
        yield group
    finally:
        time.sleep(0.5)
        group.rmdir()


def measured(code: str, arguments: list[str], limit: int | None) -> dict[str, object]:
    """Run a step and return what it prints, with its memory in MB."""
    with limited(limit) as group:

        def enter() -> None:
            if group is not None:
                (group / "cgroup.procs").write_text(str(os.getpid()))

        step = subprocess.Popen(
            [sys.executable, "-P", "-c", code, *arguments], stdout=subprocess.PIPE, text=True, preexec_fn=enter
        )
        peak = resident = 0
        while step.poll() is None:
            with contextlib.suppress(OSError):
                status = Path(f"/proc/{step.pid}/status").read_text(encoding="utf-8").split("\n")
                found = {line.split(":")[0]: int(line.split()[1]) for line in status if line.endswith(" kB")}
                peak, resident = max(peak, found.get("RssAnon", 0)), max(resident, found.get("VmHWM", 0))
            time.sleep(0.05)
        output = step.stdout.read()
    if step.returncode:
        raise SystemExit(f"the step ended with {step.returncode}")
    return {**json.loads(output), "peak_mb": peak / 1000, "resident_mb": resident / 1000, "limit_mib": limit}


def files(folder: Path, threads: int, rounds: int = 5) -> dict[str, object]:
    """Seconds of building a corpus from several files, in turns by one thread and by several."""
    seconds: dict[int, list[float]] = {1: [], threads: []}
    for _ in range(rounds):
        for count, taken in seconds.items():
            with tempfile.TemporaryDirectory() as cache:
                firth.Corpus.build(["a b c"] * 9, cache=cache, min_count=1, progress=False)  # compiles
                began = time.perf_counter()
                corpus = firth.Corpus.build(folder, cache=cache, threads=count, progress=False)
                taken.append(time.perf_counter() - began)
    medians = {count: statistics.median(taken) for count, taken in seconds.items()}
    found = sorted({"".join(path.suffixes) for path in folder.iterdir() if path.is_file()})
    return {
        "step": "files", "text": ", ".join(found), "words": int(corpus.vocabulary.total), "threads": threads,
        "seconds": seconds, "ratio": medians[1] / medians[threads],
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("sample")
    made.add_argument("source", type=Path)
    made.add_argument("target", type=Path)
    made.add_argument("--words", type=int, default=1_000_000_000)
    several = commands.add_parser("files")
    several.add_argument("folder", type=Path)
    several.add_argument("--threads", type=int, default=os.cpu_count())
    several.add_argument("--results", type=Path)
    run = commands.add_parser("run")
    run.add_argument("text", type=Path)
    run.add_argument("--small", type=Path, help="text of the corpus that is compared with")
    run.add_argument("--dim", type=int, default=100)
    run.add_argument("--threads", type=int, default=os.cpu_count())
    run.add_argument("--min-count", type=int, default=MIN_COUNT, help="of the large text")
    run.add_argument("--limit", type=int, help="MiB")
    run.add_argument("--folder", type=Path, help="for corpora")
    run.add_argument("--results", type=Path)
    args = parser.parse_args(arguments)
    if args.command == "sample":
        sample(args.source, args.target, args.words)
        return
    if args.command == "files":
        row = files(args.folder, args.threads)
        print(json.dumps(row), flush=True)
        if args.results:
            append(args.results, {**row, **describe()})
        return
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for text, least, epochs in ((args.small, MIN_COUNT, EPOCHS), (args.text, args.min_count, 1)):
            if text is None:
                continue
            built = measured(BUILD, [str(text), folder, str(least)], args.limit)
            trained = measured(TRAIN, [built.pop("path"), str(args.dim), str(args.threads), str(epochs)], args.limit)
            for step, row in (("build", built), ("train", trained)):
                run_of = {"step": step, "text": text.name, "min_count": least, "epochs": epochs}
                found = {**run_of, "dim": args.dim, "threads": args.threads, **row}
                print(json.dumps(found), flush=True)
                if args.results:
                    append(args.results, {**found, **describe()})


if __name__ == "__main__":
    main()
