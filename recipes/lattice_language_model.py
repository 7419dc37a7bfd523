"""Lattice language models beside LSTMs of equal size: characters and chunks of them, words with several embeddings.

The text is a novel, or any other text file: its paragraphs, a line each; the first characters train, the next ones
select the epoch, and the last ones test. All models of characters predict the same characters, all models of words the
same words; bits per character count ends of paragraphs.

    python recipes/lattice_language_model.py --archive litbank-novels.tar.gz
    python recipes/lattice_language_model.py --text book.txt --models lstm lattice --save models
    python recipes/lattice_language_model.py --speed      # processor time per character, all models in turns
    python recipes/lattice_language_model.py --toy
"""

import argparse
import json
import statistics
import tarfile
import time
from pathlib import Path

import numpy as np
import torch

import firth
from firth.language import training_text
from firth.neural import TrainingProgress, frequent_chunks, language_task, lattice_task

NOVEL = "original/1023_bleak_house.txt"
TOY = "the cat sat on the mat and the dog sat on the log while the other cat looked at the dog"
CHARACTERS = {"tokens": "characters", "min_count": 1}
WORDS = {"tokens": "unicode", "max_size": 5000}


def models(args):
    """Options of the models and how they read text, by name."""
    size = {"dim": args.dim, "hidden": args.hidden, "dropout": args.dropout, "bptt": args.bptt}
    chunks = {"max_length": args.max_length, "chunks": args.chunks}
    lstm = firth.RecurrentLM(**size, layers=1)
    return {
        "lstm": (lstm, CHARACTERS),
        "lattice": (firth.LatticeLM(**size, **chunks), CHARACTERS),
        "lattice-sampled": (firth.LatticeLM(**size, **chunks, merge="sampled"), CHARACTERS),
        "lattice-gumbel": (firth.LatticeLM(**size, **chunks, merge="gumbel"), CHARACTERS),
        "lattice-senses": (firth.LatticeLM(**size, **chunks, senses=2), CHARACTERS),
        "words": (lstm, WORDS),
        "words-senses": (firth.LatticeLM(**size, max_length=1, senses=2), WORDS),
        "words-lattice": (firth.LatticeLM(**size, max_length=2, chunks=1000), WORDS),
    }


def paragraphs(args):
    """The three parts of the text, lists of paragraphs."""
    if args.toy:
        text = "\n\n".join([TOY] * 60)
    elif args.text:
        text = Path(args.text).read_text(encoding="utf-8")
    else:
        with tarfile.open(args.archive) as archive:
            text = archive.extractfile(NOVEL).read().decode("utf-8")
    found = [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]
    ends = np.cumsum([len(each) + 1 for each in found])
    if ends[-1] < args.characters + 2 * args.held_out:
        raise SystemExit(f"the text has {ends[-1]:,} characters: give --characters and --held-out that fit it")
    borders = np.searchsorted(
        ends, [args.characters, args.characters + args.held_out, args.characters + 2 * args.held_out]
    )
    return [found[start:stop] for start, stop in zip([0, *borders[:-1]], borders, strict=True)]


def train(name, args, parts):
    """One row of the results."""
    options, reading = models(args)[name]
    training = firth.TrainingOptions(
        epochs=args.epochs, batch_size=args.batch_size, lr=args.lr, schedule="linear", clip_norm=1.0
    )
    began = time.process_time()
    given = training_text(parts[0], reading)
    model = options.train(given, held_out=parts[1], training=training, seed=args.seed, progress=False)
    seconds = time.process_time() - began
    if args.save:
        model.save(Path(args.save) / name)
    perplexity = model.perplexity(parts[2])
    facts = model.metadata["training"]
    characters = sum(len(each) + 1 for each in parts[2])
    return {
        "model": name, "hidden": args.hidden, "seed": args.seed, "epochs": args.epochs,
        "valid": [round(row["held_out_loss"] / np.log(2), 4) for row in facts["rows"]],
        "bits_per_character": round(perplexity.nats / np.log(2) / characters, 4),
        "perplexity": round(perplexity.value, 3), "unit": perplexity.unit,
        "rows": len(model.module.weight) if isinstance(options, firth.LatticeLM) else len(model.vocabulary),
        "parameters": sum(each.numel() for each in model.module.parameters()),
        "cpu_seconds": round(seconds, 1), "tokens_per_cpu_second": round(facts["predictions"] / seconds),
    }  # fmt: skip


def speed(args, parts):
    """Median processor time of a training step of each model of characters, in turns."""
    text = training_text(parts[0], CHARACTERS)
    steps = {}
    for name in args.models:
        options, reading = models(args)[name]
        if reading is not CHARACTERS:
            continue
        size = {"batch_size": args.batch_size, "bptt": args.bptt}
        torch.manual_seed(0)
        if isinstance(options, firth.LatticeLM):
            limits = {"max_length": options.max_length, "most": options.chunks, "min_count": options.min_count}
            module = options.build(len(text.vocabulary), list(frequent_chunks(text, **limits)), text.eos_id)
            task = lattice_task(module, text, None, **size)
        else:
            task = language_task(options.build_module(text.vocabulary, text.eos_id), text, **size)
        steps[name] = (task, next(iter(task.batches.epoch(0))), [])
    torch.set_num_threads(1)
    for _ in range(args.rounds + 1):
        for task, batch, seconds in steps.values():
            began = time.process_time()
            task.step(batch, None, TrainingProgress(0, 1, 0.0, 0.0)).loss.backward()
            seconds.append(time.process_time() - began)
    tokens = args.batch_size * args.bptt
    median = {name: statistics.median(seconds[1:]) for name, (_, _, seconds) in steps.items()}
    for name, seconds in median.items():
        row = {
            "task": "speed",
            "model": name,
            "hidden": args.hidden,
            "characters_per_cpu_second": round(tokens / seconds),
        }
        yield row | ({"times_lstm": round(seconds / median["lstm"], 2)} if "lstm" in median else {})


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archive", default="litbank-novels.tar.gz", help="of LitBank's novels")
    parser.add_argument("--text", help="a text file in place of the novel")
    parser.add_argument("--models", nargs="+", default=["lstm", "lattice", "words", "words-senses"])
    parser.add_argument("--characters", type=int, default=1_000_000, help="of the training text")
    parser.add_argument("--held-out", type=int, default=50_000, help="characters of each held-out part")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--bptt", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--max-length", type=int, default=4)
    parser.add_argument("--chunks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="folder for the models")
    parser.add_argument("--speed", action="store_true", help="speed only")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--toy", action="store_true", help="a few sentences, seconds")
    args = parser.parse_args(arguments)
    if args.toy:
        args.dim, args.hidden, args.characters, args.held_out, args.chunks, args.rounds = 8, 16, 3000, 500, 20, 2
        args.batch_size, args.lr = 8, 0.01
    parts, rows = paragraphs(args), []
    for row in speed(args, parts) if args.speed else (train(name, args, parts) for name in args.models):
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


if __name__ == "__main__":
    main()
