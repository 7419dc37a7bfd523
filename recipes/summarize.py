"""Subject lines of mails: summarizers with copying, coverage, selection and rewards on AESLC.

Trains a summarizer on 14,436 mails of the Enron corpus with their subjects, and scores it on the test set beside the
first words of each mail: ROUGE with intervals, the share of copied words and of repeated trigrams.

    python recipes/summarize.py aeslc.tar.gz --set copying=false -o plain.firth
    python recipes/summarize.py aeslc.tar.gz -o copying.firth

The archive is data/enron_subject_line of https://github.com/ryanzhumich/AESLC: one mail a file, the subject after the
line "@subject".
"""

import argparse
import json
import re
import tarfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import firth

LEAD = 12  # words of the baseline
METRICS = ("rouge-1", "rouge-2", "rouge-l", "copied", "repeated-3", "words")


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", help="other options of the summarizer")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--test", type=int, default=None, help="only so many mails of the test set")
    parser.add_argument("--min-length", type=int, default=0, help="minimum length of a subject in tokens")
    parser.add_argument("--model", type=Path, help="a saved summarizer to score, in place of training")
    parser.add_argument(
        "--select", type=float, metavar="MINUTES", help="train a selector for --model, and copy only what it selects"
    )
    parser.add_argument("--reinforce", type=float, metavar="MINUTES", help="train --model further for ROUGE-L")
    parser.add_argument("--mixture", type=float, default=0.95, help="weight of the reward")
    parser.add_argument("--lr", type=float, default=0.0003, help="learning rate with the reward")
    parser.add_argument("-o", "--output", type=Path)
    return parser.parse_args(argv)


def read_mails(path):
    """Pairs of a mail and its subject of train, dev and test."""
    parts = {}
    with tarfile.open(path) as archive:
        for member in archive:
            if not member.isfile() or not member.name.endswith(".subject"):
                continue
            text = archive.extractfile(member).read().decode("utf-8", "replace")
            body, _, rest = text.partition("@subject")
            subject = rest.partition("@ann")[0]
            pair = " ".join(body.split()), " ".join(subject.split())
            if all(pair):
                parts.setdefault(member.name.split("/")[-2], []).append((member.name, *pair))
    return {part: [pair[1:] for pair in sorted(pairs)] for part, pairs in parts.items()}


def lead(text, words=LEAD):
    """The first words of a mail."""
    return " ".join(re.findall(r"\S+", text)[:words])


def value(text):
    """The value of an option as it is written on the command line."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def train(args, mails):
    how = {name: value(text) for name, text in (each.split("=", 1) for each in args.set)}
    summarizer = firth.Summarizer(**how)
    training = replace(summarizer.training, minutes=args.minutes, epochs=args.epochs, precision=args.precision)
    model = summarizer.train(mails["train"], held_out=mails["dev"], training=training)
    facts = model.metadata["training"]
    print(json.dumps({name: facts[name] for name in ("pairs", "target_tokens", "seconds", "best")}), flush=True)
    if args.output:
        model.save(args.output)
    return model


def area_under_curve(scores, right):
    """The probability that a word that was taken has a higher score than one that was not, with ties as halves."""
    order = np.argsort(scores, kind="stable")
    _, first, counts = np.unique(scores[order], return_index=True, return_counts=True)
    ranks = np.repeat(first + (counts + 1) / 2, counts)
    positive = right[order]
    n = positive.sum()
    return (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(right) - n))


def select(args, mails, model):
    """A selector's area under the curve, and summaries at several thresholds."""
    tagger = firth.Tagger(targets="copying", head="softmax", hidden=100, min_count=3)
    training = replace(tagger.training, minutes=args.select, epochs=6, batch_size=32, precision=args.precision)
    examples = {part: model.selection_examples(pairs) for part, pairs in mails.items()}
    selector = tagger.train(examples["train"], held_out=examples["dev"][:500], training=training)
    if args.output:
        selector.save(args.output)
    column = selector.tags["copying"].index("copied")
    scores = [each["copying"][:, column] for each in selector.marginals([words for words, _ in examples["test"]])]
    right = [np.array(tags["copying"]) == "copied" for _, tags in examples["test"]]
    area = area_under_curve(np.concatenate(scores), np.concatenate(right))
    print(f"selector: area under the curve {area:.3f}, {np.concatenate(right).mean():.3f} of the words", flush=True)
    for part in ("dev", "test"):
        sources, subjects = zip(*mails[part][: args.test], strict=True)
        systems = {
            str(threshold): [
                str(each) for each in model.summarize(list(sources), selector=selector, threshold=threshold)
            ]
            for threshold in (0, 0.02, 0.05, 0.1, 0.2)
        }
        print(f"{part}, by threshold")
        print(firth.evaluate_generated(systems, list(subjects), sources=list(sources), metrics=METRICS), flush=True)


def reinforce(args, mails, model):
    """The model after training for ROUGE-L."""
    training = replace(
        model.options.training, minutes=args.reinforce, epochs=2, lr=args.lr, schedule="constant", warmup=0,
        precision=args.precision,
    )  # fmt: skip
    better = model.reinforce(mails["train"], held_out=mails["dev"][:500], training=training, mixture=args.mixture)
    facts = better.metadata["reinforcement"]
    print(json.dumps({name: facts[name] for name in ("pairs", "seconds", "best")}), flush=True)
    if args.output:
        better.save(args.output)
    return better


def main(argv=None):
    args = arguments(argv)
    mails = read_mails(args.data)
    model = firth.load(args.model) if args.model else train(args, mails)
    if args.select:
        select(args, mails, model)
    else:
        if args.reinforce:
            model = reinforce(args, mails, model)
        score(args, mails, model)


def score(args, mails, model):
    """ROUGE of greedy search and of beam search beside the first words of each mail."""
    test = mails["test"][: args.test]
    sources, subjects = zip(*test, strict=True)
    length = firth.GenerationOptions(max_length=60, min_length=args.min_length)
    systems = {f"lead-{LEAD}": [lead(text) for text in sources]}
    for beam in (1, 4):
        began = time.process_time()
        systems[f"beam {beam}"] = [str(each) for each in model.summarize(list(sources), beam=beam, options=length)]
        print(f"beam={beam}, {time.process_time() - began:.1f} s", flush=True)
    print(firth.evaluate_generated(systems, list(subjects), sources=list(sources), metrics=METRICS))


if __name__ == "__main__":
    main()
