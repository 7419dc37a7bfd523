"""Speed by size of the vocabulary, and the memory of large matrices beside gensim's.

The text is sampled (`python -m benchmarks.large_corpus sample ... --words 100000000`), so that it has a million words;
--sizes keeps the most frequent ones. `speed` trains an epoch of skip-gram for each size in turn, `--repeats` times, and
reports medians. `memory` trains 200,000 words of 300 dimensions, here and by gensim, which reads a file of those words
with the same options, and counts them first. `peak` and `resident` are those of `large_corpus`:
memory that no file backs, and the largest resident set, mapped files included.

    python -m benchmarks.large_vocabulary speed text.txt --sizes 77000 1000000 --results FILE
    python -m benchmarks.large_vocabulary memory text.txt --results FILE
"""

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path

from benchmarks.large_corpus import TRAIN, measured
from benchmarks.machine import describe
from benchmarks.records import append

WORDS, DIM = 200_000, 300  # of the matrices whose memory is compared
BUILD = """
import json, sys, firth
corpus = firth.Corpus.build(sys.argv[1], cache=sys.argv[2], min_count=1, max_size=int(sys.argv[3]), progress=False)
with open(sys.argv[2] + "/words.txt", "w", encoding="utf-8") as file:
    for sentence in corpus:
        print(*sentence, file=file)
print(json.dumps({"path": str(corpus.path), "tokens": corpus.num_tokens, "vocabulary": len(corpus.vocabulary)}))
"""
GENSIM = """
import json, sys, time, gensim
began = time.perf_counter()
model = gensim.models.Word2Vec(
    corpus_file=sys.argv[1], vector_size=int(sys.argv[2]), workers=int(sys.argv[3]), sg=1, window=5, negative=5,
    sample=float(sys.argv[4]), min_count=1, epochs=1, seed=0)
print(json.dumps({"vocabulary": len(model.wv), "seconds": time.perf_counter() - began}))
"""


def speed(args: argparse.Namespace) -> list[dict[str, object]]:
    """Words a second for each size, in turn; the ratios are to the first size."""
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        built = [measured(BUILD, [str(args.text), folder, str(size)], None) for size in args.sizes]
        found: list[list[float]] = [[] for _ in built]
        for _ in range(args.repeats):
            for each, rates in zip(built, found, strict=True):
                row = measured(TRAIN, [each["path"], str(args.dim), str(args.threads), "1"], None)
                rates.append(row["words_a_second"])
    medians = [statistics.median(rates) for rates in found]
    return [
        {"measured": "speed", "vocabulary": each["vocabulary"], "tokens": each["tokens"], "dim": args.dim,
         "threads": args.threads, "words_a_second": rates, "median": median, "share_of_first": median / medians[0]}
        for each, rates, median in zip(built, found, medians, strict=True)
    ]  # fmt: skip


def memory(args: argparse.Namespace) -> list[dict[str, object]]:
    """Largest memory of both programs, and as a multiple of the two matrices."""
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        built = measured(BUILD, [str(args.text), folder, str(WORDS)], None)
        ours = measured(TRAIN, [built["path"], str(DIM), str(args.threads), "1"], None)
        theirs = measured(GENSIM, [f"{folder}/words.txt", str(DIM), str(args.threads), str(args.sample)], None)
    matrices = 2 * WORDS * DIM * 4 / 1e6
    return [
        {"measured": "memory", "program": program, "dim": DIM, "threads": args.threads, "vocabulary": row["vocabulary"],
         "seconds": row["seconds"], "matrices_mb": matrices, "peak_mb": row["peak_mb"],
         "resident_mb": row["resident_mb"], "peak_of_matrices": row["peak_mb"] / matrices,
         "resident_of_matrices": row["resident_mb"] / matrices, "corpus_mb": 4 * built["tokens"] / 1e6}
        for program, row in (("firth", ours), ("gensim", theirs))
    ]  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", choices=["speed", "memory"])
    parser.add_argument("text", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[77_000, 1_000_000])
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=float, default=1e-4, help="subsampling threshold of gensim; firth's default")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="for corpora")
    parser.add_argument("--results", type=Path)
    args = parser.parse_args(arguments)
    for row in speed(args) if args.measured == "speed" else memory(args):
        print(json.dumps(row), flush=True)
        if args.results:
            append(args.results, {**row, **describe()})


if __name__ == "__main__":
    main()
