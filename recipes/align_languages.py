"""Aligns two languages in one space, with 200, 500 and 1,000 word pairs and without any.

Each line of the text has a sentence, a tab and its translation. Each side is trained separately, without knowledge of
the sentence pairs. The dictionary has one word pair per line. Some random pairs train the alignment; the others test it
by retrieval among all words of the other side: the share of words with the right nearest word (P@1), by cosine and by
CSLS. The last lines are a control: the sides are trained on halves without a common sentence.

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
from firth.alignment import evaluate_retrieval

WORD = re.compile(r"[^\W\d_]+")
PIVOTS = (200, 500, 1000)
NAMES = ("source", "target")


def read_sentences(path):
    """Pairs of sentences as lower-case words between spaces."""
    open_file = gzip.open if Path(path).suffix == ".gz" else open
    with open_file(path, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t")[:2] for line in file if "\t" in line]
    return [tuple(" ".join(WORD.findall(side.lower())) for side in row) for row in rows]


def read_pairs(path):
    rows = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return [tuple(row) for row in rows if len(row) == 2]


def halves(sentences):
    """Every other English sentence, and the Spanish translations of the remaining ones."""
    place = {english: i % 2 for i, english in enumerate(dict.fromkeys(english for english, _ in sentences))}
    return [one for one, _ in sentences if not place[one]], [other for one, other in sentences if place[one]]


def train(sentences, name, seed, args):
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / f"{name}.txt"
        text.write_text("\n".join(sentences), encoding="utf-8")
        corpus = firth.Corpus.build(text, min_count=5, progress=False)
        model = firth.Word2Vec(dim=args.dim, window=args.window, sample=args.sample, epochs=args.epochs)
        return model.train(corpus, seed=seed, threads=args.threads, progress=False)


def learned(sides, pairs, count, seed, **options):
    """Align with some random pairs and evaluate on the others."""
    dictionary = [pair for pair in pairs if pair[0] in sides[0] and pair[1] in sides[1]]
    random.Random(seed).shuffle(dictionary)
    with warnings.catch_warnings():  # the warning about weak vectors: their quality is measured here
        warnings.simplefilter("ignore", UserWarning)
        alignment = firth.Procrustes(**options).align(*sides, dictionary[:count], progress=False)
    return evaluate_retrieval(alignment, dictionary[count:]), {"margin": alignment.metadata["margin"]}


def figures(results):
    cosine, csls = results
    return {
        "asked": csls.asked,
        **{f"cosine_p{k}": round(100 * figure.value, 2) for k, figure in cosine.precision.items()},
        **{f"csls_p{k}": round(100 * figure.value, 2) for k, figure in csls.precision.items()},
        "csls_p1_interval": [round(100 * end, 2) for end in (csls.precision[1].low, csls.precision[1].high)],
        "csls_mrr": round(csls.mrr.value, 4),
    }


def spent(began, busy):
    """Elapsed seconds and processor seconds; the latter do not depend on other programs."""
    return {"seconds": round(time.perf_counter() - began, 2), "processor_seconds": round(time.process_time() - busy, 2)}


def measure(sentences, pairs, seed, args):
    """Every line of the table for one seed."""

    def timed(what, make):
        began, busy = time.perf_counter(), time.process_time()
        results, more = make()
        row = {"what": what, "seed": seed, **figures(results), **more, **spent(began, busy)}
        print(
            f"seed {seed}  {what:34} P@1 cosine {row['cosine_p1']:5.1f}  CSLS {row['csls_p1']:5.1f}  "
            f"margin {row['margin']:.3f}  {row['seconds']} s"
        )
        return row

    def unsupervised():
        with warnings.catch_warnings():  # runs that did not converge are measured too
            warnings.simplefilter("ignore", UserWarning)
            alignment = firth.SelfLearning(cutoff=args.cutoff).align(
                *sides, seed=seed, threads=args.threads, progress=False
            )
        names = ("rounds_taken", "runs_taken", "likeness", "agreement", "converged", "reason", "margin")
        return evaluate_retrieval(alignment, pairs), {name: alignment.metadata[name] for name in names}

    began = time.perf_counter()
    sides = [
        train(list(texts), name, seed, args) for texts, name in zip(zip(*sentences, strict=True), NAMES, strict=True)
    ]
    print(f"seed {seed}: {len(sides[0]):,} and {len(sides[1]):,} words, trained in {time.perf_counter() - began:.1f} s")
    rows = []
    for count in args.pivots:
        for method in ("orthogonal", "weighted"):
            what = f"{count} pivots, {method}"
            rows.append(timed(what, lambda n=count, m=method: learned(sides, pairs, n, seed, method=m)))
    refined = f"{args.pivots[0]} pivots, orthogonal, refined"
    rows.append(timed(refined, lambda: learned(sides, pairs, args.pivots[0], seed, refine=5)))
    rows.append(timed("no dictionary", unsupervised))
    apart = [train(texts, name, seed, args) for texts, name in zip(halves(sentences), NAMES, strict=True)]
    for method in ("orthogonal", "weighted"):
        what = f"halves, {args.pivots[-1]} pivots, {method}"
        rows.append(timed(what, lambda m=method: learned(apart, pairs, args.pivots[-1], seed, method=m)))
    return rows


def table(rows):
    """Means over seeds as Markdown, one line per method."""
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


def keep(rows, text, target, args):
    """Append the figures of a seed to a file, and write the table of all so far beside it."""
    with target.open("a", encoding="utf-8") as file:
        for row in rows:
            options = {name: getattr(args, name) for name in ("dim", "window", "sample", "epochs", "every", "cutoff")}
            facts = {"version": firth.__version__, **options, **row}
            file.write(json.dumps(facts) + "\n")
    target.with_suffix(".md").write_text(text, encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Precision of word translation, with and without a dictionary.")
    parser.add_argument("sentences", help="per line a sentence, a tab and its translation; may be gzipped")
    parser.add_argument("dictionary", help="per line a word and its translation")
    parser.add_argument("--seeds", type=int, default=3, help="number of trainings of each side")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--window", type=int, default=15)
    parser.add_argument("--sample", type=float, default=3e-4)
    parser.add_argument("--every", type=int, default=1, help="use every n-th pair of sentences")
    parser.add_argument("--cutoff", type=int, default=2500, help="frequent words for self-learning (no dictionary)")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--results", help="JSON lines file to append the figures to; the table goes beside it")
    parser.add_argument("--toy", action="store_true", help="few sentences, one seed: a quick check")
    args = parser.parse_args(arguments)
    args.pivots = PIVOTS
    sentences, pairs = read_sentences(args.sentences), read_pairs(args.dictionary)
    if args.toy:
        args.seeds, args.epochs, args.cutoff, args.pivots = 1, 8, 400, (200, 800)
        sentences = sentences[-len(sentences) // 3 :]
    sentences = sentences[:: args.every]
    rows = []
    for seed in range(1, args.seeds + 1):
        results = measure(sentences, pairs, seed, args)
        rows += results
        if args.results:
            keep(results, table(rows), Path(args.results), args)
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
