"""Coreference of gold mentions on LitBank: a rule, mention pairs, mention ranking, cluster merging.

Every fifth document, from the first, is the test set; a tenth of the others selects the model. The rule makes one chain
of equal strings and of pronouns of one group.

    python recipes/coreference.py litbank_coref_conll.tar.gz --results litbank.jsonl --table litbank.md
    python recipes/coreference.py litbank_coref_conll.tar.gz --models ranking --seeds 0 --vectors vectors.firth
    python recipes/coreference.py --toy

The documents are in the columns of CoNLL-2012: a file, a folder or a tar archive.
"""

import argparse
import dataclasses
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

import firth
from firth.coreference import link_by_string
from firth.documents import read_coreference
from firth.evaluation import coreference_intervals, score_coreference
from firth.readers import DependencySentence

MODELS = ("rule", "pairs", "ranking", "clusters")
EPOCHS = {"pairs": 6}  # its best epoch is an early one
FIGURES = ("b_cubed", "muc", "ceaf_e", "lea")


def row_of(model, seed, gold, found, seconds):
    """The figures of a model as one row."""
    scores = score_coreference(gold, found)
    low, high = coreference_intervals(gold, found)["b_cubed"]
    figures = {name: getattr(scores, name).f1 for name in FIGURES}
    return {"model": model, "seed": seed, **figures, "conll": scores.conll, "low": low, "high": high,
            "seconds": round(seconds, 1)}  # fmt: skip


def run(documents, models, seeds, vectors=None, training=None, **options):
    """Train on four of five documents, score the others; yields a row per model and seed."""
    test = documents[::5]
    train = [document for number, document in enumerate(documents) if number % 5]
    gold = [document.clusters for document in test]
    if "rule" in models:
        yield row_of("rule", None, gold, [link_by_string(document).clusters for document in test], 0.0)
    for model in (name for name in models if name != "rule"):
        trainer = firth.Coreference(objective=model, **options)
        how = training or dataclasses.replace(trainer.training, epochs=EPOCHS.get(model, trainer.training.epochs))
        for seed in seeds:
            start = time.perf_counter()
            trained = trainer.train(train, vectors=vectors, training=how, seed=seed)
            seconds = time.perf_counter() - start
            found = [document.clusters for document in trained.predict(test)]
            row = row_of(model, seed, gold, found, seconds)
            print(row)
            yield row


def table(rows):
    """Means over seeds as Markdown, with the interval of the first seed."""
    lines = [
        "| model | B-cubed | 95 % over documents | MUC | CEAF-e | LEA | mean of three | seeds | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    groups = {}
    for row in rows:
        groups.setdefault(row["model"], []).append(row)
    for model, some in groups.items():
        means = {name: 100 * statistics.mean(row[name] for row in some) for name in (*FIGURES, "conll")}
        spread = f" +- {100 * statistics.stdev(row['b_cubed'] for row in some):.1f}" if len(some) > 1 else ""
        lines.append(
            f"| {model} | {means['b_cubed']:.1f}{spread} | {100 * some[0]['low']:.1f} to {100 * some[0]['high']:.1f} | "
            f"{means['muc']:.1f} | {means['ceaf_e']:.1f} | {means['lea']:.1f} | {means['conll']:.1f} | {len(some)} | "
            f"{statistics.median(row['seconds'] for row in some):,.0f} |"
        )
    return "\n".join(lines) + "\n"


def toy(count=30, seed=0):
    """Two people of two genders and what they do, as pronouns; names alone do not tell which "the man" is."""
    chance = random.Random(seed)
    documents = []
    for number in range(count):
        man, woman = chance.choice(["Kara", "Loto", "Miven"]), chance.choice(["Rudil", "Tara", "Veno"])
        words = [f"Mr. {man} met Mrs. {woman} .".split(), ["He", "saw", "her", "."], ["The", "man", "smiled", "."]]
        if chance.random() < 0.5:
            words[1:2] = [["She", "saw", "him", "."]]
        he = (6, 7) if words[1][0] == "He" else (8, 9)
        she = (8, 9) if he == (6, 7) else (6, 7)
        clusters = [[(0, 2), he, (10, 12)], [(3, 5), she]]
        documents.append(firth.Document(tuple(map(DependencySentence.of, words)), f"toy {number}", clusters=clusters))
    return documents


def main(arguments=None):
    """Train, score, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, nargs="?", help="documents in the columns of CoNLL-2012")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--vectors", help="word vectors to start from")
    parser.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "coreference.jsonl")
    parser.add_argument("--table", type=Path)
    parser.add_argument("--toy", action="store_true", help="made-up documents, in seconds")
    options = parser.parse_args(arguments)
    if options.toy:
        training = firth.TrainingOptions(epochs=8, batch_size=4, lr=0.02, schedule="linear")
        small = {"dim": 8, "hidden": 16, "dropout": 0.0, "min_count": 1, "merging_epochs": 2}
        rows = list(run(toy(), options.models, [0], training=training, **small))
    elif options.path is None:
        parser.error("a file, folder or archive of documents is needed, or --toy")
    else:
        vectors = firth.load(options.vectors) if options.vectors else None
        rows = list(run(list(read_coreference(options.path)), options.models, options.seeds, vectors))
    options.results.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if options.table:
        options.table.write_text(table(rows), encoding="utf-8")
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
