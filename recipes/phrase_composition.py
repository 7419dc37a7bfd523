"""Vectors of phrases made of the vectors of their words: tensor indexing beside adding and multiplying.

Pairs of words that stand together often, such as an adjective and a noun, are joined and get vectors of their own
from skip-gram. From most of them a function of the two words' vectors is learned. Of the others those that are frequent
are composed, and the vector that each has of its own is looked for among those of all frequent phrases: the mean of
1 / rank (MRR). Held out are phrases, and in a second table all phrases of some second words, none of which the function
has seen. Adding two vectors does not know which word came first; a function may.

    python recipes/phrase_composition.py text.txt --words treebank.conllu    # tells adjectives, nouns and verbs

The treebank is one of Universal Dependencies; a word counts as what it is most often there.
"""

import argparse
import gzip
import json
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

import firth
from firth.embeddings.compositional import additive, multiplicative, reciprocal_ranks
from firth.resampling import Mean, Ratio, bootstrap_interval, value_of

TYPES = {("ADJ", "NOUN"): "AN", ("NOUN", "NOUN"): "NN", ("VERB", "NOUN"): "VO"}
SURE = 0.6  # share of a word's places in the treebank that its class must have
ADDED, TYPED, SHARED = "added", "tensors, one a type", "tensors, one for all types"
HELD_OUT = 0.2  # share of the phrases, or of the second words


def word_classes(path):
    """The class that each word of a treebank has nearly always."""
    seen = defaultdict(Counter)
    opened = gzip.open if Path(path).suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            columns = line.split("\t")
            if len(columns) == 10 and columns[0].isdigit():
                seen[columns[1].lower()][columns[3]] += 1
    best = {word: (*classes.most_common(1)[0], classes.total()) for word, classes in seen.items()}
    return {word: name for word, (name, count, total) in best.items() if count >= SURE * total}


def typed_pairs(corpus, classes, least):
    """Pairs of neighbours of one of the types, the most frequent first: {(word, word): (count, score)}."""
    table = firth.Phrases(scoring="npmi", threshold=-1, min_count=least).learn(corpus, progress=False)
    found = table.passes[0]
    return {pair: told for pair, told in found.items() if (classes.get(pair[0]), classes.get(pair[1])) in TYPES}


def split(pairs, seed, place):
    """Pairs to learn from, and pairs to ask for: a share of all, or, with a place, all that have some words there."""
    keys = sorted({pair if place is None else pair[place] for pair in pairs})
    random.Random(seed).shuffle(keys)
    held_out = set(keys[: round(HELD_OUT * len(keys))])
    asked = {pair for pair in pairs if (pair if place is None else pair[place]) in held_out}
    return [pair for pair in pairs if pair not in asked], [pair for pair in pairs if pair in asked]


def some_of(learned, number, seed):
    """As many of the phrases, drawn at random; a larger number takes those of a smaller one too."""
    shuffled = sorted(learned)
    random.Random(seed).shuffle(shuffled)
    return shuffled[:number]


def compositions(vectors, learned, asked, kinds, chosen):
    """The composed vectors of phrases, by the name of the method."""
    how = firth.TensorIndexing(rank=chosen.rank, l2=chosen.l2, objective=chosen.objective)
    typed = how.train(vectors, learned, [kinds[pair] for pair in learned], seed=chosen.seed, progress=False)
    shared = how.train(vectors, learned, seed=chosen.seed, progress=False)
    return {
        ADDED: additive(vectors, asked),
        "multiplied": multiplicative(vectors, asked),
        TYPED: typed.compose(asked, [kinds[pair] for pair in asked]),
        SHARED: shared.compose(asked),
        "the same, words swapped": shared.compose([(second, first) for first, second in asked]),
    }


def evaluate(corpus, classes, chosen):
    """One row a held-out part, number of phrases and method."""
    pairs = typed_pairs(corpus, classes, chosen.learned)
    joined = firth.PhraseTable([pairs], (), "_").apply(corpus, min_count=5, progress=False)
    model = firth.Word2Vec(dim=chosen.dim, window=5, epochs=chosen.epochs)
    vectors = model.train(joined, seed=chosen.seed, threads=chosen.threads, progress=False)
    known = [pair for pair in pairs if all(word in vectors for word in (*pair, "_".join(pair)))]
    kinds = {pair: TYPES[classes[pair[0]], classes[pair[1]]] for pair in known}
    frequent = [pair for pair in known if pairs[pair][0] >= chosen.asked]
    rows = []
    for what, place in (("phrases", None), ("second words", 1)):
        learned, asked = split(known, chosen.seed, place)
        asked = [pair for pair in asked if pairs[pair][0] >= chosen.asked]
        for number in sorted({min(number, len(learned)) for number in chosen.phrases or [len(learned)]}):
            print(
                f"held out by {what}: {number:,} phrases to learn from, {len(asked):,} of {len(frequent):,} asked for"
            )
            made = compositions(vectors, some_of(learned, number, chosen.seed), asked, kinds, chosen)
            found = {name: reciprocal_ranks(each, vectors, asked, frequent) for name, each in made.items()}
            named = np.array([kinds[pair] for pair in asked])
            told = {"held_out": what, "phrases": number, "asked": len(asked), "seed": chosen.seed}
            rows += [{**told, **row} for row in figures_of(found, named)]
            show(found, named)
    return rows


def figures_of(found, named):
    """Each method's mean of 1 / rank, and what it is beside that of sums and of the shared function, with intervals."""
    for name, ranks in found.items():
        row = {"method": name, **interval("mrr", Mean(ranks), len(ranks))}
        for other, label in ((ADDED, "beside_sums"), (SHARED, "beside_shared")):
            row |= interval(label, Ratio(ranks, found[other]), len(ranks))
        yield row | {kind: float(ranks[named == kind].mean()) for kind in TYPES.values() if (named == kind).any()}


def interval(name, statistic, n):
    low, high = bootstrap_interval(statistic, n)
    return {name: value_of(statistic, n), f"{name}_low": low, f"{name}_high": high}


def show(found, named):
    print(f"{'mean of 1 / rank, percent':28}   all" + "".join(f"  {kind:>4}" for kind in TYPES.values()))
    for name, ranks in found.items():
        parts = [ranks, *(ranks[named == kind] for kind in TYPES.values())]
        print(f"  {name:26}" + "".join(f"  {100 * part.mean():4.1f}" if len(part) else "     -" for part in parts))


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Composition of phrases by tensors, beside sums and products.")
    parser.add_argument("text", help="a file of text")
    parser.add_argument("--words", required=True, help="a treebank in CoNLL-U, for the classes of words")
    parser.add_argument("--learned", type=int, default=6, help="times that a phrase must stand in the text")
    parser.add_argument("--asked", type=int, default=20, help="times that a phrase must stand there to be asked for")
    parser.add_argument(
        "--phrases",
        type=int,
        nargs="+",
        metavar="N",
        help="how many phrases to learn from, one table each (default: all)",
    )
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rank", type=int, default=2)
    parser.add_argument("--l2", type=float, default=4e-3)
    parser.add_argument("--objective", default="ranking", choices=("ranking", "squares"))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, help="file of JSON lines to add the figures to")
    chosen = parser.parse_args(arguments)
    corpus = firth.Corpus.build([Path(chosen.text)], min_count=1, progress=False)
    rows = evaluate(corpus, word_classes(chosen.words), chosen)
    if chosen.results:
        with chosen.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**row, "version": firth.__version__}) + "\n" for row in rows)
    return rows


if __name__ == "__main__":
    main()
