"""Averages of word vectors that are learned from pairs of sentences, by the number of pairs, beside TF-IDF.

    python -m benchmarks.average_sizes SICK [--sizes 100 300 0] [--epochs 3 --lr 0.0001]

SICK is the folder of the data set with `SICK_train.txt` and `SICK_test_annotated.txt`. Pairs of the training part that
are labelled ENTAILMENT are groups of two texts; the figure is Spearman's correlation of the cosines of the test pairs
with their relatedness. `python -m benchmarks.average_sizes SICK` has firth's defaults.
"""

import argparse
import csv
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import firth


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a file of SICK."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def correlation(encode: Callable[[Sequence[str]], Any], test: Sequence[dict[str, str]]) -> float:
    """Spearman's correlation of cosines with relatedness."""
    sides = [np.asarray(encode([row[f"sentence_{side}"] for row in test])) for side in "AB"]
    x, y = (side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12) for side in sides)
    return float(spearmanr((x * y).sum(1), [float(row["relatedness_score"]) for row in test])[0])


def tfidf(pairs: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], Any]:
    """scikit-learn's TF-IDF of the sentences of the pairs, by default."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer().fit([text for pair in pairs for text in pair])
    return lambda texts: vectoriser.transform(list(texts)).toarray()


def main(arguments: list[str] | None = None) -> None:
    """Train and judge; print a line of the table for each size."""
    parser = argparse.ArgumentParser(description="averages of word vectors by the number of pairs")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 0])
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--lr", type=float)
    chosen = parser.parse_args(arguments)
    train, test = (rows_of(chosen.folder / name) for name in ("SICK_train.txt", "SICK_test_annotated.txt"))
    every = [[r["sentence_A"], r["sentence_B"]] for r in train if r["entailment_judgment"] == "ENTAILMENT"]
    random.Random(0).shuffle(every)
    given = {name: value for name in ("epochs", "lr") if (value := getattr(chosen, name)) is not None}
    for size in chosen.sizes:
        pairs = every[: size or None]
        began = time.process_time()
        training = replace(firth.SupervisedSimCSE.training, **given)
        model = firth.SupervisedSimCSE(encoder="average").train(pairs, training=training, progress=False)
        seconds, facts = time.process_time() - began, model.metadata["training"]
        found, peer = (correlation(encode, test) for encode in (model.encode, tfidf(pairs)))
        settings = f"{facts['epochs']} | {facts['lr']:g}"
        print(f"| {len(pairs):,} | {settings} | {found:.3f} | {peer:.3f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
