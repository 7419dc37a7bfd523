"""Texts of records with and without copies of fields: generated texts with unseen names, and Hearthstone's cards.

Generated: sentences from templates with a name, a place and a number; test records have names and places that training
lacks. Hearthstone: the cards of card2code (Ling et al. 2016), one field a line of the archive's records, whose text is
Python code; BLEU with spaces around signs, beside the code of the most similar training card (retrieval).

    python recipes/latent_predictors.py
    python recipes/latent_predictors.py --archive card2code.tar.gz --hidden 256 --epochs 30     # Hearthstone
    python recipes/latent_predictors.py --toy
"""

import argparse
import difflib
import json
import re
import tarfile
import time

import numpy as np

import firth

TEMPLATES = (
    "{name} lives in {place} and is {age} years old.",
    "In {place} there is {name}, who is {age}.",
    "{name} came to {place}.",
)
FOLDER, PARTS = "third_party/hearthstone/", ("train", "dev", "test")
NAMES = ("name", "attack", "health", "cost", "durability", "type", "class", "race", "rarity", "text")
FIELD = re.compile(r"\b(?:NAME|ATK|DEF|COST|DUR|TYPE|PLAYER_CLS|RACE|RARITY)_END\b")
SIGNS = re.compile(r"\w+|[^\w\s]")
MODELS = ("copying", "generating")  # with copies of fields; every byte generated, with attention


def generated(args):
    """Training, held-out and test records with their texts; no name or place is in two of the parts."""
    random = np.random.default_rng(args.seed)
    taken = set()

    def word():
        while True:
            found = "".join(random.choice(list("abcdefghijklmnoprstuvw"), random.integers(4, 9))).capitalize()
            if found not in taken:
                taken.add(found)
                return found

    parts = []
    for count in (args.records, args.records // 10, args.records // 10):
        records = [
            {"kind": str(kind), "name": word(), "place": word(), "age": str(random.integers(1, 100))}
            for kind in random.integers(0, len(TEMPLATES), count)
        ]
        parts.append((records, [TEMPLATES[int(record["kind"])].format(**record) for record in records]))
    return parts


def cards(args):
    """The parts of Hearthstone: fields of a card, and its code with one sign for the end of a line."""
    parts = []
    with tarfile.open(args.archive) as archive:
        for part in PARTS:
            read = [archive.extractfile(f"{FOLDER}{part}_hs.{end}").read().decode("utf-8") for end in ("in", "out")]
            lines, codes = (text.strip("\n").split("\n") for text in read)
            parts.append(([record(line) for line in lines], [code.strip() for code in codes]))
    return parts


def record(line):
    """The fields of a card, and its name as code writes it; values stand before the names of their ends."""
    found = dict(zip(NAMES, (each.strip() for each in FIELD.split(line)), strict=True))
    return found | {"identifier": re.sub(r"\W", "", found["name"].title().replace("'S", "s"))}


def bleu(found, expected):
    """BLEU in per cent, over words and signs."""
    split = [[" ".join(SIGNS.findall(text)) for text in some] for some in (found, expected)]
    return round(firth.evaluate_generated(*split, metrics="bleu").rows[0].value, 2)


def retrieved(parts):
    """The code of the training card whose fields are most similar, for each test card."""
    shown = [" ".join(each.values()) for each in parts[0][0]]
    for each in parts[2][0]:
        matcher = difflib.SequenceMatcher(b=" ".join(each.values()), autojunk=False)
        ratios = []
        for text in shown:
            matcher.set_seq1(text)
            ratios.append(matcher.quick_ratio())
        yield parts[0][1][int(np.argmax(ratios))]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archive", help="card2code.tar.gz, for Hearthstone; otherwise texts are generated")
    parser.add_argument("--records", type=int, default=1500, help="generated ones to learn from")
    parser.add_argument("--dim", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=0.005)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--toy", action="store_true", help="few records, seconds")
    args = parser.parse_args(arguments)
    if args.toy:
        args.records, args.hidden, args.dim, args.epochs = 60, 8, 8, 1
    parts, rows = cards(args) if args.archive else generated(args), []
    task = "hearthstone" if args.archive else "generated"
    longest = max(len(text.encode()) for part in parts for text in part[1])
    for name in args.models:
        options = firth.LatentPredictorNetwork(
            dim=args.dim, hidden=args.hidden, dropout=args.dropout, copying=name == "copying",
            max_length=2 * longest if args.toy else longest,
        )  # fmt: skip
        training = firth.TrainingOptions(
            epochs=args.epochs, batch_size=args.batch_size, lr=args.lr, schedule="linear", clip_norm=1.0
        )
        began = time.process_time()
        model = options.train(
            *parts[0], held_out=parts[1][0], held_out_targets=parts[1][1], training=training, seed=args.seed,
            progress=False,
        )  # fmt: skip
        seconds = time.process_time() - began
        found = model.predict(parts[2][0])
        rows.append({
            "task": task, "model": name, "hidden": args.hidden,
            "dropout": args.dropout, "seed": args.seed, "epochs": args.epochs,
            "exact": round(100 * np.mean(np.array(found) == np.array(parts[2][1])), 1),
            "nats_per_text": round(-float(model.log_likelihood(*parts[2]).mean()), 2), "texts": len(found),
            "cpu_seconds": round(seconds, 1),
        } | ({"bleu": bleu(found, parts[2][1])} if args.archive else {}))  # fmt: skip
        print(json.dumps(rows[-1]), flush=True)
    if args.archive:
        rows.append({"task": task, "model": "retrieval", "bleu": bleu(list(retrieved(parts)), parts[2][1])})
        print(json.dumps(rows[-1]), flush=True)
    return rows


if __name__ == "__main__":
    main()
