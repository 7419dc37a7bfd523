"""Training with the same bits for any number of threads beside training without locks: speed and quality.

    python -m benchmarks.deterministic speed --rounds 5
    python -m benchmarks.deterministic quality --seeds 1 2 3
    python -m benchmarks.deterministic table

The text is Wikipedia in the manner of text8, or `--corpus FILE`. For speed, both ways of training take turns with 1 and
2 threads, one epoch each; a round is thrown away first. For quality, each seed trains EPOCHS epochs both ways with two
threads, and without locks with one: the spread over the seeds is the interval that the other way should lie in. Rows go
to results/deterministic.jsonl, and nothing there is rewritten; the table stands in results/deterministic.md.
"""

import argparse
import dataclasses
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import firth
from benchmarks import inputs, machine, records
from benchmarks.__main__ import _default_cache
from benchmarks.models import MIN_COUNT

FILE = Path(__file__).parent / "results" / "deterministic.jsonl"
EPOCHS = 3
COMMON: dict[str, Any] = {"dim": 100, "window": 5, "negative": 5, "sample": 1e-4}
MODELS: dict[str, Any] = {
    "skip-gram": firth.Word2Vec(**COMMON),
    "CBOW": firth.Word2Vec(architecture="cbow", **COMMON),
    "hierarchical": firth.Word2Vec(objective="hierarchical", **COMMON),
    "subwords": firth.FastText(**COMMON),
    "structured": firth.StructuredWord2Vec(**COMMON),
    "paragraph vectors": firth.ParagraphVectors(**COMMON),
}
SIMILARITY, ANALOGIES = ("wordsim-353", "men", "simlex-999"), ("google-analogies",)
LOCK_FREE, DETERMINISTIC = "lock-free", "deterministic"

Row = dict[str, Any]


def speed(corpus: firth.Corpus, models: Sequence[str], rounds: int) -> None:
    """Train each model both ways with 1 and 2 threads, in turns."""
    for model in models:
        trainer = dataclasses.replace(MODELS[model], epochs=1)
        for number in range(-1, rounds):
            for threads in (1, 2):
                for way in (LOCK_FREE, DETERMINISTIC):
                    training = {"threads": threads, "deterministic": way == DETERMINISTIC}
                    facts = trainer.train(corpus, seed=0, progress=False, **training).metadata["training"]
                    if number >= 0:
                        words = facts["words"] / facts["seconds"]
                        _keep("speed", model, way, threads, corpus, round=number, words_a_second=round(words))


def quality(corpus: firth.Corpus, models: Sequence[str], seeds: Sequence[int]) -> None:
    """Train and evaluate each model both ways with every seed."""
    for model in models:
        trainer = dataclasses.replace(MODELS[model], epochs=EPOCHS)
        for seed in seeds:
            for way, threads in ((LOCK_FREE, 1), (LOCK_FREE, 2), (DETERMINISTIC, 2)):
                began = time.perf_counter()
                vectors = trainer.train(
                    corpus, seed=seed, threads=threads, deterministic=way == DETERMINISTIC, progress=False
                )
                seconds = round(time.perf_counter() - began, 1)
                loss = vectors.metadata["training"]["sample_loss"][-1]
                words = vectors.words if isinstance(vectors, firth.DocumentVectors) else vectors
                _keep("quality", model, way, threads, corpus, seed=seed, seconds=seconds, loss=loss, **judge(words))


def judge(vectors: Any) -> dict[str, float]:
    """Correlations and accuracies in hundredths, by set and metric."""
    report = firth.evaluate(vectors, similarity=list(SIMILARITY), analogies=list(ANALOGIES), progress=False)
    return {f"{row.set}, {row.metric}": round(100 * row.value, 2) for row in report.rows if "/" not in row.set}


def keep(file: Path, **figures: Any) -> None:
    """Append a row with the machine, its load and the state of the source, and show it."""
    row = {**figures, "machine": machine.describe(), "load": machine.load(), "source": machine.source_state()}
    records.append(file, row)
    print({name: value for name, value in row.items() if name not in {"machine", "source"}}, flush=True)


def _keep(kind: str, model: str, way: str, threads: int, corpus: firth.Corpus, **figures: Any) -> None:
    keep(FILE, kind=kind, model=model, way=way, threads=threads, words=corpus.num_tokens, **figures)


def table(rows: Sequence[Row]) -> str:
    """Medians of speeds with the ratio inside a round, and means of figures over the seeds, as Markdown.

    Of speeds the rows of the newest state of the source count.
    """
    lines = ["| model | threads | lock-free, words/s | deterministic, words/s | ratio |", "|---|---|---|---|---|"]
    speeds = [row for row in rows if row["kind"] == "speed"]
    speeds = [row for row in speeds if row["source"] == speeds[-1]["source"]]
    for model, threads in sorted({(row["model"], row["threads"]) for row in speeds}):
        own = [row for row in speeds if (row["model"], row["threads"]) == (model, threads)]
        free, fixed = ([row["words_a_second"] for row in own if row["way"] == w] for w in (LOCK_FREE, DETERMINISTIC))
        ratio = statistics.median(b / a for a, b in zip(free, fixed, strict=False))
        medians = (f"{statistics.median(each):,.0f}" for each in (free, fixed))
        lines.append(f"| {model} | {threads} | {' | '.join(medians)} | {ratio:.2f} |")
    judged = [row for row in rows if row["kind"] == "quality"]
    if not judged:
        return "\n".join(lines) + "\n"
    others = {"kind", "model", "way", "threads", "words", "seed", "seconds", "machine", "load", "source"}
    names = list(dict.fromkeys(name for row in judged for name in row if name not in others))
    lines += ["", f"| model | training | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for model in MODELS:
        for way, threads in ((LOCK_FREE, 1), (LOCK_FREE, 2), (DETERMINISTIC, 2)):
            own = [row for row in judged if (row["model"], row["way"], row["threads"]) == (model, way, threads)]
            if own:
                cells = (spread(own, name) for name in names)
                lines.append(f"| {model} | {way}, {threads} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def spread(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """The mean of a figure, the least and the greatest."""
    values = [row[name] for row in rows if name in row]
    if len(values) < 2:
        return f"{values[0]:.2f}" if values else ""
    return f"{statistics.fmean(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "quality", "table"))
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=5, help="rounds of speed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="seeds of quality")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="words and spaces (default: Wikipedia as text8)")
    parser.add_argument("--cache", type=Path, default=_default_cache(), metavar="DIR", help="for what is made once")
    args = parser.parse_args(arguments)
    if args.what == "table":
        print(table(records.read(FILE)))
        return
    args.cache.mkdir(parents=True, exist_ok=True)
    text = inputs.tokenised(args.cache, args.corpus and args.corpus.resolve())
    corpus = firth.Corpus.build([text.path], tokens="whitespace", min_count=MIN_COUNT, progress=False)
    if args.what == "speed":
        speed(corpus, args.models, args.rounds)
    else:
        quality(corpus, args.models, args.seeds)


if __name__ == "__main__":
    main()
