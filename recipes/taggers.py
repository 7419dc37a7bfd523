"""Entities and parts of speech: windows and BiLSTMs with a CRF, softmax or a margin, over words and characters.

    spanish    CoNLL-2002 Spanish: testa selects the epoch, testb is scored by F1 of entities
    wikigold   every fifth sentence is the test; a tenth of the others selects the epoch
    ewt        UPOS of UD English EWT: dev is the test, the last tenth of train selects the epoch

The vectors of "bilstm-crf-vectors" come from raw Spanish text and the words of the training sentences; the test set is
no part of them. On ewt the same tagger reads characters by an LSTM, or only looks words up.

    python recipes/taggers.py --spanish conll2002.zip --raw spa-eng.tsv.gz --models bilstm-crf bilstm-crf-vectors
    python recipes/taggers.py --wikigold wikigold.conll.txt --ewt UD_English-EWT --seeds 0 --results tags.jsonl
    python recipes/taggers.py --toy

Raw text is plain, or a table with the text in the last column. Rows of results are added to the file as they are made.
"""

import argparse
import gzip
import json
import random
import statistics
import tempfile
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import firth
from firth.readers.columns import read_columns
from firth.readers.conllu import read_conllu

MODELS = {
    "window": {
        "encoder": "window", "head": "margin", "characters": "none", "spelling": True, "hidden": 300, "dim": 50,
    },
    "window-softmax": {
        "encoder": "window", "head": "softmax", "characters": "none", "spelling": True, "hidden": 300, "dim": 50,
    },
    "bilstm-crf": {},
    "bilstm-softmax": {"head": "softmax"},
    "bilstm-crf-vectors": {},
    "characters": {"head": "softmax", "characters": "lstm"},
    "look-up": {"head": "softmax", "characters": "none"},
}  # fmt: skip
OF_TASK = {
    "spanish": ("window", "window-softmax", "bilstm-softmax", "bilstm-crf", "bilstm-crf-vectors"),
    "wikigold": ("bilstm-softmax", "bilstm-crf"),
    "ewt": ("look-up", "characters"),
}
VECTORS = {"dim": 100, "epochs": 10, "window": 5}


def spanish(path):
    """CoNLL-2002: sentences and entities of train, testa and testb."""
    parts = {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as archive:
        for name, file in (("train", "esp.train"), ("select", "esp.testa"), ("test", "esp.testb")):
            found = next(each for each in archive.namelist() if each.endswith(file))
            parts[name] = [(each.words, each.columns[-1]) for each in read_columns(archive.extract(found, folder))]
    return parts


def wikigold(path):
    """Every fifth sentence is the test."""
    sentences = [(each.words, each.columns[-1]) for each in read_columns(path)]
    train = [each for number, each in enumerate(sentences) if number % 5 != 4]
    return {"train": train, "select": None, "test": sentences[4::5]}


def ewt(folder):
    """Train without its last tenth, that tenth, and dev."""
    train, dev = (list(read_conllu(next(folder.glob(f"*-{name}.conllu*")))) for name in ("train", "dev"))
    cut = len(train) * 9 // 10
    return {"train": train[:cut], "select": train[cut:], "test": dev}


def own_vectors(raw, sentences, seed):
    """Skip-gram vectors of raw text and of the words of training sentences."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        with text.open("w", encoding="utf-8") as file:
            for path in raw:
                with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as lines:
                    file.writelines(line.rstrip("\n").split("\t")[-1] + "\n" for line in lines)
            file.writelines(" ".join(words) + "\n" for words, _ in sentences)
        return firth.Word2Vec(**VECTORS).train(text, min_count=2, seed=seed, progress=False)


def row_of(task, model, seed, scores, seconds, facts):
    """A row of results."""
    low, high = scores.interval
    unknown = round(scores.unknown_accuracy, 4) if scores.unknown_words else None
    row = {
        "task": task, "model": model, "seed": seed, "score": round(scores.score, 4), "low": round(low, 4),
        "high": round(high, 4), "unknown": unknown, "unknown_words": scores.unknown_words,
        "epochs": facts["best"]["epoch"], "held_out": round(1 - facts["best"]["held_out_error"], 4),
        "ranking": facts["best"].get("held_out_ranking"), "seconds": round(seconds, 1),
    }  # fmt: skip
    print(json.dumps(row), flush=True)
    return row


def run(data, arguments, training, **sizes):
    """Train and judge everything that is asked for."""
    rows = []
    for task, parts in data.items():
        target = "upos" if task == "ewt" else "ner"
        for name in arguments.models or OF_TASK[task]:
            if name not in OF_TASK[task] or (name.endswith("-vectors") and not arguments.raw):
                continue
            for seed in arguments.seeds:
                start = time.perf_counter()
                vectors = own_vectors(arguments.raw, parts["train"], seed) if name.endswith("-vectors") else None
                tagger = firth.Tagger(targets=target, **{**MODELS[name], **sizes}).train(
                    parts["train"], held_out=parts["select"], vectors=vectors, training=training, seed=seed
                )
                seconds = time.perf_counter() - start
                scores = tagger.test(parts["test"])[target]
                rows.append(row_of(task, name, seed, scores, seconds, tagger.metadata["training"]))
                with arguments.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    return rows


def table(rows):
    """The rows as Markdown: means over seeds, with the interval of the first."""
    lines = [
        "| data | model | F1 or accuracy | 95 % interval, first seed | unknown words | seeds | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups = {}
    for row in rows:
        groups.setdefault((row["task"], row["model"]), []).append(row)
    for (task, model), some in groups.items():
        figures = [100 * row["score"] for row in some]
        unknown = [100 * row["unknown"] for row in some if row["unknown"] is not None]
        spread = f" +- {statistics.stdev(figures):.1f}" if len(figures) > 1 else ""
        interval = f"{100 * some[0]['low']:.1f} to {100 * some[0]['high']:.1f}"
        seconds = statistics.median(row["seconds"] for row in some)
        of_unknown = f"{statistics.mean(unknown):.1f}" if unknown else ""
        lines.append(
            f"| {task} | {model} | {statistics.mean(figures):.2f}{spread} | {interval} | {of_unknown} | {len(some)} | "
            f"{seconds:,.0f} |"
        )
    return "\n".join(lines) + "\n"


def toy(count, seed):
    """Sentences whose names are places behind "in" and people elsewhere."""
    chance = random.Random(seed)

    def name():
        return chance.choice(["Ka", "Lo", "Mi", "Ru", "Te"]) + chance.choice(["ra", "to", "ven", "dil", "sa"])

    sentences = []
    for _ in range(count):
        people = chance.randint(1, 2)
        words = [*(name() for _ in range(people)), chance.choice(["walks", "sings"]), "in", "old", name()]
        tags = ["B-PER", *["I-PER"] * (people - 1), "O", "O", "O", "B-LOC"]
        sentences.append((words, tags))
    return sentences


def main(arguments=None):
    """Train, judge, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spanish", type=Path, help="zip file with esp.train, esp.testa and esp.testb of CoNLL-2002")
    parser.add_argument("--raw", type=Path, nargs="+", default=[], help="raw Spanish text")
    parser.add_argument("--wikigold", type=Path, help="file of WikiGold")
    parser.add_argument("--ewt", type=Path, help="folder of UD English EWT")
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), help="default: all of a task")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=firth.Tagger.training.epochs)
    parser.add_argument("--minutes", type=float, help="limit on the training of each tagger")
    parser.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "taggers.jsonl")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--toy", action="store_true", help="made-up sentences, in seconds")
    options = parser.parse_args(arguments)
    training, sizes = replace(firth.Tagger.training, epochs=options.epochs, minutes=options.minutes), {}
    if options.toy:
        options.seeds, data = [0], {"spanish": {"train": toy(200, 0), "select": toy(50, 1), "test": toy(100, 2)}}
        training = replace(training, epochs=6, lr=0.01)
        sizes = {"dim": 12, "hidden": 20}
    else:
        readers = (("spanish", spanish), ("wikigold", wikigold), ("ewt", ewt))
        given = [(task, reader, getattr(options, task)) for task, reader in readers]
        data = {task: reader(path) for task, reader, path in given if path is not None}
        if not data:
            parser.error("--spanish, --wikigold or --ewt is needed, or --toy")
    rows = run(data, options, training, **sizes)
    if options.table:
        options.table.write_text(table(rows), encoding="utf-8")
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
