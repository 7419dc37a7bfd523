"""WordNet senses: do sense vectors give better word similarities than one vector per word?

SimLex-999, MEN and WordSim-353 with the cosines of word vectors, and with sense vectors: nearest pair of senses (max),
mean over all pairs (avg), and mean weighted by the priors of the senses (avgc). All of it again without WordNet's
relations between the two words of each SimLex pair. Then WiC: does a word have the same sense in two sentences? By the
cosine of the contexts, of the words with their contexts, and of the disambiguated senses; thresholds are tuned on the
training part.

    python recipes/wordnet_senses.py skipgram.firth --wordnet english-wordnet/src/yaml --data data
    python recipes/wordnet_senses.py --toy
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import (
    ENCODERS,
    EvaluationOptions,
    Space,
    best_threshold,
    pair_cosines,
    senses_in_context,
    spearman,
)
from firth.readers import read_scored_pairs, read_words_in_context

PAIRS = {"simlex-999": "EN-SIMLEX-999.txt", "men": "EN-MEN-TR-3k.txt", "wordsim-353": "EN-WS-353-ALL.txt"}
SIMILARITIES = ("max", "avg", "avgc")


def correlations(similarity, vectors, gold):
    """Spearman's correlation on each set, over the pairs whose words have vectors."""
    figures = {}
    for name, pairs in gold.items():
        rated = [(one, other, score) for (one, other), score in zip(pairs.pairs, pairs.scores, strict=True)
                 if one in vectors and other in vectors]  # fmt: skip
        ours = [similarity(one, other) for one, other, _ in rated]
        figures[name] = round(spearman(ours, [score for *_, score in rated]), 4)
    return figures


def word_in_context(vectors, senses, gold):
    """The accuracy of each encoder."""
    space = Space(vectors, EvaluationOptions())
    encoders = {**ENCODERS, "senses": senses_in_context(senses), "likeliest": senses_in_context(senses, "likeliest")}
    accuracy = {"majority": 0.5}
    for name, encode in encoders.items():
        train, known = pair_cosines(space, gold.train.pairs, encode)
        threshold = best_threshold(train[known], gold.train.same[known])
        cosines, known = pair_cosines(space, gold.test.pairs, encode)
        accuracy[name] = round(float(((cosines > threshold) == gold.test.same)[known].mean()), 4)
    return accuracy


def measure(path, vectors, wordnet, gold, contexts):
    """One line of figures."""
    figures = {"vectors": Path(path).name, "words": correlations(vectors.similarity, vectors, gold)}
    for which, apart in (("senses", ()), ("senses-apart", gold["simlex-999"].pairs)):
        senses = firth.WordNetSenses().fit(vectors, wordnet, apart=apart)
        figures[which] = {
            how: correlations(lambda one, other, s=senses, h=how: s.similarity(one, other, how=h), vectors, gold)
            for how in SIMILARITIES
        }
        if not apart:
            figures["senses-of-words"] = round(float(senses.num_senses.mean()), 2)
            for part, each in contexts.items():
                figures[part] = word_in_context(vectors, senses, each)
    return figures


def toy(folder):
    """Six topics of ten words in two synsets each; the vectors separate topics but hardly synsets."""
    random = np.random.default_rng(0)
    words = [f"t{topic}s{i % 2}w{i}" for topic in range(6) for i in range(10)]
    rows = np.repeat(random.normal(size=(6, 20)), 10, axis=0) + random.normal(size=(60, 20))
    entry = "{0}:\n  n:\n    sense:\n    - id: '{0}'\n      synset: {1}-n\n"
    (folder / "entries-t.yaml").write_text("".join(entry.format(word, word[:4]) for word in words))
    synsets = sorted({word[:4] for word in words})
    (folder / "noun.toy.yaml").write_text("".join(f"{name}-n:\n  partOfSpeech: n\n" for name in synsets))
    pairs = [random.choice(words, 2, replace=False) for _ in range(300)]
    scores = [2 * (a[:4] == b[:4]) + (a[:2] == b[:2]) for a, b in pairs]
    (folder / "gold.txt").write_text(
        "".join(f"{a}\t{b}\t{score}\n" for (a, b), score in zip(pairs, scores, strict=True))
    )
    return firth.WordVectors(words, rows.astype(np.float32)), read_scored_pairs(folder / "gold.txt")


def table(lines):
    """The figures as a table, one row a kind of vectors and similarity."""
    rows = []
    for line in lines:
        for which in ("words", "senses", "senses-apart"):
            kinds = {"": line["words"]} if which == "words" else line[which]
            for how, figures in kinds.items():
                rows.append([line["vectors"], f"{which} {how}".strip(), *(f"{x:.3f}" for x in figures.values())])
    head = ["vectors", "by", *lines[0]["words"]]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="*", help="vectors of words; none with --toy")
    parser.add_argument("--wordnet", help="Open English WordNet in YAML, a folder or .tar.gz")
    parser.add_argument("--data", help="folder with similarity/ and wic/")
    parser.add_argument("--toy", action="store_true", help="made-up words and synsets, in a second")
    parser.add_argument("--json", action="store_true", help="one object a line instead of a table")
    args = parser.parse_args(arguments)
    if args.toy:
        with tempfile.TemporaryDirectory() as folder:
            vectors, pairs = toy(Path(folder))
            lines = [measure("toy", vectors, folder, {"simlex-999": pairs}, {})]
    elif not (args.vectors and args.wordnet and args.data):
        parser.error("expected vectors, --wordnet and --data, or --toy")
    else:
        gold = {name: read_scored_pairs(Path(args.data) / "similarity" / file) for name, file in PAIRS.items()}
        contexts = {f"wic-{part}": read_words_in_context(Path(args.data) / "wic" / part / f"{part}.data.txt")
                    for part in ("dev", "test")}  # fmt: skip
        lines = [measure(path, firth.load(path), args.wordnet, gold, contexts) for path in args.vectors]
    for line in lines if args.json else ():
        print(json.dumps(line))
    if not args.json:
        print(table(lines))
    return lines


if __name__ == "__main__":
    main()
