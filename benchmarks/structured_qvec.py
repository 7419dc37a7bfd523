"""Structured and plain skip-gram of firth beside wang2vec's: QVec-CCA of their vectors of the same text.

    python -m benchmarks.structured_qvec run --wang2vec PROGRAM      # wang2vec's word2vec, built from its source
    python -m benchmarks.structured_qvec table

The text is the first WORDS words of Wikipedia as text8, its lines in three random orders: wang2vec takes no seed. All
options are equal: width, window, noise words, subsampling, epochs, smallest count, learning rate; one thread. Vectors
are judged as they are by `firth.evaluation.qvec`, beside the parts of speech of the Penn Treebank's words and the
supersenses of SemCor's. Rows go to results/structured_qvec.jsonl, and nothing there is ever rewritten.
"""

import argparse
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks import inputs, machine, records
from benchmarks.__main__ import _default_cache
from benchmarks.models import MIN_COUNT
from benchmarks.setting import FIRTH, WANG2VEC
from firth.data import path_of
from firth.evaluation.qvec import qvec_cca
from firth.readers.qvec import read_qvec

FILE = Path(__file__).parent / "results" / "structured_qvec.jsonl"
WORDS = 4_000_000
OPTIONS: dict[str, Any] = {"dim": 100, "window": 5, "negative": 5, "sample": 1e-4, "epochs": 3, "lr": 0.025}
MODELS = {"skip-gram": ("Word2Vec", 1), "structured": ("StructuredWord2Vec", 3)}  # firth's class, wang2vec's -type
ORACLES = ("ptb-tags", "supersenses")

Row = dict[str, Any]


def write_text(source: Path, target: Path, order: int, words: int = WORDS) -> int:
    """Write the first lines of a text that hold as many words, in a random order; return the words."""
    lines, count = [], 0
    with source.open(encoding="utf-8") as file:
        for line in file:
            lines.append(line)
            count += len(line.split())
            if count >= words:
                break
    random.Random(order).shuffle(lines)
    target.write_text("".join(lines), encoding="utf-8")
    return count


def train_wang2vec(program: Path, text: Path, kind: int, output: Path) -> None:
    """Train with the C program."""
    options = {
        "train": text, "output": output, "type": kind, "size": OPTIONS["dim"], "window": OPTIONS["window"],
        "negative": OPTIONS["negative"], "hs": 0, "sample": OPTIONS["sample"], "threads": 1, "binary": 1,
        "iter": OPTIONS["epochs"], "min-count": MIN_COUNT, "alpha": OPTIONS["lr"], "cap": 0, "debug": 0,
    }  # fmt: skip
    flags = [part for name, value in options.items() for part in (f"-{name}", str(value))]
    subprocess.run([str(program), *flags], check=True, stdout=subprocess.DEVNULL)


def judge(vectors: firth.WordVectors) -> dict[str, float]:
    """QVec-CCA by oracle, over the words that have vectors."""
    found = {}
    for name in ORACLES:
        oracle = read_qvec(path_of(name))
        known = [row for row, word in enumerate(oracle.words) if word in vectors]
        own = np.asarray(vectors.get_vector([oracle.words[row] for row in known]))
        found[name] = round(qvec_cca(own, oracle.matrix[known]), 4)
    return found


def run(source: Path, program: Path, orders: Sequence[int]) -> None:
    """Train and judge every model, order by order."""
    for order in orders:
        with tempfile.TemporaryDirectory() as folder:
            text, output = Path(folder) / "text.txt", Path(folder) / "vectors.bin"
            words = write_text(source, text, order)
            corpus = firth.Corpus.build([text], tokens="whitespace", min_count=MIN_COUNT, cache=folder, progress=False)
            for model, (family, kind) in MODELS.items():
                made = getattr(firth, family)(**OPTIONS)
                began = time.perf_counter()
                vectors = made.train(corpus, seed=order, threads=1, progress=False)
                keep(FIRTH, model, order, words, time.perf_counter() - began, vectors)
                began = time.perf_counter()
                train_wang2vec(program, text, kind, output)
                keep(WANG2VEC, model, order, words, time.perf_counter() - began, firth.load(output))


def keep(program: str, model: str, order: int, words: int, seconds: float, vectors: firth.WordVectors) -> None:
    """Judge vectors and add the row."""
    row = {
        "program": program, "model": model, "order": order, "words": words, "seconds": round(seconds, 1),
        "source": machine.source_state(), **judge(vectors),
    }  # fmt: skip
    records.append(FILE, row)
    print(row, flush=True)


def table(rows: Sequence[Row]) -> str:
    """The means over the orders, with the least and the greatest, as Markdown."""
    lines = ["| model | who | " + " | ".join(ORACLES) + " | orders |", "|" + " --- |" * (len(ORACLES) + 3)]
    for model in MODELS:
        for program in (FIRTH, WANG2VEC):
            own = [row for row in rows if (row["program"], row["model"]) == (program, model)]
            if own:
                cells = [_cell([row[name] for row in own]) for name in ORACLES]
                lines.append(f"| {model} | {program} | " + " | ".join(cells) + f" | {len(own)} |")
    return "\n".join(lines) + "\n"


def _cell(values: Sequence[float]) -> str:
    return f"{statistics.fmean(values):.4f} ({min(values):.4f} to {max(values):.4f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and judge, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--wang2vec", type=Path, metavar="PROGRAM", help="wang2vec's program word2vec")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="words and spaces (default: Wikipedia as text8)")
    parser.add_argument("--cache", type=Path, default=_default_cache(), metavar="DIR", help="for what is made once")
    parser.add_argument("--orders", type=int, nargs="+", default=[1, 2, 3], help="seeds of the order of lines")
    args = parser.parse_args(arguments)
    if args.what == "table":
        print(table(records.read(FILE)))
        return
    if args.wang2vec is None:
        parser.error("--wang2vec is missing: the program word2vec, built from wang2vec's source")
    args.cache.mkdir(parents=True, exist_ok=True)
    run(inputs.tokenised(args.cache, args.corpus and args.corpus.resolve()).path, args.wang2vec.resolve(), args.orders)


if __name__ == "__main__":
    main()
