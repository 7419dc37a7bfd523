"""Word sense induction: compares the senses of a model with human annotation.

SemEval-2010's task 14 has 8,915 occurrences of 100 nouns and verbs, annotated with senses. A model of other text
assigns one of its own senses to each occurrence; these are unnamed clusters. The V-measure favours many small clusters
and the paired F-score few large ones. The adjusted Rand index, which is 0 by chance, and the task's baselines are
therefore shown too.

    python recipes/word_sense_induction.py --text wiki.txt --models adagram mssg --seeds 0 1 2
    python recipes/word_sense_induction.py --vectors senses/       # trained before
    python recipes/word_sense_induction.py --toy                   # a text of its own, in seconds

A word is looked up without its part of speech, `access` for `access.n`; a word that a model lacks is one cluster.
"""

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

import firth
from firth import data
from firth.comparison import trainer
from firth.evaluation import score_sense_induction
from firth.readers import read_sense_key

METRICS = ("v-measure", "paired-f", "ari", "recall-80/20", "clusters")


def read_contexts(path):
    """Each word's occurrences: the tokens before and after it.

    The file has a line with a word and a number, then so many lines of the text before, a tab, and the text after.
    """
    content = Path(path).read_bytes()
    lines = iter((gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8").splitlines())
    contexts = {}
    for line in lines:
        word, count = line.split()
        sides = (next(lines).partition("\t")[::2] for _ in range(int(count)))
        contexts[word] = {
            f"{word}.{number}": (before.split(), behind.split()) for number, (before, behind) in enumerate(sides, 1)
        }
    return contexts


def clustered(senses, contexts, window):
    """The most likely sense of every occurrence, from `window` words on each side (None: the model's own window).

    The word itself is part of the context, so that a model can use distances.
    """
    options = senses.metadata.get("training", {}).get("options", {})
    window = window or options.get("context_window", 10)
    clusters = {}
    for word, occurrences in contexts.items():
        lemma = word.rpartition(".")[0]
        if lemma in senses:
            sides = [(before[-window:], behind[:window]) for before, behind in occurrences.values()]
            around = [[*before, lemma, *behind] for before, behind in sides]
            places = [len(before) for before, _ in sides]
            numbers = senses.disambiguate(lemma, around, place=places).argmax(axis=1).tolist()
        else:
            numbers = [0] * len(occurrences)
        clusters[word] = dict(zip(occurrences, map(str, numbers), strict=True))
    return clusters


def toy():
    """A text of two topics, occurrences of a word in both and of a word in one, and their senses."""
    random = np.random.default_rng(0)

    def sentence(topic, word):
        return [
            *(f"{topic}{i}" for i in random.integers(0, 20, 4)),
            word,
            *(f"{topic}{i}" for i in random.integers(0, 20, 4)),
        ]

    text = [sentence(topic, random.choice(["bank", f"{topic}0"])) for topic in random.choice(["a", "b"], 6000)]
    contexts, gold = {}, {}
    for word, topics in (("bank.n", "ab"), ("a0.n", "a")):
        draws = random.choice(list(topics), 50)
        names = [f"{word}.{number}" for number in range(1, 51)]
        sentences = [sentence(topic, word) for topic in draws]
        contexts[word] = {name: (one[:4], one[5:]) for name, one in zip(names, sentences, strict=True)}
        gold[word] = dict(zip(names, draws.tolist(), strict=True))
    return text, contexts, gold


def models(args, text):
    """Names and senses of models: loaded or trained."""
    for folder in args.vectors:
        yield folder.name, firth.load(folder)
    if not args.models:
        return
    corpus = firth.Corpus.build(text, min_count=args.min_count, progress=False, cache=args.cache)
    common = {"dim": args.dim, "epochs": args.epochs, "sample": args.sample}
    for spec in args.models:
        for seed in args.seeds:
            model = trainer(spec, common)
            yield f"{spec} {seed}", model.train(corpus, seed=seed, threads=args.threads, progress=False)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Senses that models found against those of people.")
    parser.add_argument("--toy", action="store_true", help="a small text made up of topics, and a small model")
    parser.add_argument("--text", type=Path, help="a file of text to train on")
    parser.add_argument("--models", nargs="+", default=[], help="names of `firth train` with options behind colons")
    parser.add_argument("--vectors", type=Path, nargs="+", default=[], help="folders of senses that are trained")
    parser.add_argument("--window", type=int, help="words a side that tell the sense; by default a model's own, or 10")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--dim", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--sample", type=float)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cache", help="folder of built corpora")
    parser.add_argument("--results", type=Path, help="file of JSON lines to add the figures to")
    args = parser.parse_args(arguments)
    if args.toy:
        parser.set_defaults(models=["adagram"], dim=16, epochs=3, sample=0.0, threads=1)
        args = parser.parse_args(arguments)
        text, contexts, gold = toy()
    elif not args.vectors and not (args.models and args.text):
        parser.error("no senses: pass --vectors, or --models with --text, or --toy")
    else:
        text, contexts = [args.text], read_contexts(data.path_of("semeval-2010-contexts"))
        gold = read_sense_key(data.path_of("semeval-2010-senses"))
    clusters = {name: clustered(senses, contexts, args.window) for name, senses in models(args, text)}
    report = score_sense_induction(gold, clusters)
    print(report)
    lines = [
        {
            "model": name,
            **{row.metric: round(row.value, 4) for row in report.rows if (row.vectors, row.set) == (name, "senses")},
        }
        for name in dict.fromkeys(row.vectors for row in report.rows)
    ]
    if args.results:
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(
                json.dumps({**line, "window": args.window, "version": firth.__version__}) + "\n" for line in lines
            )
    return lines


if __name__ == "__main__":
    main()
