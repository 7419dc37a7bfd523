"""Composes vectors of phrases from the vectors of their words: tensor indexing compared with sums and products.

Frequent word pairs, such as an adjective and a noun, are joined into one token and get their own skip-gram vectors.
A function of the two words' vectors is trained on most of them. For the held-out frequent phrases the composed vector
is the query, and the phrase's own vector is ranked among those of all frequent phrases (mean reciprocal rank, MRR).
The first table holds out phrases, the second all phrases with some second words, which the function has never seen. A
sum ignores the order of the words; a function need not.

    python recipes/phrase_composition.py text.txt --words treebank.conllu    # has the parts of speech of words

The treebank is one of Universal Dependencies; each word gets its most frequent part of speech.
"""

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

import firth
from firth.embeddings import additive, multiplicative, reciprocal_ranks
from firth.resampling import Mean, Ratio, bootstrap_interval, value_of

TYPES = {("ADJ", "NOUN"): "AN", ("NOUN", "NOUN"): "NN", ("VERB", "NOUN"): "VO"}
SURE = 0.6  # minimum share of a word's occurrences with its part of speech
ADDED, TYPED, SHARED = "added", "tensors, one a type", "tensors, one for all types"
HELD_OUT = 0.2  # share of the phrases, or of the second words


def word_classes(path):
    """The part of speech that most occurrences of a word have in a treebank."""
    counts = defaultdict(Counter)
    open_file = gzip.open if Path(path).suffix == ".gz" else open
    with open_file(path, "rt", encoding="utf-8") as file:
        for line in file:
            columns = line.split("\t")
            if len(columns) == 10 and columns[0].isdigit():
                counts[columns[1].lower()][columns[3]] += 1
    best = {word: (*classes.most_common(1)[0], classes.total()) for word, classes in counts.items()}
    return {word: name for word, (name, count, total) in best.items() if count >= SURE * total}


def typed_pairs(corpus, classes, least):
    """Adjacent pairs of these types, the most frequent first: {(word, word): (count, score)}."""
    table = firth.Phrases(scoring="npmi", threshold=-1, min_count=least).learn(corpus, progress=False)
    candidates = table.passes[0]
    return {
        pair: figures for pair, figures in candidates.items() if (classes.get(pair[0]), classes.get(pair[1])) in TYPES
    }


def split(pairs, seed, place):
    """Training pairs and held-out pairs: random ones, or with a place all pairs with random words at that place."""
    keys = sorted({pair if place is None else pair[place] for pair in pairs})
    random.Random(seed).shuffle(keys)
    held_out = set(keys[: round(HELD_OUT * len(keys))])
    queries = {pair for pair in pairs if (pair if place is None else pair[place]) in held_out}
    return [pair for pair in pairs if pair not in queries], [pair for pair in pairs if pair in queries]


def some_of(phrases, number, seed):
    """A random sample of the phrases; a larger sample contains the smaller ones."""
    order = sorted(phrases)
    random.Random(seed).shuffle(order)
    return order[:number]


def compositions(vectors, training, queries, kinds, args):
    """The composed vectors of phrases, by the name of the method."""
    options = firth.TensorIndexing(rank=args.rank, l2=args.l2, objective=args.objective)
    typed = options.train(vectors, training, [kinds[pair] for pair in training], seed=args.seed, progress=False)
    untyped = options.train(vectors, training, seed=args.seed, progress=False)
    return {
        ADDED: additive(vectors, queries),
        "multiplied": multiplicative(vectors, queries),
        TYPED: typed.compose(queries, [kinds[pair] for pair in queries]),
        SHARED: untyped.compose(queries),
        "the same, words swapped": untyped.compose([(second, first) for first, second in queries]),
    }


def evaluate(corpus, classes, args):
    """One row per held-out part, number of phrases and method."""
    pairs = typed_pairs(corpus, classes, args.learned)
    phrase_corpus = firth.PhraseTable([pairs], (), "_").apply(corpus, min_count=5, progress=False)
    model = firth.Word2Vec(dim=args.dim, window=5, epochs=args.epochs)
    vectors = model.train(phrase_corpus, seed=args.seed, threads=args.threads, progress=False)
    known = [pair for pair in pairs if all(word in vectors for word in (*pair, "_".join(pair)))]
    kinds = {pair: TYPES[classes[pair[0]], classes[pair[1]]] for pair in known}
    frequent = [pair for pair in known if pairs[pair][0] >= args.asked]
    rows = []
    for what, place in (("phrases", None), ("second words", 1)):
        training, queries = split(known, args.seed, place)
        queries = [pair for pair in queries if pairs[pair][0] >= args.asked]
        for number in sorted({min(number, len(training)) for number in args.phrases or [len(training)]}):
            print(
                f"held out by {what}: {number:,} phrases to learn from, {len(queries):,} of {len(frequent):,} asked for"
            )
            composed = compositions(vectors, some_of(training, number, args.seed), queries, kinds, args)
            ranks = {name: reciprocal_ranks(each, vectors, queries, frequent) for name, each in composed.items()}
            kinds_of_queries = np.array([kinds[pair] for pair in queries])
            facts = {"held_out": what, "phrases": number, "asked": len(queries), "seed": args.seed}
            rows += [{**facts, **row} for row in figures_of(ranks, kinds_of_queries)]
            show(ranks, kinds_of_queries)
    return rows


def figures_of(ranks_by_method, kinds):
    """Each method's MRR, and its ratio to those of sums and of the shared function, with intervals."""
    for name, ranks in ranks_by_method.items():
        row = {"method": name, **interval("mrr", Mean(ranks), len(ranks))}
        for other, label in ((ADDED, "beside_sums"), (SHARED, "beside_shared")):
            row |= interval(label, Ratio(ranks, ranks_by_method[other]), len(ranks))
        yield row | {kind: float(ranks[kinds == kind].mean()) for kind in TYPES.values() if (kinds == kind).any()}


def interval(name, statistic, n):
    low, high = bootstrap_interval(statistic, n)
    return {name: value_of(statistic, n), f"{name}_low": low, f"{name}_high": high}


def show(ranks_by_method, kinds):
    print(f"{'mean of 1 / rank, percent':28}   all" + "".join(f"  {kind:>4}" for kind in TYPES.values()))
    for name, ranks in ranks_by_method.items():
        parts = [ranks, *(ranks[kinds == kind] for kind in TYPES.values())]
        print(f"  {name:26}" + "".join(f"  {100 * part.mean():4.1f}" if len(part) else "     -" for part in parts))


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Composition of phrases by tensors, beside sums and products.")
    parser.add_argument("text", help="a file of text")
    parser.add_argument("--words", required=True, help="a treebank in CoNLL-U, for the classes of words")
    parser.add_argument("--learned", type=int, default=6, help="minimum count of a phrase")
    parser.add_argument("--asked", type=int, default=20, help="minimum count of a held-out phrase")
    parser.add_argument(
        "--phrases", type=int, nargs="+", metavar="N", help="numbers of training phrases, one table each (default: all)"
    )
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rank", type=int, default=2)
    parser.add_argument("--l2", type=float, default=4e-3)
    parser.add_argument("--objective", default="ranking", choices=("ranking", "squares"))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, help="JSON lines file to append the figures to")
    args = parser.parse_args(arguments)
    corpus = firth.Corpus.build([Path(args.text)], min_count=1, progress=False)
    rows = evaluate(corpus, word_classes(args.words), args)
    if args.results:
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**row, "version": firth.__version__}) + "\n" for row in rows)
    return rows


if __name__ == "__main__":
    main()
