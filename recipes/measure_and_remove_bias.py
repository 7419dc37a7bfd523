"""Measures bias in word vectors, before and after debiasing, and what remains.

    python recipes/measure_and_remove_bias.py wiki.txt.xz --seeds 3          # trains one skip-gram per seed
    python recipes/measure_and_remove_bias.py wiki.firth                     # existing vectors, in any format
    python recipes/measure_and_remove_bias.py wiki.txt.xz --json > bias.jsonl
    python recipes/measure_and_remove_bias.py --table bias.jsonl             # means over seeds, as Markdown

Figures: the ten association tests of Caliskan et al. 2017; for each debiasing method direct bias, the tests about
gender, WordSim-353 and SimLex-999, before and after, with the control of Gonen and Goldberg 2019; and one inequality:
is "homemaker" nearer to "women" than to "men"? The lists and sets are the published ones, from FIRTH_DATA or downloaded
once.
"""

import argparse
import json
import time
from pathlib import Path
from statistics import mean

import numpy as np

import firth
from firth import bias

GENDER = ("weat-6", "weat-7", "weat-8")
SIMILARITY = ("wordsim-353", "simlex-999")
WAYS = {"hard": {}, "double-hard": {}, "half-sibling": {}, "null-space": {}}
INEQUALITY = (("men", "women"), ("homemaker", "housewife", "nurse", "engineer", "programmer"))


def measured(vectors, tests, lists, similarity=SIMILARITY):
    """Yield the figures of some vectors, one row each."""
    for test in tests:
        yield {"what": "test", **bias.weat(vectors, test).row, "by_word": {}}
    (one, other), words = INEQUALITY
    for word in words:
        if {one, other, word} <= set(vectors.key_to_index):
            near = [float(vectors.similarity(side, word)) for side in (one, other)]
            yield {"what": "inequality", "name": f"{one}, {other}: {word}", "first": near[0], "second": near[1]}
    gender = [test for test in tests if test.name in GENDER]
    before = likeness(vectors, similarity)
    for way, options in WAYS.items():
        began = time.monotonic()
        debiased = bias.debias(vectors, way, lists, **options)
        seconds = time.monotonic() - began
        effects = bias.effects(vectors, debiased, lists, gender)
        for change in effects.changes:
            yield {"what": "change", "way": way, **change.row}
        for name, value in likeness(debiased, similarity).items():
            yield {"what": "change", "way": way, "name": name, "before": before[name], "after": value}
        steps = [
            step for step in debiased.metadata["postprocessing"] if step["step"] not in ("normalise", "neutralise")
        ]
        yield {"what": "control", "way": way, **effects.control.row, "seconds": round(seconds, 2), "steps": steps}


def likeness(vectors, sets):
    """Spearman's correlation on sets of word pairs, in points."""
    if not sets:
        return {}
    report = firth.evaluate(vectors, similarity=list(sets), resamples=1, progress=False)
    return {row.set: 100 * row.value for row in report.rows}


def toy():
    """Toy vectors with bias along two directions; the defining pairs show only one of them."""
    random = np.random.default_rng(0)
    basis, _ = np.linalg.qr(random.normal(size=(20, 20)))
    pairs = [(f"she{i}", f"he{i}") for i in range(8)]
    words = [word for pair in pairs for word in pair] + [f"w{i}" for i in range(400)]
    sides = np.where(np.arange(len(words)) % 2, 1.0, -1.0)
    rows = 0.3 * random.normal(size=(len(words), 18)) @ basis[:, 2:].T + np.outer(sides, basis[:, 0])
    rows[16:] += 0.8 * np.outer(sides[16:], basis[:, 1])
    some = {"even": words[16:32:2], "odd": words[17:33:2]}
    test = bias.Query(some, {"she": words[0:16:2], "he": words[1:16:2]}, "weat-7")
    neutral = [word for each in some.values() for word in each]
    return firth.WordVectors(words, rows), [test], bias.BiasLists(pairs, neutral=neutral)


def table(rows):
    """Lines of Markdown: means over seeds, the number of seeds with p below 0.05, and relative reductions."""
    seeds = len({row["seed"] for row in rows})
    tests = grouped(row for row in rows if row["what"] == "test")
    yield f"Means of {seeds} seed{'s' * (seeds > 1)}; p below 0.05 in so many of them."
    yield "\n| test | d | 95 % interval | s(X, Y, A, B) | p < 0.05 | words |\n|---|---|---|---|---|---|"
    for name, some in tests.items():
        low, high, d, s = (averaged(some, key) for key in ("low", "high", "effect", "statistic"))
        total = sum(one["given"] for one in some[0]["sets"].values())
        significant = sum(one["p"] < 0.05 for one in some)
        yield f"| {name} | {d:.2f} | {low:.2f} to {high:.2f} | {s:.3f} | {significant} | {some[0]['words']}/{total} |"
    yield "\n| cosine of | with the first | with the second |\n|---|---|---|"
    for name, some in grouped(row for row in rows if row["what"] == "inequality").items():
        yield f"| {name} | {averaged(some, 'first'):.3f} | {averaged(some, 'second'):.3f} |"
    yield "\n| way | figure | before | after | gone |\n|---|---|---|---|---|"
    for way in WAYS:
        ours = [row for row in rows if row.get("way") == way]
        for name, some in grouped(row for row in ours if row["what"] == "change").items():
            name = f"direct bias, {name}" if some[0].get("metric") == "direct-bias" else name
            yield f"| {way} | {name} | {compared(some, 'before', 'after')}"
            if "statistic_before" in some[0]:
                yield f"| {way} | {name}, s(X, Y, A, B) | {compared(some, 'statistic_before', 'statistic_after')}"
        control = [row for row in ours if row["what"] == "control"]
        for key in ("clusters", "classifier", "neighbours"):
            before, after = (mean(row[when][key] for row in control) for when in ("before", "after"))
            yield f"| {way} | control: {key} | {before:.3f} | {after:.3f} | |"


def compared(rows, before, after):
    """Means, and the mean relative reduction of absolute values, so that signs of seeds do not cancel."""
    reduction = mean(1 - abs(row[after]) / abs(row[before]) for row in rows)
    return f"{averaged(rows, before):.3f} | {averaged(rows, after):.3f} | {reduction:.0%} |"


def grouped(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["name"], []).append(row)
    return groups


def averaged(rows, key):
    return mean(row[key] for row in rows)


def spaces(args):
    """Vectors by seed: trained, or loaded."""
    if Path(args.source).is_dir() or Path(args.source).suffix in (".firth", ".bin", ".vec"):
        yield 0, firth.load(args.source)
        return
    corpus = firth.Corpus.build(args.source)
    for seed in range(args.seeds):
        vectors = firth.Word2Vec(dim=args.dim).train(corpus, seed=seed, threads=args.threads)
        if args.keep:
            vectors.save(Path(args.keep) / f"skipgram-{seed}.firth")
        yield seed, vectors


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", help="text to train on, or vectors")
    parser.add_argument("--seeds", type=int, default=1, help="number of skip-grams to train")
    parser.add_argument("--dim", type=int, default=100, help="vector dimension")
    parser.add_argument("--threads", type=int, default=None, help="training threads")
    parser.add_argument("--keep", help="folder to save the vectors in")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.add_argument("--table", help="file of such lines, to print as a table")
    parser.add_argument("--toy", action="store_true", help="artificial vectors; takes seconds")
    args = parser.parse_args(arguments)
    if not (args.source or args.table or args.toy):
        parser.error("expected text, vectors, --table FILE or --toy")
    rows = []
    if args.table:
        rows = [json.loads(line) for line in Path(args.table).read_text("utf-8").splitlines()]
    elif args.toy:
        vectors, tests, lists = toy()
        rows = [{"seed": 0, **row} for row in measured(vectors, tests, lists, similarity=())]
    else:
        tests, lists = bias.weat_queries(), bias.BiasLists.of_gender()
        for seed, vectors in spaces(args):
            for row in measured(vectors, tests, lists):
                rows.append({"seed": seed, "firth": firth.__version__, **row})
                if args.json:
                    print(json.dumps(rows[-1]), flush=True)
    if not args.json:
        print("\n".join(table(rows)))
    return rows


if __name__ == "__main__":
    main()
