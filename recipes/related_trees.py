"""Relatedness of sentences from trees of dependencies: SICK, with a child-sum Tree-LSTM and an LSTM.

    python recipes/related_trees.py SICK --trees parser --tagger tagger --vectors vectors.firth
    python recipes/related_trees.py SICK --trees sick.conllu
    python recipes/related_trees.py SICK --trees right --kinds lstm

SICK is the folder of SICK_train.txt, SICK_trial.txt and SICK_test_annotated.txt. The trees are those of a parser that
`firth.TransitionParser` or `firth.BiaffineParser` trained, with the tags of a tagger; or those of any parser in
CoNLL-U, with each sentence of SICK once and in any order: a sentence is found by its words, however it was split.
Without a parser, "--trees right" has the next word as the head of each, which is a chain and no analysis: its figure
says what the model does without trees.

Prints Pearson's r, Spearman's rho and the mean squared error on the test pairs. The development pairs select the epoch.
"""

import argparse
import json
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import spearman
from firth.readers import Tree, check_words, read_conllu, read_split_pairs
from firth.text import unicode_tokens


def key(words):
    """What a sentence and its tree have in common."""
    return "".join("".join(words).split()).lower()


def parsed(sentences, parser, tagger):
    """The trees that a parser finds, with the tags of a tagger."""
    distinct = list(dict.fromkeys(sentences))
    words = [list(firth.Document.from_text(sentence).tokens) for sentence in distinct]
    found = firth.load(parser).predict(words, tagger=firth.load(tagger))
    trees = {sentence: each.tree for sentence, each in zip(distinct, found, strict=True)}
    return [trees[sentence] for sentence in sentences]


def trees_of(sentences, source):
    """The tree of each sentence."""
    if source == "right":
        chains = [unicode_tokens(sentence) for sentence in sentences]
        return [Tree((*range(1, len(words)), -1), ("",) * len(words), tuple(words)) for words in chains]
    trees = [sentence.tree for sentence in read_conllu(source)]
    found = {key(tree.sentence): tree for tree in trees}
    missing = [sentence for sentence in sentences if key([sentence]) not in found]
    if missing:  # the first one that differs, by its place where every sentence has a tree
        place = next(i for i, sentence in enumerate(sentences) if key([sentence]) not in found)
        check_words(trees[min(place, len(trees) - 1)], missing[0].split(), f"{source} sentence {place + 1}")
    return [found[key([sentence])] for sentence in sentences]


def main(arguments=None):
    """Train and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trees", required=True, help='a parser, CoNLL-U with the sentences, or "right" for chains')
    parser.add_argument("--tagger", help="tagger for the parser")
    parser.add_argument("--vectors", help="word vectors to start from")
    parser.add_argument("--kinds", nargs="+", choices=("child-sum", "lstm"), default=["child-sum", "lstm"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=15)
    options = parser.parse_args(arguments)
    pairs = read_split_pairs(options.folder / "SICK_test_annotated.txt")
    if Path(options.trees).is_dir():
        if not options.tagger:
            parser.error("a parser needs the tags of a tagger, --tagger")
        both = parsed([*pairs.first, *pairs.second], options.trees, options.tagger)
        sides = [both[: len(pairs.first)], both[len(pairs.first) :]]
    else:
        sides = [trees_of(side, options.trees) for side in (pairs.first, pairs.second)]
    examples, scores = list(zip(*sides, strict=True)), np.asarray(pairs.scores)
    parts = {"dev": pairs.development, "test": pairs.test, "train": ~(pairs.development | pairs.test)}
    vectors = firth.load(options.vectors) if options.vectors else None
    rows = []
    for kind in options.kinds:
        for seed in options.seeds:
            classifier = firth.TreeLSTMClassifier(kind=kind, pairs="relatedness", dropout=0.0)
            some = {name: [examples[i] for i in np.flatnonzero(mask)] for name, mask in parts.items()}
            model = classifier.train(
                some["train"],
                scores[parts["train"]],
                held_out=some["dev"],
                held_out_labels=scores[parts["dev"]],
                vectors=vectors,
                training=firth.TrainingOptions(
                    epochs=options.epochs, batch_size=25, optimiser="adagrad", lr=0.05, warmup=100, patience=4
                ),
                seed=seed,
            )
            found, gold = model.relatedness(some["test"]), scores[parts["test"]]
            rows.append(
                {
                    "kind": kind,
                    "trees": Path(options.trees).name,
                    "seed": seed,
                    "r": round(float(np.corrcoef(found, gold)[0, 1]), 4),
                    "rho": round(spearman(found, gold), 4),
                    "mse": round(float(np.mean((found - gold) ** 2)), 4),
                    "pairs": len(gold),
                }
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows


if __name__ == "__main__":
    main()
