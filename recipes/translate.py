"""Translators on Multi30k: captions of images in German and English, 29,000 pairs.

Trains one translator, and scores it on the test set of 2016 with greedy search and with five beams: BLEU and chrF of
lower-cased text by sacrebleu, with intervals. Several saved models make an ensemble. `--compare` trains a model with
each kind of attention, for `--minutes` each, and shows their scores in one table.

    python recipes/translate.py DATA de en --model lstm --precision bf16 -o de-en.firth       # without attention
    python recipes/translate.py DATA de en --model lstm --precision bf16 --set bidirectional=false --reverse
    python recipes/translate.py DATA en de --precision bf16 --lr 0.002 --set hidden=256 dropout=0.2 -o en-de.firth
    python recipes/translate.py DATA en de --model transformer --minutes 60
    python recipes/translate.py DATA de en --ensemble a.firth b.firth c.firth
    python recipes/translate.py DATA en de --compare --epochs 3 --minutes 8     # kinds of attention, side by side

DATA is a folder with train, val and test_2016_flickr in both languages, one caption a line: train.de.gz and so on, from
https://github.com/multi30k/dataset.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import firth

MODELS = {
    "lstm": (
        {"attention": "none", "bridge": "last", "hidden": 512, "dim": 256, "dropout": 0.2},
        {"epochs": 10, "batch_size": 64, "lr": 0.002, "warmup": 100},
    ),
    "attention": (
        {"hidden": 512, "dim": 256, "dropout": 0.3},
        {"epochs": 10, "batch_size": 64, "lr": 0.001, "warmup": 100},
    ),
    "transformer": (
        {
            "encoder": "transformer",
            "decoder": "transformer",
            "hidden": 128,
            "layers": 4,
            "heads": 4,
            "ffn_dim": 512,
            "joint": True,
            "tie_weights": "all",
            "dropout": 0.1,
        },
        {"epochs": 30, "batch_size": 64, "lr": 0.002, "warmup": 1000},
    ),
}


KINDS = {
    "general": {},
    "dot": {"attention": "dot"},
    "additive": {"attention": "additive"},
    "local monotonic": {"local": "monotonic", "window": 5},
    "local predictive": {"local": "predictive", "window": 5},
    "none": {"attention": "none"},
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--model", choices=MODELS, default="attention")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other options of the translator")
    parser.add_argument("--units", default="subwords", choices=("subwords", "words"))
    parser.add_argument("--size", type=int, default=5000, help="vocabulary size of each side")
    parser.add_argument("--compare", nargs="*", choices=KINDS, help="kinds of attention; all, if none is named")
    parser.add_argument("--reverse", action="store_true", help="read sources from the last word to the first")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--lr", type=float)
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ensemble", nargs="+", type=Path, help="saved models to score together")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args()


def value(text):
    """The value of an option as it is written on the command line."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def files(args, name):
    return tuple(args.data / f"{name}.{language}.gz" for language in (args.source, args.target))


def train(args, **others):
    """A translator trained for `--minutes` or its epochs, whatever ends first."""
    how, training = MODELS[args.model]
    how = {**how, **{name: value(text) for name, text in (each.split("=", 1) for each in args.set)}, **others}
    translator = firth.Translator(
        lowercase=True,
        source_units=args.units,
        target_units=args.units,
        source_size=args.size,
        target_size=args.size,
        reverse_source=args.reverse,
        **how,
    )
    given = {name: getattr(args, name) for name in ("epochs", "lr") if getattr(args, name)}
    training = {**training, **given}
    return translator.train(
        files(args, "train"),
        held_out=files(args, "val"),
        training=replace(translator.training, minutes=args.minutes, precision=args.precision, **training),
        seed=args.seed,
    )


def compare(args):
    """Translators with each kind of attention: seconds of training, scores of five beams in one table."""
    texts, systems = firth.read_parallel(*files(args, "test_2016_flickr")), {}
    for kind in args.compare or KINDS:
        began = time.process_time()
        model = train(args, **KINDS[kind])
        facts, seconds = model.metadata["training"], time.process_time() - began
        print(f"{kind}: {json.dumps(facts['best'])}, {seconds:.0f} s", flush=True)
        systems[kind] = [each.text for each in model.translate(list(texts.sources), beam=5)]
    print(firth.evaluate_generated(systems, list(texts.targets), lowercase=True))


def main():
    args = arguments()
    if args.compare is not None:
        compare(args)
        return
    if args.ensemble:
        model = firth.TranslationEnsemble([firth.load(path) for path in args.ensemble])
    else:
        model = train(args)
        facts = model.metadata["training"]
        print(json.dumps({name: facts[name] for name in ("pairs", "target_tokens", "seconds", "best", "dropped")}))
        if args.output:
            model.save(args.output)
    for beam in (1, 5):
        began = time.process_time()
        report = model.test(files(args, "test_2016_flickr"), beam=beam, lowercase=True)
        print(f"beam={beam}, {time.process_time() - began:.1f} s\n{report}", flush=True)


if __name__ == "__main__":
    main()
