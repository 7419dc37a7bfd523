"""A model that grows: what training on a further text adds to old vectors, and what it makes them forget.

The first model reads the first half of a text, without a random third of the words of the similarity sets: those are
new words in the second half. `train(more, start=)` then reads a further text, with the usual learning rate and with a
tenth of it:

    same     the second half of the same text
    other    a text of another kind (--other), such as novels

Each model is judged by the pairs of old words (what it forgets), by the pairs with a new word (what it learns; words
that a model lacks are left out), and by analogies. For users who need the old vectors unchanged there are

    put back                the old words' first vectors, put back afterwards
    frozen                  `freeze=True`: old words keep their vectors while new ones learn
    frozen on both sides    their output vectors are put back after every thousand tokens, too

Beside them stand models that read everything at once, or the further text alone. What the file of results holds already
is not measured again.

    python -m benchmarks.growing wiki.txt.xz --other novels.txt --seeds 1 2 3
    python -m benchmarks.growing table
"""

import argparse
import csv
import dataclasses
import functools
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks import records
from benchmarks.deterministic import keep, spread
from firth.embeddings.trainer import TrainingArguments
from firth.readers.scored_pairs import read_scored_pairs

FILE = Path(__file__).parent / "results" / "growing.jsonl"
SETS = ("men", "wordsim-353")
EPOCHS, DIM, NEW = 3, 100, 1 / 3
PIECE = 1000  # tokens after which output vectors are put back
FIGURES = ("old pairs", "new pairs", "analogies")


def pairs_of(name: str) -> list[tuple[str, str, float]]:
    """The scored pairs of a set."""
    found = read_scored_pairs(firth.data.path_of(name))
    return [(*pair, score) for pair, score in zip(found.pairs, found.scores.tolist(), strict=True)]


def judge(vectors: firth.WordVectors, new: set[str], folder: Path) -> dict[str, float]:
    """Correlations (Spearman) over old pairs and those with a new word, and accuracy of analogies, in hundredths."""
    found: dict[str, float] = {}
    for figure, wanted in (("old pairs", False), ("new pairs", True)):
        values = []
        for name in SETS:
            chosen = [pair for pair in pairs_of(name) if bool(new & set(pair[:2])) == wanted]
            path = folder / f"{name}.tsv"
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, delimiter="\t").writerows(chosen)
            report = firth.evaluate(vectors, similarity=[str(path)], progress=False)
            values.append(100 * report.rows[0].value)
        if np.isfinite(values).all():  # a model without the new words has nothing to judge there
            found[figure] = round(float(np.mean(values)), 2)
    report = firth.evaluate(vectors, analogies=["google-analogies"], progress=False)
    found["analogies"] = round(100 * next(row.value for row in report.rows if row.metric == "3cosadd"), 2)
    return found


def put_back(grown: firth.WordVectors, before: firth.WordVectors) -> firth.WordVectors:
    """The grown model with the old words' first vectors."""
    matrix = np.array(grown.vectors)
    matrix[[grown.lexicon.row_of(word) for word in before.words]] = before.vectors
    return firth.WordVectors(grown.words, matrix)


def frozen_on_both_sides(model: firth.Word2Vec, corpus: firth.Corpus, start: firth.WordVectors, seed: int) -> Any:
    """The grown model with old words frozen, and their output vectors put back again and again."""
    arguments: TrainingArguments[Any] = TrainingArguments(seed=seed, threads=1, start=start, freeze=True)
    prepared, data, arguments = model.prepare(corpus, {}, arguments)

    def train(run: Any) -> Any:
        rows = np.flatnonzero(run.matrices.frozen)
        before, (shard,) = run.matrices.outputs[rows], run.shards
        train_shard, stop = run.trainer(run.matrices), np.zeros(1, dtype=np.int64)
        for _ in range(run.epochs):
            for last in [*range(PIECE, shard.last, PIECE), shard.last]:
                train_shard(dataclasses.replace(shard, last=last), stop)
                run.matrices.outputs[rows] = before
            shard.rewind()
        return run.finish(run.matrices, {})

    return prepared.train_on(data, dataclasses.replace(arguments, runner=train))


def measure(text: Path, other: Path | None, seeds: Sequence[int], folder: Path) -> None:
    """Train and judge everything for each seed."""
    lines = list(firth.Corpus.build(text, min_count=1, progress=False))
    for seed in seeds:
        measure_seed(lines, other, seed, folder)


def measure_seed(lines: Sequence[list[str]], other: Path | None, seed: int, folder: Path) -> None:
    """Train and judge what has not been measured with a seed."""
    gold = sorted({word for name in SETS for pair in pairs_of(name) for word in pair[:2]})
    new = set(np.random.default_rng(seed).choice(gold, round(NEW * len(gold)), replace=False).tolist())
    measured = {row["model"] for row in records.read(FILE) if row["seed"] == seed} if FILE.exists() else set()
    first = [[word for word in line if word not in new] for line in lines[: len(lines) // 2]]
    second = lines[len(lines) // 2 :]
    how: dict[str, Any] = {"seed": seed, "threads": 1, "progress": False}

    def build(texts: Any) -> firth.Corpus:
        return firth.Corpus.build(texts, cache=folder, min_count=5, progress=False)

    def told(name: str, make: Callable[[], firth.WordVectors]) -> None:
        if name not in measured:
            vectors = make()
            keep(FILE, model=name, seed=seed, vocabulary=len(vectors), **judge(vectors, new, folder))

    model = firth.Word2Vec(dim=DIM, epochs=EPOCHS)
    start = model.train(build(first), **how)
    told("first", lambda: start)
    told("everything at once", lambda: model.train(build([*first, *second]), **how))

    def grow(kind: str, corpus: firth.Corpus, lr: float) -> None:
        growing = dataclasses.replace(model, lr=lr)
        grown = functools.cache(lambda: growing.train(corpus, start=start, **how))
        name = f"{kind}, lr {lr}"
        told(name, grown)
        told(f"{name}, put back", lambda: put_back(grown(), start))
        told(f"{name}, frozen", lambda: growing.train(corpus, start=start, freeze=True, **how))
        told(f"{name}, frozen on both sides", lambda: frozen_on_both_sides(growing, corpus, start, seed))

    def add(kind: str, corpus: firth.Corpus) -> None:
        told(f"{kind} alone", lambda: model.train(corpus, **how))
        for lr in (0.025, 0.0025):
            grow(kind, corpus, lr)

    add("same", build(second))
    if other is not None:
        add("other", build(other))


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Means over the seeds, as Markdown."""
    lines = [f"| model | words | {' | '.join(FIGURES)} |", "|---|---|" + "---|" * len(FIGURES)]
    names = list(dict.fromkeys(row["model"] for row in rows))
    bases = {name: next(each for each in (*names, name) if name.startswith(each)) for name in names}
    for name in sorted(names, key=lambda name: names.index(bases[name])):  # beside what they were made of
        own = [row for row in rows if row["model"] == name]
        lines.append(f"| {name} | {own[0]['vocabulary']:,} | {' | '.join(spread(own, each) for each in FIGURES)} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="or 'table'")
    parser.add_argument("--other", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    args = parser.parse_args(arguments)
    if str(args.text) == "table":
        print(table(records.read(FILE)))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(args.text, args.other, args.seeds, Path(folder))


if __name__ == "__main__":
    main()
