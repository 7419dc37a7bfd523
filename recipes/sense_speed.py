"""Training speed of multi-sense skip-gram compared with skip-gram on the same text with the same options.

Each round trains every model once, so that a busy machine slows all of them; the figures are medians over rounds.

    python recipes/sense_speed.py wiki.txt --threads 1 2 --rounds 5
    python recipes/sense_speed.py --toy
"""

import argparse
import json
import statistics
from pathlib import Path

import firth
from firth.comparison import trainer

MODELS = ("skipgram", "mssg:senses=2:warm_up=0.02", "mssg:senses=2", "mssg:senses=3", "np-mssg")


def toy_text():
    """Some sentences of few words."""
    return [[f"w{(i * i + j * j * j) % 97}" for j in range(20)] for i in range(500)]


def measure(corpus, models, threads, rounds, common):
    """Words per second of each model in each round."""
    speeds = {spec: [] for spec in models}
    for _ in range(rounds):
        for spec in models:
            facts = trainer(spec, common).train(corpus, threads=threads, progress=False).metadata["training"]
            speeds[spec].append(facts["words"] / max(facts["seconds"], 1e-9))
    return speeds


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Words a second of multi-sense skip-gram beside skip-gram.")
    parser.add_argument("text", nargs="?", help="a file of text; none with --toy")
    parser.add_argument("--toy", action="store_true", help="a small text, one round")
    parser.add_argument("--models", nargs="+", default=list(MODELS), help="the first is what others are compared with")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--cache", help="folder of built corpora")
    parser.add_argument("--results", type=Path, help="file of JSON lines to add the figures to")
    args = parser.parse_args(arguments)
    if not args.toy and args.text is None:
        parser.error("a text is missing; or pass --toy")
    if args.toy:
        args.rounds, args.dim = 1, 16
    corpus = firth.Corpus.build(toy_text() if args.toy else [Path(args.text)], cache=args.cache, progress=False)
    lines = []
    print(
        f"| model, {corpus.num_tokens:,} words | threads | words/s | share of {args.models[0]}'s |\n|---|---|---|---|"
    )
    for threads in args.threads:
        common = {"epochs": args.epochs, "dim": args.dim}
        speeds = measure(corpus, args.models, threads, args.rounds, common)
        medians = {spec: statistics.median(figures) for spec, figures in speeds.items()}
        for spec, speed in medians.items():
            share = speed / medians[args.models[0]]
            print(f"| {spec} | {threads} | {speed:,.0f} | {share:.2f} |", flush=True)
            lines.append(
                {
                    "model": spec,
                    "threads": threads,
                    "words": corpus.num_tokens,
                    "words/s": round(speed),
                    "share": round(share, 3),
                    "rounds": [round(one) for one in speeds[spec]],
                    "version": firth.__version__,
                }
            )
    if args.results:
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    return lines


if __name__ == "__main__":
    main()
