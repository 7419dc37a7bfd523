"""Translation with an open vocabulary, Spanish to English: words only, or words and their characters (hybrid).

All models write 5,000 words. The hybrid model also reads the characters of source words and spells the target words
that are not among the 5,000; the copying model is a hybrid that also copies characters of source words. Pairs of
Tatoeba are divided so that no sentence of either language is in two parts. The test also counts how many unknown words
of the references a model spells exactly, given the true words before: those that training has, those that it does not
have, new inflected forms of words that it has, and names. As few forms are new by chance, 400 are held out: pairs that
have one of them on the English side, and those that share a sentence with these, are a part of their own.

    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz words -o words.firth      # 25 minutes
    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz hybrid -o hybrid.firth    # 25 minutes
    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz copying -o copying.firth  # 25 minutes
    python recipes/hybrid_translation.py tatoeba-spa-eng.tsv.gz test words.firth hybrid.firth copying.firth

The table pairs English with Spanish, from https://www.manythings.org/anki/ (Tatoeba, CC BY 2.0).
"""

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import compress
from pathlib import Path

import firth

UNKNOWN, UNKNOWN_WORD = 0, "<unk>"  # its id and how it is written
JOINER = "￭"  # marks missing spaces
BATCH = 64  # pairs
HELD_OUT = {"test": 2000, "held_out": 1000}  # groups of sentences
FORMS, COUNTS, KNOWN = 400, (2, 40), 20  # forms held out, pairs with each, minimum count of other forms of the word
HYBRID = {"source_units": "characters", "spelling": "all"}
MODELS = {"words": {"source_units": "words"}, "hybrid": HYBRID, "copying": {**HYBRID, "spelling_copying": True}}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", choices=(*MODELS, "test"))
    parser.add_argument("saved", nargs="*", type=Path, help="models to test")
    parser.add_argument("--size", type=int, default=5000, help="vocabulary size of each side")
    parser.add_argument("--hidden", type=int, default=192)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other options of the translator")
    parser.add_argument("--pairs", type=int, help="use so many pairs only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", type=Path, help="folder of the state of the run, to go on from")
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    if args.model == "test" and not args.saved:
        parser.error("which models? Give their folders, such as words.firth and hybrid.firth")
    if args.model != "test" and args.output is None:
        parser.error("give -o FOLDER to save the model in")
    return args


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
    """Pairs, Spanish and English, to train on, to select the epoch, to test, and those with forms that are held out."""
    table = firth.read_parallel(path)
    found = groups(list(zip(table.targets, table.sources, strict=True))[:most])
    random.Random(0).shuffle(found)
    result, start = {}, 0
    sizes = {name: min(size, len(found) // 5) for name, size in HELD_OUT.items()}  # of few pairs, a fifth each
    for name, size in sizes.items():
        result[name] = [pair for group in found[start : start + size] for pair in group]
        start += size
    forms = held_out_forms(found[start:])
    has_form = [any(not forms.isdisjoint(words(target)) for _, target in group) for group in found[start:]]
    for name, wanted in (("forms", True), ("train", False)):
        chosen = compress(found[start:], (each is wanted for each in has_form))
        result[name] = [pair for group in chosen for pair in group]
    return result


def words(text):
    """The words of a text."""
    return re.findall(r"[^\W\d_]+", text)


def held_out_forms(found):
    """Inflected forms of words of which groups of pairs have other forms, in lower case."""
    counts = Counter(word for group in found for _, target in group for word in words(target))
    by_stem = defaultdict(int)
    for word, count in counts.items():
        by_stem[stem(word)[0]] += count
    forms = [
        word
        for word, count in counts.items()
        if word.islower()
        and stem(word)[1]
        and COUNTS[0] <= count <= COUNTS[1]
        and by_stem[stem(word)[0]] - count >= KNOWN
    ]
    return set(random.Random(0).sample(sorted(forms), min(FORMS, len(forms) // 5)))


def value(text):
    """The value of an option as it is written on the command line."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def train(args, data):
    how = {**MODELS[args.model], **{name: value(text) for name, text in (each.split("=", 1) for each in args.set)}}
    translator = firth.Translator(
        target_units="words", source_size=args.size, target_size=args.size, hidden=args.hidden, **{"dim": 128, **how}
    )
    training = replace(
        translator.training, epochs=args.epochs, minutes=args.minutes, precision=args.precision, lr=0.002
    )
    run = {"training": training, "seed": args.seed, "checkpoint": args.checkpoint}
    model = translator.train(data["train"], held_out=data["held_out"], **run)
    facts = model.metadata["training"]
    print(json.dumps({name: facts[name] for name in ("pairs", "target_tokens", "seconds", "best", "dropped")}))
    if args.output:
        model.save(args.output)


def stem(word):
    """An English word without an ending of inflection, and whether it has one."""
    for ending in ("ing", "ies", "ied", "est", "ed", "er", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return _base(word[: -len(ending)] + "y" * ending.startswith("ie")), True
    return _base(word), False


def _base(word):
    word = word.rstrip("e")
    return word[:-1] if len(word) > 2 and word[-1] == word[-2] else word


def inflected(new, known):
    """Those of some new words that are forms of known words: "yelped" where "yelps" or "yelp" is known."""
    stems = {stem(word)[0] for word in known}
    return {word for word in new if stem(word)[1] and stem(word)[0] in stems}


def bare(word):
    """A word without marks of missing spaces."""
    return word.strip(JOINER)


def names(pairs):
    """Capitalised words of targets, other than the first."""
    return {bare(word) for pair in pairs for word in pair.words[1:] if bare(word)[:1].isupper()}


def spelled_share(model, data, part):
    """Exactly spelled words of the references of a part, by what training has of them.

    Places of a reference where the model has an unknown word are spelled from the state after the true words before.
    """
    known = {bare(word) for _, target in data["train"] for word in model.target.split(target)}
    pairs = [model.reader.read(*pair) for pair in data[part]]
    expected, found = [], []
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        found += [word for spelled in model.spelled_words(batch) for word in spelled]
        expected += [
            bare(word)
            for pair in batch
            for word, number in zip(pair.words, pair.target[:-1], strict=True)
            if number == UNKNOWN
        ]
    unknown = set(expected)
    new = unknown - known
    kinds = {
        "seen in training": unknown & known,
        "new": new,
        "new, inflected": inflected(new, known),
        "names": unknown & names(pairs),
    }
    for kind, chosen in kinds.items():
        right = [one == other for one, other in zip(expected, found, strict=True) if one in chosen]
        print(f"  {part}: unknown words of references, {kind}: {len(right):,}, spelled exactly {share(right)}")
    examples = [f"{one} {other}" for one, other in zip(expected, found, strict=True) if one in kinds["new, inflected"]]
    random.Random(0).shuffle(examples)
    print(f"  such as (word, spelled): {', '.join(examples[:20])}", flush=True)


def share(right):
    """A list of booleans as a percentage."""
    return f"{100 * sum(right) / len(right):.1f} %" if right else "-"


def test(args, data):
    """BLEU and chrF on all test pairs, and on those whose targets have words outside the vocabulary."""
    sources, targets = (list(side) for side in zip(*data["test"], strict=True))
    models = [(path, firth.load(path)) for path in args.saved]
    systems = {}
    for path, model in models:
        for unknown in ("kept", "copied", "spelled") if model.options.spells else ("kept", "copied"):
            systems[f"{path.stem} {unknown}"] = [each.text for each in model.translate(sources, unknown=unknown)]
    target = models[0][1].target  # the same words in both models
    rare = [UNKNOWN in target.ids(target.split(text)) for text in targets]
    for name, chosen in (("all", [True] * len(rare)), ("rare words", rare)):
        print(f"\n{name}: {sum(chosen):,} pairs")
        found = {system: list(compress(texts, chosen)) for system, texts in systems.items()}
        print(firth.evaluate_generated(found, list(compress(targets, chosen)), metrics=("bleu", "chrf")))
        for system, texts in found.items():
            print(f"  {system}: {share([UNKNOWN_WORD in text for text in texts])} with {UNKNOWN_WORD}", flush=True)
    for path, model in models:
        if model.options.spells:
            print(f"\n{path.stem}")
            for part in ("test", "forms"):
                spelled_share(model, data, part)


def main():
    args = arguments()
    data = parts(args.data, args.pairs)
    print(", ".join(f"{name}: {len(pairs):,} pairs" for name, pairs in data.items()), flush=True)
    (test if args.model == "test" else train)(args, data)


if __name__ == "__main__":
    main()
