"""Sentiment of sentences from their trees: an N-ary Tree-LSTM, an LSTM over the same phrases, and TF-IDF.

The Stanford Sentiment Treebank has a label at every phrase. Tree-LSTMs learn from all of them and are judged by the
sentences of the test set, with five labels and with two (neutral sentences left out). The LSTM reads the words of each
labelled phrase in order, so that the difference is what the trees are worth. TF-IDF with logistic regression learns
from whole sentences. The development set selects the epoch, and trees of it that the training file repeats are removed.

    python recipes/sentiment_trees.py SST --vectors vectors.firth --results sst.jsonl --table sst.md
    python recipes/sentiment_trees.py SST --tasks five --kinds n-ary --seeds 0
    python recipes/sentiment_trees.py --toy

SST is a folder with train.txt, dev.txt and test.txt, plain or .gz, one tree in brackets per line. Without --vectors,
word vectors begin at random.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import baseline_correct, wilson_interval
from firth.readers import bracketed, parse_bracketed, read_bracketed

MERGED = {"five": "", "two": "negative=0,1 positive=3,4"}
KINDS = ("n-ary", "lstm")


def treebank(folder):
    """Training, development and test trees; none of training is one of the others."""
    parts = {}
    for name in ("train", "dev", "test"):
        path = next((folder / file for file in (f"{name}.txt", f"{name}.txt.gz") if (folder / file).exists()), None)
        if path is None:
            raise SystemExit(f"{folder}: no {name}.txt or {name}.txt.gz")
        parts[name] = list(read_bracketed(path))
    held_out = {bracketed(tree) for name in ("dev", "test") for tree in parts[name]}
    kept = [tree for tree in parts["train"] if bracketed(tree) not in held_out]
    print(f"{len(kept):,} training trees; {len(parts['train']) - len(kept):,} of dev or test left out")
    return {**parts, "train": kept}


def root_labels(trees, merged):
    """The label of each sentence, "" for none."""
    return [merged.get(tree.labels[0], "") if merged else tree.labels[0] for tree in trees]


def tfidf(trees, options):
    """Which test sentences TF-IDF gets right."""
    parts = [(tree, label, name) for name in trees for tree, label in zip(
        trees[name], root_labels(trees[name], options.merged), strict=True) if label]  # fmt: skip
    numbers = np.unique([label for _, label, _ in parts], return_inverse=True)[1]
    of = np.array([name for _, _, name in parts])
    texts, fold = [tree.sentence for tree, _, _ in parts], np.where(of == "test", 0, -1)
    return baseline_correct(texts, numbers, fold, development=of == "dev")[of == "test"]


def row_of(task, model, seed, correct, seconds):
    """A row of results."""
    low, high = wilson_interval(int(correct.sum()), len(correct))
    row = {
        "task": task, "model": model, "seed": seed, "accuracy": round(float(correct.mean()), 4),
        "low": round(low, 4), "high": round(high, 4), "sentences": len(correct), "seconds": round(seconds, 1),
    }  # fmt: skip
    print(json.dumps(row), flush=True)
    return row


def judged(model, test):
    """Which test sentences with a label a model gets right."""
    labels = root_labels(test, model.options.merged)
    kept = [(tree, label) for tree, label in zip(test, labels, strict=True) if label]
    predictions = model.predict([tree for tree, _ in kept])
    return np.array([best[0][0] == label for best, (_, label) in zip(predictions, kept, strict=True)])


def run(trees, arguments, training=None, **sizes):
    """Train and judge everything that is asked for."""
    vectors = firth.load(arguments.vectors) if arguments.vectors else None
    rows = []
    for task in arguments.tasks:
        options = firth.TreeLSTMClassifier(merge=MERGED[task], **sizes)
        start = time.perf_counter()
        rows.append(row_of(task, "TF-IDF, logistic regression", 0, tfidf(trees, options), time.perf_counter() - start))
        for kind in arguments.kinds:
            for seed in arguments.seeds:
                options = firth.TreeLSTMClassifier(kind=kind, merge=MERGED[task], **sizes)
                start = time.perf_counter()
                model = options.train(
                    trees["train"], held_out=trees["dev"], vectors=vectors, training=training, seed=seed
                )
                seconds = time.perf_counter() - start
                rows.append(row_of(task, f"Tree-LSTM, {kind}", seed, judged(model, trees["test"]), seconds))
    return rows


def table(rows):
    """The rows as Markdown: means over seeds, with the interval of the first."""
    lines = [
        "| labels | model | accuracy | 95 % interval, first seed | seeds | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    groups = {}
    for row in rows:
        groups.setdefault((row["task"], row["model"]), []).append(row)
    for (task, model), some in groups.items():
        figures = [100 * row["accuracy"] for row in some]
        spread = f" +- {statistics.stdev(figures):.1f}" if len(figures) > 1 else ""
        interval = f"{100 * some[0]['low']:.1f} to {100 * some[0]['high']:.1f}"
        seconds = statistics.median(row["seconds"] for row in some)
        lines.append(
            f"| {task} | {model} | {statistics.mean(figures):.1f}{spread} | {interval} | {len(some)} | {seconds:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def toy(seed=0):
    """Trees whose label follows from "not" and its place: it turns its own phrase only, whatever stands nearer."""
    chance = random.Random(seed)

    def sentence():
        words = {"good": 4, "bad": 0, "fine": 4, "poor": 0}
        (first, a), (second, b) = (chance.choice(list(words.items())) for _ in range(2))
        if chance.random() < 0.5:  # ((not A) B): B decides; (not (A B)): the opposite of B
            left = f"({4 - a} (2 not) ({a} {first}))"
            return f"({b} {left} ({b} {second}))"
        return f"({4 - b} (2 not) ({b} ({a} {first}) ({b} {second})))"

    return [next(parse_bracketed(sentence(), "toy")) for _ in range(150)]


def main(arguments=None):
    """Train, judge, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="folder with train.txt, dev.txt and test.txt")
    parser.add_argument("--vectors", help="word vectors to start from")
    parser.add_argument("--tasks", nargs="+", choices=tuple(MERGED), default=list(MERGED))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "sst.jsonl")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--toy", action="store_true", help="a made-up treebank, in seconds")
    options = parser.parse_args(arguments)
    if options.toy:
        options.tasks, options.seeds = ["two"], [0]
        training = firth.TrainingOptions(epochs=8, batch_size=10, optimiser="adam", lr=0.05, schedule="linear")
        trees = {"train": toy(0), "dev": toy(1)[:100], "test": toy(2)}
        rows = run(trees, options, training, dim=10, hidden=10, dropout=0.0)
    elif options.folder is None:
        parser.error("a folder with the treebank is needed, or --toy")
    else:
        rows = run(treebank(options.folder), options)
    options.results.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if options.table:
        options.table.write_text(table(rows), encoding="utf-8")
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
