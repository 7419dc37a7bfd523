"""Encoders pretrained on your own text, and fine-tuned on labelled sentences: BERT's objective, ELECTRA's, COCO-LM's.

Each objective trains the same network, 4 blocks of 256 with windows of 128 word pieces, for the same time on Wikipedia
and novels, about 43 million word pieces. Lines that hold a sentence of a test are left out and counted. Fine-tuning
reads MR, SUBJ, CR, TREC and SST-2 in SentEval's form: MR, SUBJ and CR are tested on the first of ten stratified folds,
the others on their test parts; a tenth of the training sentences selects the epoch. Rows: TF-IDF with logistic
regression, the same network from scratch, and each pretrained encoder, fine-tuned, over several seeds.

    python recipes/pretrain.py DATA --work FOLDER --minutes 50 --precision bf16 --seeds 3
    python recipes/pretrain.py DATA --work FOLDER --labels 200 1000            # fewer labels, same encoders
    python recipes/pretrain.py DATA --work FOLDER --seeds 1 --tuning frozen gradual
    python recipes/pretrain.py DATA --work FOLDER --text reviews.txt    # beside them, text of the tasks' kind
    python recipes/pretrain.py DATA --work FOLDER --masked-first 15 --generator 0.5   # ELECTRA, COCO-LM in two stages
    python recipes/pretrain.py DATA --work LONGER --start FOLDER/masked --objectives masked   # as long once more
    python recipes/pretrain.py --toy

On a processor without bf16 a smaller network reads more in the same time:

    python recipes/pretrain.py DATA --work FOLDER --minutes 45 --precision fp32 --dim 128 --length 64 --batch-size 16 \
        --generator 0.5 --tuning-epochs 3

DATA is a folder with corpus/wiki.txt.xz, books/litbank-novels.tar.gz and sentence/sentclass. An encoder that the work
folder holds is not pretrained again.
"""

import argparse
import json
import lzma
import re
import tarfile
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import baseline_correct, stratified_folds
from firth.readers import read_labelled_sentences
from firth.text import fingerprint, passage_fingerprints

FOLDS = 10
TASKS = {
    "MR": "rt-polarity.all",
    "SUBJ": "subj.all",
    "CR": "custrev.all",
    "TREC": "TREC.test.all",  # read with its training part
    "SST-2": "stsa.binary.test",
}
OBJECTIVES = {"scratch": firth.MaskedLM, "masked": firth.MaskedLM, "electra": firth.Electra, "coco": firth.CocoLM}
GENERATORS = ("electra", "coco")
TUNINGS = ("all", "gradual", "frozen")


# Text


def lines_of(data, more=()):
    """Paragraphs of Wikipedia and of the novels, and the lines of more files."""
    for path in more:
        with path.open(encoding="utf-8") as file:
            yield from (line.strip() for line in file if line.strip())
    with lzma.open(data / "corpus/wiki.txt.xz", "rt", encoding="utf-8") as file:
        yield from (line.strip() for line in file if line.strip())
    with tarfile.open(data / "books/litbank-novels.tar.gz") as archive:
        for member in archive:
            if "original/" in member.name and member.isfile():
                text = archive.extractfile(member).read().decode("utf-8", "replace")
                yield from (" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if len(part) >= 40)


def without(lines, tested):
    """Lines in which no run of sentences is one of a test, in random order, and how many were left out."""
    forbidden, kept, left_out = {fingerprint(text) for text in tested} - {fingerprint("")}, [], 0
    for line in lines:
        if not forbidden.isdisjoint(passage_fingerprints(line)):
            left_out += 1
        else:
            kept.append(line)
    order = np.random.default_rng(0).permutation(len(kept))
    return [kept[i] for i in order], left_out


def tasks_of(data):
    """Name to tokens, labels, and which sentences are the test."""
    found = {}
    for name, file in TASKS.items():
        read = read_labelled_sentences(data / "sentence/sentclass" / file)
        test = read.test
        if test.all():
            test = stratified_folds(read.labels, FOLDS, seed=0, keys=[" ".join(text) for text in read.texts]) == 0
        found[name] = read.texts, read.labels, test
    return found


def toy_data():
    """Sentences of a small grammar, and a task whose label is in one word."""
    random = np.random.default_rng(0)
    lines, texts, labels = [], [], []
    for number in range(600):
        good = bool(random.integers(2))
        word = random.choice(["good", "great", "fine"] if good else ["bad", "poor", "awful"])
        end = random.choice(["smile", "laugh"] if good else ["cry", "sigh"])
        line = f"the {random.choice(['film', 'book', 'song'])} is {word} and people {end} ."
        lines.append(line)
        if number % 3 == 0:
            texts.append([each for each in line.split() if each not in ("smile", "laugh", "cry", "sigh")])
            labels.append(int(good))
    return lines, {"toy": (texts, np.array(labels), np.arange(len(texts)) % 5 == 0)}


# Models


def pretrained(args, lines, work):
    """Name to the folder of an encoder; one of them is hardly trained at all."""
    sizes = {"dim": args.dim, "layers": args.layers, "heads": args.heads, "max_length": args.length}
    corpus = lines  # cut into the word pieces of the encoder that a training starts from
    if args.start is None:
        corpus = firth.Corpus.build(lines, tokens="wordpieces", max_size=args.pieces, progress=args.verbose)
    folders, reports = {}, []
    for name in args.objectives:
        folder = work / name
        folders[name] = folder
        if not folder.exists():
            scratch = name == "scratch"  # a network is saved by a training: one that changes nothing
            changes = {"minutes": 1e-4, "lr": 1e-9} if scratch else {"minutes": args.minutes, "lr": args.lr}
            options = OBJECTIVES[name]
            training = firth.TrainingOptions(
                **{**vars(options.training), "epochs": args.epochs, "batch_size": args.batch_size,
                   "precision": args.precision, "evaluate_every": args.evaluate_every, **changes}
            )  # fmt: skip
            if args.toy:
                training = firth.TrainingOptions(
                    epochs=1 if scratch else args.epochs,
                    batch_size=16,
                    lr=1e-9 if scratch else 0.003,
                    optimiser="adamw",
                    warmup=10,
                )
            own = {"generator": args.generator} if name in GENERATORS else {}
            own |= {"embedding_dim": args.dim} if name == "electra" else {}  # as wide as a masked language model's
            start = None if scratch else args.start
            if args.masked_first and name in GENERATORS:
                start = work / "masked-first"
                if not start.exists():
                    first = firth.TrainingOptions(**{**vars(training), "minutes": args.masked_first})
                    masked = firth.MaskedLM(**sizes).train(corpus, training=first, seed=0, progress=args.verbose)
                    masked.save(start)
                training = firth.TrainingOptions(**{**vars(training), "minutes": args.minutes - args.masked_first})
            encoder = options(**sizes, **own).train(
                corpus, training=training, seed=int(start is not None), progress=args.verbose,  # other windows first
                checkpoint=work / f"{folder.name}.run", **({} if start is None else {"start": start}),
            )  # fmt: skip
            encoder.save(folder)
        facts = firth.load(folder).metadata["training"]
        row = (facts["best"] or facts["rows"][-1]) | {k: facts[k] for k in facts if k.startswith("unigram")}
        read = facts["tokens"] * row["epoch"]
        reports.append({"encoder": name, "tokens": round(read), "tokens_a_second": round(read / row["seconds"]), **row})
    return folders, reports


def part_of(train, labels, count, seed):
    """Some of the training sentences, or all of them; each label has two at least."""
    if not count or count >= len(train):
        return train
    random = np.random.default_rng(seed)
    order = random.permutation(train)
    first = [i for label in np.unique(labels[train]) for i in order[labels[order] == label][:2]]
    return np.concatenate([first, [i for i in order if i not in set(first)][: count - len(first)]]).astype(int)


def accuracy(folder, task, args, tuning, count, seed):
    """The share of test sentences that get their label."""
    texts, labels, test = task
    train = part_of(np.flatnonzero(~test), labels, count, seed)
    training = firth.TrainingOptions(
        **{**vars(firth.EncoderClassifier.training), "epochs": args.tuning_epochs, "precision": args.precision,
           "lr": args.tuning_lr * (30 if tuning == "frozen" else 1)}
    )  # fmt: skip
    options = firth.EncoderClassifier(encoder=folder, tuning=tuning)
    model = options.train(
        [(" ".join(texts[i]), str(labels[i])) for i in train], training=training, seed=seed, progress=False
    )
    answers = model.predict([" ".join(texts[i]) for i in np.flatnonzero(test)])
    return float(np.mean([a[0][0] == str(labels[i]) for a, i in zip(answers, np.flatnonzero(test), strict=True)]))


def rows_of(folders, tasks, args, count):
    """A row per model: accuracy by task in per cent, the mean over seeds, with their standard deviation."""
    baseline = {}
    for name, (texts, labels, test) in tasks.items():
        chosen = part_of(np.flatnonzero(~test), labels, count, 0)
        rows = np.concatenate([chosen, np.flatnonzero(test)])
        fold = np.where(test[rows], 0, -1)
        right = baseline_correct([texts[i] for i in rows], labels[rows], fold)
        baseline[name] = [100 * float(right[test[rows]].mean())]
    yield row("TF-IDF", baseline, count, 0)
    for name, folder in folders.items():
        for tuning in args.tuning if name != "scratch" else ("all",):
            began = time.monotonic()
            figures = {
                task: [100 * accuracy(folder, tasks[task], args, tuning, count, seed) for seed in range(args.seeds)]
                for task in tasks
            }
            yield row(f"{name}, {tuning}", figures, count, time.monotonic() - began)


def row(name, figures, count, seconds):
    """Accuracies as a row of the table."""
    means = {task: round(float(np.mean(values)), 2) for task, values in figures.items()}
    by_seed = np.mean(list(figures.values()), axis=0)
    return {
        "model": name, "labels": count or "all", **means, "mean": round(float(np.mean(list(means.values()))), 2),
        "deviation": round(float(np.std(by_seed)), 2), "seconds": round(seconds, 1),
    }  # fmt: skip


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="folder of texts and tasks")
    parser.add_argument(
        "--text",
        type=Path,
        nargs="+",
        default=[],
        help="more raw text, a paragraph a line, such as in_domain.py writes",
    )
    parser.add_argument("--work", type=Path, help="folder for encoders")
    parser.add_argument("--minutes", type=float, default=50, help="for each objective")
    parser.add_argument(
        "--masked-first", type=float, help="minutes of those of ELECTRA and COCO-LM that train a masked language model"
    )
    parser.add_argument("--start", type=Path, help="folder of an encoder that objectives go on from")
    parser.add_argument("--epochs", type=int, default=1, help="of pretraining, at most")
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--pieces", type=int, default=8000)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--evaluate-every", type=int, default=500, help="updates")
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--tuning-epochs", type=int, default=5, help="at most")
    parser.add_argument("--tuning-lr", type=float, default=0.0003, help="a frozen encoder has 30 times as much")
    parser.add_argument("--generator", type=float, default=0.25, help="its width, as a share of the encoder's")
    parser.add_argument("--objectives", nargs="+", choices=list(OBJECTIVES), default=list(OBJECTIVES))
    parser.add_argument("--tuning", nargs="+", choices=TUNINGS, default=["all"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--labels", type=int, nargs="*", default=[0], help="labelled sentences; 0 for all")
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS))
    parser.add_argument("--results", type=Path, help="JSON lines file to append figures to")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--toy", action="store_true", help="a small grammar, seconds")
    args = parser.parse_args(arguments)
    if args.masked_first and not args.masked_first < args.minutes:
        parser.error(f"--masked-first {args.masked_first:g} is a part of --minutes {args.minutes:g}: give fewer")
    warnings.filterwarnings("ignore", message=".*have more than .*")  # long sentences: the rest is not read
    if args.toy:
        lines, tasks = toy_data()
        args.dim, args.layers, args.heads, args.length, args.pieces, args.epochs = 32, 1, 4, 24, 120, 6
        args.minutes, args.precision, args.seeds, args.tuning_epochs, args.tuning_lr = None, "fp32", 1, 10, 0.003
    else:
        tasks = {name: task for name, task in tasks_of(args.data).items() if not args.tasks or name in args.tasks}
        tested = (" ".join(texts[i]) for texts, _, test in tasks.values() for i in np.flatnonzero(test))
        lines, left_out = without(lines_of(args.data, args.text), tested)
        print(f"{len(lines):,} lines; {left_out:,} that hold a test sentence are left out", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        folders, reports = pretrained(args, lines, work)
        rows = []
        for each in reports:
            record(each, args.results)
        for count in args.labels:
            for each in rows_of(folders, tasks, args, count):
                rows.append(each)
                record(each, args.results)
    return reports, rows


def record(figures, path):
    """Print figures and append them to a file, if there is one."""
    print(json.dumps(figures), flush=True)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
