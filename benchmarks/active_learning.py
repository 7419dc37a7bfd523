"""Active learning of entities: sentences that a tagger chooses by its uncertainty, against sentences at random.

    python -m benchmarks.active_learning run [--measures mnlp total] [--draws 3]
    python -m benchmarks.active_learning table

A run begins with 50 sentences of WikiGold at random. Each round trains a tagger at its defaults on what is chosen so
far, and adds the 50 sentences of the rest of which it is least certain; at random, 50, 200 and 300 sentences are
nested. A row holds one training, its F1 of entities on 500 other sentences, and the sentences that it chose next. Rows
go to results/small/active_learning.jsonl; what is there is not trained again.
"""

import argparse
import math
import random
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

import firth
from benchmarks import records
from benchmarks.tag_sizes import SETS, Example
from firth.comparison.learning_curve import DRAWS, Measured, point_of
from firth.evaluation.tags import score_tags
from firth.readers.span_tags import spans_of

FILE = Path(__file__).parent / "results" / "small" / "active_learning.jsonl"
START, BATCH, MOST = 50, 50, 250
RANDOM, CHOSEN = "random", ("mnlp", "total")
SIZES = {RANDOM: (50, 300, 200), **dict.fromkeys(CHOSEN, (100, 150, 200, 250))}
LEGEND = """# Active learning

`python -m benchmarks.active_learning`: F1 of entities of a tagger at its defaults on 500 sentences of WikiGold, in per
cent: the mean of three draws with its t interval, and each draw with the 95 % interval over the test sentences. A draw
begins with 50 sentences at random; each round adds the 50 of the other {pool:,} of which the tagger is least certain.
The column of sentences counts all that were annotated, the first 50, too. `mnlp` is least confidence normalised by
length, `total` the same without normalisation (`TaggerModel.uncertainty`). Words are those that were to be annotated.
The last column is the mean difference from {reference} sentences at random, of the same draws, with its t interval.

Both measures were set before the first run, and no other was tried. With 200 sentences `total` reaches the F1 of
{reference} at random in each draw, and `mnlp` does not in the mean. The sentences of `total` are long: there are about
as many words to read as in {reference} at random, and the interval of the difference holds 0. For as many words the
means of `mnlp` are higher than those at random, within the intervals. The rule of the tagger's defaults was chosen on
WikiGold (`tag.md`), and is the same for all rows.
"""
CALIBRATION = """## Confidences of entities

Of the {rows} taggers above: the mean Brier score, and the mean expected calibration error in ten bins, of a confidence
of each predicted entity. Lower is better.

| confidence | Brier score | calibration error |
|---|---:|---:|"""
NAMES = {"minimum": "lowest probability of a tag", "product": "product of the probabilities of its tags"}
REFERENCE = 300  # sentences at random


def pool_and_test() -> tuple[list[Example], list[Example]]:
    """The sentences to choose from, and those to judge by."""
    return SETS["wikigold"]()


def order(pool: Sequence[Example], draw: int) -> list[int]:
    """The numbers of the sentences of a pool at random."""
    numbers = list(range(len(pool)))
    random.Random(f"active {draw}").shuffle(numbers)
    return numbers


def most_uncertain(values: Sequence[float], rest: Sequence[int], number: int) -> list[int]:
    """The sentences of the highest values, of equal ones the first."""
    ranked = sorted(zip(values, rest, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return [sentence for _, sentence in ranked[:number]]


def measured(numbers: Sequence[int], pool: Sequence[Example], test: Sequence[Example], seed: int) -> records.Row:
    """Train on sentences of the pool; the scores, and what the tagger would choose next by each measure."""
    train, rest = [pool[number] for number in numbers], sorted({*range(len(pool))} - {*numbers})
    began = time.process_time()
    with warnings.catch_warnings(action="ignore"):  # few sentences
        model = firth.Tagger().train(train, seed=seed, threads=1, progress=False)
    used = time.process_time() - began
    predicted = model.predict([words for words, _ in test], probabilities=True, threads=1)
    scores = score_tags([tags for _, tags in test], [list(found.tags["tag"]) for found in predicted], spans=True)
    others = [pool[number][0] for number in rest]
    chosen = {
        measure: most_uncertain(model.uncertainty(others, measure=measure, threads=1).tolist(), rest, BATCH)
        for measure in CHOSEN
    }
    return {
        "score": round(scores.score, 4), "interval": [round(end, 4) for end in scores.interval],
        "words": sum(len(words) for words, _ in train), "entities": sum(len(spans_of(tags)) for _, tags in train),
        "training_seconds": round(used, 1), "calibration": calibration(predicted, test), "next": chosen,
    }  # fmt: skip


def calibration(predicted: Sequence[Any], test: Sequence[Example]) -> dict[str, list[float]]:
    """Brier score, and expected calibration error of ten bins, of confidences of predicted entities.

    They are the lowest probability of a tag of the entity, or the product of these.
    """
    pairs: dict[str, list[tuple[float, bool]]] = {"minimum": [], "product": []}
    for sentence, (_, gold) in zip(predicted, test, strict=True):
        right = {tuple(span) for span in spans_of(gold)}
        for start, end, label in spans_of(sentence.tags["tag"]):
            values = sentence.probabilities["tag"][start:end]
            pairs["minimum"].append((min(values), (start, end, label) in right))
            pairs["product"].append((math.prod(values), (start, end, label) in right))
    result = {}
    for name, rows in pairs.items():
        confidences, hits = (np.array(column, float) for column in zip(*rows, strict=True))
        bins = np.minimum((confidences * 10).astype(int), 9)
        error = sum(abs((confidences - hits)[bins == number].sum()) for number in range(10)) / len(hits)
        result[name] = [round(float(((confidences - hits) ** 2).mean()), 4), round(float(error), 4)]
    return result


def run(args: argparse.Namespace) -> None:
    """Train what the results do not hold yet."""
    pool, test = pool_and_test()
    for measure in args.measures:
        for draw in range(args.draws):
            numbers, chosen = order(pool, draw), order(pool, draw)[:START]
            for size in (size for size in SIZES[measure] if size <= args.most or measure == RANDOM):
                if measure != RANDOM:
                    name = measure if size > START + BATCH else RANDOM
                    chosen = chosen + _row(args.file, name, draw, size - BATCH)["next"][measure]
                key = {"measure": measure, "draw": draw, "sentences": size}
                if _found(args.file, **key) is None:
                    row = {**key, **measured(numbers[:size] if measure == RANDOM else chosen, pool, test, draw)}
                    records.append(args.file, row)
                    print(measure, draw, size, row["score"], row["training_seconds"], flush=True)


def _found(file: Path, measure: str, draw: int, sentences: int) -> records.Row | None:
    key = {"measure": measure, "draw": draw, "sentences": sentences}
    return next((row for row in records.read(file) if key.items() <= row.items()), None)


def _row(file: Path, measure: str, draw: int, sentences: int) -> records.Row:
    row = _found(file, measure, draw, sentences)
    if row is None:
        raise SystemExit(f"no row of {measure} with {sentences} sentences, draw {draw}; run it first")
    return row


def table(args: argparse.Namespace) -> None:
    """Write the table of the rows on disk."""
    rows = records.read(args.file)
    pool, _ = pool_and_test()
    lines = ["| chosen by | sentences | words | F1 | draws | difference |", "|---|---:|---:|---:|---|---:|"]
    reference = {row["draw"]: row for row in rows if (row["measure"], row["sentences"]) == (RANDOM, REFERENCE)}
    for measure, sizes in SIZES.items():
        for size in sorted(sizes):
            found = [row for row in rows if (row["measure"], row["sentences"]) == (measure, size)]
            if found:
                words = round(sum(row["words"] for row in found) / len(found))
                cells = [measure, size, f"{words:,}", _cell(size, found), _draws(found), _difference(found, reference)]
                lines.append(f"| {' | '.join(map(str, cells))} |")
    confidences = [f"| {NAMES[name]} | {_mean(rows, name, 0):.3f} | {_mean(rows, name, 1):.3f} |" for name in NAMES]
    legend = LEGEND.format(pool=len(pool) - START, reference=REFERENCE)
    text = [legend, *lines, "", CALIBRATION.format(rows=len(rows)), *confidences, ""]
    args.file.with_suffix(".md").write_text("\n".join(text), "utf-8")


def _mean(rows: Sequence[records.Row], name: str, which: int) -> float:
    return float(np.mean([row["calibration"][name][which] for row in rows]))


def _difference(rows: Sequence[records.Row], reference: Mapping[int, records.Row]) -> str:
    """The mean difference from the reference over the draws, in points, with its t interval."""
    values = [100 * (row["score"] - reference[row["draw"]]["score"]) for row in rows if row["draw"] in reference]
    if len(values) < 2:
        return ", ".join(f"{value:+.1f}" for value in values)
    half = float(stdtrit(len(values) - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(len(values)))
    mean = float(np.mean(values))
    return f"{mean:+.1f} ({mean - half:+.1f} - {mean + half:+.1f})"


def _cell(size: int, rows: Sequence[records.Row]) -> str:
    point = point_of(size, [Measured(row["score"], *row["interval"]) for row in rows])
    return f"{100 * point.value:.1f} ({100 * point.low:.1f} - {100 * point.high:.1f})"


def _draws(rows: Sequence[records.Row]) -> str:
    return ", ".join(
        f"{100 * row['score']:.1f} ({100 * row['interval'][0]:.1f} - {100 * row['interval'][1]:.1f})" for row in rows
    )


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.active_learning", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("--measures", nargs="+", choices=SIZES, default=[*SIZES])
    command.add_argument("--draws", type=int, default=DRAWS)
    command.add_argument("--most", type=int, default=MOST)
    command.add_argument("--file", type=Path, default=FILE)
    command.set_defaults(run=run)
    command = commands.add_parser("table")
    command.add_argument("--file", type=Path, default=FILE)
    command.set_defaults(run=table)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
