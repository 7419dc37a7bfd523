"""Translation with an open vocabulary, Spanish to English: words only, or words and their characters (hybrid).

Both models write 5,000 words. The hybrid model also reads the characters of source words and spells the target words
that are not among the 5,000. Pairs of Tatoeba are divided so that no sentence of either language is in two parts.

    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz words -o words.firth      # 25 minutes
    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz hybrid -o hybrid.firth    # 25 minutes
    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz test words.firth hybrid.firth

The table pairs English with Spanish, from https://www.manythings.org/anki/ (Tatoeba, CC BY 2.0).
"""

import argparse
import json
import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import firth

UNKNOWN = 0  # id of unknown words
HELD_OUT = {"test": 2000, "held_out": 1000}  # groups of sentences
MODELS = {"words": {"source_units": "words"}, "hybrid": {"source_units": "characters", "spelling": "all"}}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", choices=(*MODELS, "test"))
    parser.add_argument("saved", nargs="*", type=Path, help="models to test: words only, then hybrid")
    parser.add_argument("--size", type=int, default=5000, help="vocabulary size of each side")
    parser.add_argument("--hidden", type=int, default=192)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other options of the translator")
    parser.add_argument("--pairs", type=int, help="use so many pairs only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args()


def groups(pairs):
    """Groups of pairs that share no sentence of either side, in either case, with pairs of other groups."""
    parent = {}

    def root(node):
        while parent.setdefault(node, node) != node:
            parent[node] = node = parent[parent[node]]
        return node

    for source, target in pairs:
        parent[root((0, source.lower()))] = root((1, target.lower()))
    found = defaultdict(list)
    for source, target in pairs:
        found[root((0, source.lower()))].append((source, target))
    return list(found.values())


def parts(path, most=None):
    """Pairs, Spanish and English, to train on, to select the epoch, and to test."""
    table = firth.read_parallel(path)
    found = groups(list(zip(table.targets, table.sources, strict=True))[:most])
    random.Random(0).shuffle(found)
    result, start = {}, 0
    for name, size in {**HELD_OUT, "train": len(found)}.items():
        result[name] = [pair for group in found[start : start + size] for pair in group]
        start += size
    return result


def value(text):
    """The value of an option as it is written on the command line."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def train(args, data):
    how = {**MODELS[args.model], **{name: value(text) for name, text in (each.split("=", 1) for each in args.set)}}
    translator = firth.Translator(
        target_units="words", source_size=args.size, target_size=args.size, hidden=args.hidden, dim=128, **how
    )
    training = replace(
        translator.training, epochs=args.epochs, minutes=args.minutes, precision=args.precision, lr=0.002
    )
    model = translator.train(data["train"], held_out=data["held_out"], training=training, seed=args.seed)
    facts = model.metadata["training"]
    print(json.dumps({name: facts[name] for name in ("pairs", "target_tokens", "seconds", "best", "dropped")}))
    if args.output:
        model.save(args.output)


def test(args, data):
    """BLEU and chrF on all test pairs, and on those whose targets have words outside the vocabulary."""
    pairs = data["test"]
    for path in args.saved:
        model = firth.load(path)
        rare = [pair for pair in pairs if UNKNOWN in model.target.ids(model.target.split(pair[1]))]
        for unknown in ("kept", "copied", "spelled") if model.options.spells else ("kept", "copied"):
            for name, part in (("all", pairs), ("rare words", rare)):
                report = model.test(part, unknown=unknown, metrics=("bleu", "chrf"))
                print(f"{path.name}, unknown={unknown}, {name}: {len(part):,} pairs\n{report}", flush=True)


def main():
    args = arguments()
    data = parts(args.data, args.pairs)
    print(", ".join(f"{name}: {len(pairs):,} pairs" for name, pairs in data.items()), flush=True)
    (test if args.model == "test" else train)(args, data)


if __name__ == "__main__":
    main()
