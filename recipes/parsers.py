"""Dependency parsers on treebanks: scores with gold tags and with those of a tagger, and seconds of training.

    python recipes/parsers.py UD_English-EWT UD_Turkish-IMST --models transition biaffine --epochs 30
    python recipes/parsers.py UD_English-EWT --models biaffine --precision bf16 --minutes 20 --save parsers
    python recipes/parsers.py UD_English-EWT --models transition --options oracle=dynamic beam=8
    python recipes/parsers.py --toy

Each folder holds CoNLL-U files whose names end in -train, -dev and -test, plain or .gz, or two of these. The first of
them trains, the last one is the test, and the last tenth of the first selects the epoch: test data never select a
model. The tagger reads the same training sentences. A row per treebank and model is printed, and added to --results.
"""

import argparse
import ast
import dataclasses
import json
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import firth
from firth.readers import DependencySentence, write_conllu

PARTS = ("train", "dev", "test")
MODELS = {"transition": firth.TransitionParser, "biaffine": firth.BiaffineParser}
PLAIN = {"tag": "upos", "beam": 1}  # unless --options say otherwise
TAGGER = {"targets": "upos", "characters": "lstm", "head": "softmax", "hidden": 200, "spelling": False}


def parts(folder):
    """The training file and the test file of a treebank."""
    found = [sorted(folder.glob(f"*-{name}.conllu*")) for name in PARTS]
    files = [paths[0] for paths in found if paths]
    if len(files) < 2:
        raise SystemExit(
            f"{folder}: {len(files)} of *-train.conllu, *-dev.conllu, *-test.conllu; expected two or three"
        )
    return files[0], files[-1]


def training_of(options, arguments):
    """The training options of a model, with what the command line changes."""
    names = ("epochs", "minutes", "precision", "batch_size", "lr")
    changes = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    return replace(options.training, **changes)


def value_of(text):
    """The value of an option: a number, True or False, or else a word."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def run(folder, name, tagger, arguments, **sizes):
    """Train a parser and judge it."""
    train, test = parts(folder)
    fields = {field.name for field in dataclasses.fields(MODELS[name])}
    given = dict(pair.partition("=")[::2] for pair in arguments.options)
    values = {key: value_of(text) for key, text in given.items() if key in fields}
    plain = {key: value for key, value in PLAIN.items() if key in fields}
    options = MODELS[name](**{**plain, **sizes, **values})
    start = time.process_time()
    model = options.train(train, training=training_of(options, arguments), seed=arguments.seed)
    seconds = time.process_time() - start
    if arguments.save:
        model.save(arguments.save / f"{folder.name}-{name}")
    start = time.process_time()
    scores = model.test(test, tagger=tagger)
    speed = len(scores.rows) * scores.gold.words / (time.process_time() - start)
    row = {
        "treebank": folder.name,
        "model": name,
        **({"options": values} if values else {}),
        "seed": arguments.seed,
        "seconds": round(seconds),
        "words": scores.gold.words,
    }
    for tags, found in scores.rows.items():
        ends = scores.intervals[tags]
        row[tags] = {
            "uas": round(100 * found.uas, 2), "las": round(100 * found.las, 2), "clas": round(100 * found.clas.f1, 2),
            "uas_interval": [round(100 * end, 1) for end in ends["uas"]],
            "las_interval": [round(100 * end, 1) for end in ends["las"]],
        }  # fmt: skip
    facts = model.metadata["training"]
    row |= {"epoch": facts["best"]["epoch"], "parsed_a_second": round(speed), "precision": facts["precision"]}
    print(json.dumps(row), flush=True)
    return row


def toy(folder):
    """A treebank of made-up sentences."""
    draw = random.Random(1)
    for name, count in (("train", 60), ("test", 10)):
        sentences = [
            DependencySentence.of(
                ["the", draw.choice(["cat", "dog"]), draw.choice(["eats", "sees"]), "fish"]
            ).annotated(
                tags=["DET", "NOUN", "VERB", "NOUN"], heads=[2, 3, 0, 3], relations=["det", "nsubj", "root", "obj"]
            )
            for _ in range(count)
        ]
        write_conllu(folder / f"toy-{name}.conllu", sentences)


def tagger_of(folder, arguments, **sizes):
    """A tagger of the treebank's universal tags."""
    options = firth.Tagger(**{**TAGGER, **sizes})
    training = replace(options.training, epochs=arguments.tagger_epochs, batch_size=16, lr=0.002, patience=5)
    return options.train(parts(folder)[0], training=training, seed=arguments.seed)


def main(arguments=None):
    """Train and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--toy", action="store_true", help="made-up sentences, in seconds")
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=list(MODELS))
    parser.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE", help="of the models that have them")
    parser.add_argument("--tagger", type=Path, help="a tagger; without it one is trained on each treebank")
    parser.add_argument("--tagger-epochs", type=int, default=5)
    parser.add_argument("--epochs", type=int, help="of the parsers; default: their own")
    parser.add_argument("--minutes", type=float, help="limit on the training of each parser")
    parser.add_argument("--precision", choices=("fp32", "bf16"))
    parser.add_argument("--lr", type=float, help="highest learning rate")
    parser.add_argument("--batch-size", type=int, help="sentences, or words with biaffine")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", type=Path, help="folder for the parsers")
    parser.add_argument("--results", type=Path, help="file that rows are added to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        sizes, of_tagger = {}, {}
        if options.toy:
            toy(Path(made))
            options.folders, options.epochs = [Path(made)], options.epochs or 15
            sizes = {
                "transition": {"dim": 8, "tag_dim": 8, "hidden": 16, "min_count": 1},
                "biaffine": {"dim": 8, "column_dim": 8, "hidden": 16, "layers": 1, "arc_width": 16, "label_width": 8},
            }
            options.batch_size, options.lr, of_tagger = 20, 0.02, {"dim": 8, "hidden": 8, "characters": "none"}
        rows = []
        for folder in options.folders:
            tagger = firth.load(options.tagger) if options.tagger else tagger_of(folder, options, **of_tagger)
            for name in options.models:
                rows.append(run(folder, name, tagger, options, **sizes.get(name, {})))
                if options.results:
                    with options.results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(rows[-1]) + "\n")
    return rows


if __name__ == "__main__":
    main()
