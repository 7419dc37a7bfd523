"""Two languages in one space: by 200, 500 and 1,000 pairs of words, and without any.

A file has a sentence and its translation a line, parted by a tab. Each side is trained by itself; nothing tells the
models which sentences belong together. A dictionary has a pair of words a line. Pairs are drawn at random to learn
from; all others are asked for, among all words of the other side: the share whose nearest word is right (P@1), by
cosine and by CSLS. The last lines are a control: the sides are trained on halves that have no sentence in common.

    python recipes/align_languages.py sentences.tsv.gz dictionary.txt
"""

import argparse
import gzip
import json
import random
import re
import tempfile
import time
import warnings
from pathlib import Path

import firth
from firth.alignment.retrieval import evaluate_retrieval

WORD = re.compile(r"[^\W\d_]+")
PIVOTS = (200, 500, 1000)
NAMES = ("source", "target")


def read_sentences(path):
    """Pairs of sentences, their words in lower case between spaces."""
    opened = gzip.open if Path(path).suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t")[:2] for line in file if "\t" in line]
    return [tuple(" ".join(WORD.findall(side.lower())) for side in row) for row in rows]


def read_pairs(path):
    rows = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [tuple(row) for row in rows if len(row) == 2]


def halves(sentences):
    """English of every other English sentence with all its translations, Spanish of the others."""
    place = {english: i % 2 for i, english in enumerate(dict.fromkeys(english for english, _ in sentences))}
    return [one for one, _ in sentences if not place[one]], [other for one, other in sentences if place[one]]


def train(sentences, name, seed, chosen):
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / f"{name}.txt"
        text.write_text("\n".join(sentences), encoding="utf-8")
        corpus = firth.Corpus.build(text, min_count=5, progress=False)
        model = firth.Word2Vec(dim=chosen.dim, window=chosen.window, sample=chosen.sample, epochs=chosen.epochs)
        return model.train(corpus, seed=seed, threads=chosen.threads, progress=False)


def learned(sides, pairs, count, seed, **how):
    """An alignment by some pairs drawn at random, and how well it finds the others."""
    known = [pair for pair in pairs if pair[0] in sides[0] and pair[1] in sides[1]]
    random.Random(seed).shuffle(known)
    with warnings.catch_warnings():  # weak vectors are warned of, and measured here
        warnings.simplefilter("ignore", UserWarning)
        alignment = firth.Procrustes(**how).align(*sides, known[:count], progress=False)
    return evaluate_retrieval(alignment, known[count:]), {"margin": alignment.metadata["margin"]}


def figures(told):
    cosine, csls = told
    return {
        "asked": csls.asked,
        **{f"cosine_p{k}": round(100 * figure.value, 2) for k, figure in cosine.precision.items()},
        **{f"csls_p{k}": round(100 * figure.value, 2) for k, figure in csls.precision.items()},
        "csls_p1_interval": [round(100 * end, 2) for end in (csls.precision[1].low, csls.precision[1].high)],
        "csls_mrr": round(csls.mrr.value, 4),
    }


def spent(began, busy):
    """Seconds since then, and those of all processors together, which other programs do not lengthen."""
    return {"seconds": round(time.perf_counter() - began, 2), "processor_seconds": round(time.process_time() - busy, 2)}


def measure(sentences, pairs, seed, chosen):
    """Every line of the table for one seed."""

    def timed(what, make):
        began, busy = time.perf_counter(), time.process_time()
        told, more = make()
        row = {"what": what, "seed": seed, **figures(told), **more, **spent(began, busy)}
        print(
            f"seed {seed}  {what:34} P@1 cosine {row['cosine_p1']:5.1f}  CSLS {row['csls_p1']:5.1f}  "
            f"margin {row['margin']:.3f}  {row['seconds']} s"
        )
        return row

    def unsupervised():
        with warnings.catch_warnings():  # what did not converge is measured too
            warnings.simplefilter("ignore", UserWarning)
            alignment = firth.SelfLearning(cutoff=chosen.cutoff).align(
                *sides, seed=seed, threads=chosen.threads, progress=False
            )
        names = ("rounds_taken", "runs_taken", "likeness", "agreement", "converged", "reason", "margin")
        return evaluate_retrieval(alignment, pairs), {name: alignment.metadata[name] for name in names}

    began = time.perf_counter()
    sides = [
        train(list(texts), name, seed, chosen) for texts, name in zip(zip(*sentences, strict=True), NAMES, strict=True)
    ]
    print(f"seed {seed}: {len(sides[0]):,} and {len(sides[1]):,} words, trained in {time.perf_counter() - began:.1f} s")
    rows = []
    for count in chosen.pivots:
        for method in ("orthogonal", "weighted"):
            what = f"{count} pivots, {method}"
            rows.append(timed(what, lambda n=count, m=method: learned(sides, pairs, n, seed, method=m)))
    refined = f"{chosen.pivots[0]} pivots, orthogonal, refined"
    rows.append(timed(refined, lambda: learned(sides, pairs, chosen.pivots[0], seed, refine=5)))
    rows.append(timed("no dictionary", unsupervised))
    apart = [train(texts, name, seed, chosen) for texts, name in zip(halves(sentences), NAMES, strict=True)]
    for method in ("orthogonal", "weighted"):
        what = f"halves, {chosen.pivots[-1]} pivots, {method}"
        rows.append(timed(what, lambda m=method: learned(apart, pairs, chosen.pivots[-1], seed, method=m)))
    return rows


def table(rows):
    """Means over seeds, a line for each way, as Markdown."""
    lines = [
        "| learned from | asked | P@1 cosine | P@1 CSLS | of the seeds | P@5 CSLS | P@10 CSLS | processor seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for what in dict.fromkeys(row["what"] for row in rows):
        mine = [row for row in rows if row["what"] == what]
        mean = {name: sum(row[name] for row in mine) / len(mine) for name in mine[0] if name.startswith(("co", "cs"))
                and isinstance(mine[0][name], float)}  # fmt: skip
        each = ", ".join(f"{row['csls_p1']:.1f}" for row in mine)
        seconds = sum(row["processor_seconds"] for row in mine) / len(mine)
        lines.append(
            f"| {what} | {mine[0]['asked']:,} | {mean['cosine_p1']:.1f} | {mean['csls_p1']:.1f} | {each} "
            f"| {mean['csls_p5']:.1f} | {mean['csls_p10']:.1f} | {seconds:.1f} |"
        )
    return "\n".join(lines) + "\n"


def keep(rows, text, target, chosen):
    """Add the figures of a seed to a file, and write the table of all so far beside it."""
    with target.open("a", encoding="utf-8") as file:
        for row in rows:
            how = {name: getattr(chosen, name) for name in ("dim", "window", "sample", "epochs", "every", "cutoff")}
            facts = {"version": firth.__version__, **how, **row}
            file.write(json.dumps(facts) + "\n")
    target.with_suffix(".md").write_text(text, encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Precision of word translation, with and without a dictionary.")
    parser.add_argument("sentences", help="a sentence, a tab and its translation a line; may be packed by gzip")
    parser.add_argument("dictionary", help="a word and its translation a line")
    parser.add_argument("--seeds", type=int, default=3, help="how many trainings of each side")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--window", type=int, default=15)
    parser.add_argument("--sample", type=float, default=3e-4)
    parser.add_argument("--every", type=int, default=1, help="take every so manieth pair of sentences")
    parser.add_argument("--cutoff", type=int, default=2500, help="frequent words that the way without dictionary uses")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--results", help="file of JSON lines to add the figures to; the table goes beside it")
    parser.add_argument("--toy", action="store_true", help="few sentences, one seed: does it run?")
    chosen = parser.parse_args(arguments)
    chosen.pivots = PIVOTS
    sentences, pairs = read_sentences(chosen.sentences), read_pairs(chosen.dictionary)
    if chosen.toy:
        chosen.seeds, chosen.epochs, chosen.cutoff, chosen.pivots = 1, 8, 400, (200, 800)
        sentences = sentences[-len(sentences) // 3 :]
    sentences = sentences[:: chosen.every]
    rows = []
    for seed in range(1, chosen.seeds + 1):
        found = measure(sentences, pairs, seed, chosen)
        rows += found
        if chosen.results:
            keep(found, table(rows), Path(chosen.results), chosen)
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
