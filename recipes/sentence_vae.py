"""Sentence autoencoders on captions: bounds on the likelihood, collapse and its remedies, discrete codes, labels.

Captions are those of Multi30k in English. The model `collapse` is trained without KL annealing, free bits and word
dropout: its code collapses, and its ELBO is that of a language model of the same size. `annealing`, `free-bits` and
`lagging` are remedies; `gumbel` and `vq` have discrete codes, whose words are shown; `questions` is a conditional model
of questions and statements, short sentences without their final mark. A text classifier judges what it generates.

    python recipes/sentence_vae.py collapse MULTI30K
    python recipes/sentence_vae.py free-bits MULTI30K -o captions.firth
    python recipes/sentence_vae.py gumbel MULTI30K
    python recipes/sentence_vae.py questions deu.txt.gz       # pairs of Tatoeba: English, a tab, German
    python recipes/sentence_vae.py free-bits --toy

MULTI30K is a folder with train.en.gz, val.en.gz and test_2016_flickr.en.gz, from https://github.com/multi30k/dataset.
"""

import argparse
import dataclasses
import gzip
import itertools
import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import firth

MODELS = {
    "collapse": {"annealing": "none", "free_bits": 0.0, "word_dropout": 0.0},
    "annealing": {"free_bits": 0.0, "word_dropout": 0.3},
    "free-bits": {"free_bits": 0.15},
    "lagging": {"free_bits": 0.0, "lagging": True},
    "gumbel": {"code": "gumbel", "slots": 4, "codes": 16, "latent": 16, "free_bits": 1.0},
    "vq": {"code": "vq", "slots": 4, "codes": 16, "latent": 16},
    "questions": {"latent": 16, "min_count": 3},
}
ENDS = (
    ("A man in a blue shirt is standing on a ladder cleaning a window.", "Two dogs are running through the snow."),
    ("A little girl is climbing into a wooden playhouse.", "A group of people are sitting at a table in a restaurant."),
)


def captions(folder, part):
    """Captions of a part, one per line."""
    with gzip.open(Path(folder) / f"{part}.en.gz", "rt", encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip()]


def questions(path, longest=10):
    """Sentences of 3 to 10 words with their kinds, without the marks by which they were told apart; shuffled."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = dict.fromkeys(line.split("\t")[0].strip() for line in file)
    kinds = {"?": "question", ".": "statement"}
    pairs = [(text[:-1], kinds[text[-1]]) for text in found if text[-1:] in kinds and 3 <= len(text.split()) <= longest]
    random.Random(0).shuffle(pairs)
    return pairs


def toy(labelled):
    """Made-up sentences."""
    words = itertools.product(("dog", "cat", "bird"), ("runs", "sleeps", "eats", "sings"), ("here", "there", "inside"))
    rows = [(f"the {animal} {verb} {place}", "statement") for animal, verb, place in words]
    rows += [(text.replace("the", "does the"), "question") for text, _ in rows]
    return rows * 12 if labelled else [text for text, _ in rows] * 12


def parts(args):
    """Sentences to learn from, held out, and to test on."""
    labelled = args.model == "questions"
    if args.toy:
        found = toy(labelled)
        return found, found[:40], found[:40]
    if labelled:
        found = questions(args.data)
        return found[2000:], found[:1000], found[1000:2000]
    return tuple(captions(args.data, part) for part in ("train", "val", "test_2016_flickr"))


def recovered(model, train, test, number):
    """How many sentences that were generated with a label get it from a classifier, and how many real ones do."""
    train, test = ([(text.lower(), label) for text, label in rows] for rows in (train, test))  # as the model writes
    judge = firth.TextClassifier(loss="softmax", epochs=10, word_ngrams=2, dim=20).train(train, progress=False)
    facts = {"classifier": right(judge, *zip(*test, strict=True))}
    for label in model.labels:
        texts = model.sample(number, label)
        facts[label] = right(judge, texts, [label] * number)
        facts[f"examples of {label}"] = texts[:6]
    return facts


def right(judge, texts, labels):
    """Share of texts with the expected label."""
    found = judge.predict(texts)
    return sum(best[0][0] == label for best, label in zip(found, labels, strict=True)) / len(labels)


def show(**row):
    """Print a row of results and return it."""
    print(json.dumps(row), flush=True)
    return row


def tell(row):
    """Print a row of the training on standard error."""
    print(json.dumps(row), file=sys.stderr, flush=True)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=list(MODELS))
    parser.add_argument("data", nargs="?", help="folder of captions; for questions, a file of pairs")
    parser.add_argument("--toy", action="store_true", help="made-up sentences, seconds")
    parser.add_argument("-o", "--output", help="folder of the model")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--min-count", type=int, default=3)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other options of the model")
    parser.add_argument("--test", type=int, default=1000, help="sentences to test on")
    parser.add_argument("--samples", type=int, default=100, help="of the importance-weighted bound")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--checkpoint", help="folder to save the training in, to go on from")
    args = parser.parse_args(argv)
    if not args.toy and not args.data:
        parser.error("the data are missing: a folder of captions, or for questions a file of pairs")
    if args.toy:
        args.hidden, args.dim, args.samples, args.epochs = 32, 16, 10, 10
    train, held_out, test = parts(args)
    options = {"hidden": args.hidden, "dim": args.dim, "min_count": args.min_count, **MODELS[args.model]}
    options |= {name: json.loads(value) for name, value in (each.split("=") for each in args.set)}
    kind = firth.SentenceVAE(**options)
    training = replace(kind.training, epochs=args.epochs)
    how = {"training": training, "seed": args.seed, "checkpoint": args.checkpoint, "callbacks": [tell]}
    model = kind.train(train, held_out=held_out, **how)
    if args.output:
        model.save(args.output)
    facts = model.metadata["training"]
    kept = ("epoch", "held_out_elbo", "held_out_kl", "held_out_active_units")
    course = [{name: round(row[name], 3) for name in kept} for row in facts["rows"]]
    scores = model.test(test[: args.test], samples=args.samples, progress=False)
    rows = [
        show(model=args.model, words=len(model.items.units), seconds=facts["seconds"], course=course),
        show(model=args.model, collapsed=scores.collapsed, **dataclasses.asdict(scores)),
    ]
    if model.discrete:
        uses = model.code_words(test, top=6)
        rows += [show(slot=each.slot, code=each.code, count=each.count, words=each.words) for each in uses]
    elif args.model == "questions":
        rows.append(show(recovered=recovered(model, train, test, 40 if args.toy else 500)))
    else:
        rows += [show(interpolation=model.interpolate(*ends, 7)) for ends in ([test[0], test[-1]], *ENDS)]
        rows.append(show(sample=model.sample(5)))
    return rows


if __name__ == "__main__":
    main()
