"""End-to-end coreference on LitBank: mentions and chains from words alone.

Every fifth document is for the test, the others train; a tenth of these selects the epoch. Word vectors from raw text
are worth several points: `firth train skipgram novels.txt -o vectors.firth`, without the novels of the test documents.

    python recipes/end_to_end_coreference.py litbank_coref_conll.tar.gz --vectors vectors.firth
    python recipes/end_to_end_coreference.py litbank_coref_conll.tar.gz --seeds 0 1 2 --results spans.jsonl

Prints MUC, B-cubed, CEAF and others of the chains that are found, with the gold mentions and with those that the model
finds, and the 95 % interval of the mean F1 over documents.
"""

import argparse
import dataclasses
import json
import time
from pathlib import Path

import firth
from firth.documents import read_coreference

FOLD = 5


def row_of(test, **facts):
    """The figures of a test as a row."""
    row = dict(facts)
    for kind in (test.gold, test.predicted):
        scores = kind.scores
        row[kind.mentions] = {
            **{
                name: round(100 * getattr(scores, name).f1, 2)
                for name in ("mentions", "muc", "b_cubed", "ceaf_e", "lea")
            },
            "conll": round(100 * scores.conll, 2),
            "interval": [round(100 * bound, 2) for bound in kind.intervals["conll"]],
        }
    return row


def main(arguments=None):
    """Train and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, help="LitBank's coreference files: a folder or tar archive")
    parser.add_argument("--vectors", help="word vectors that are kept, beside trained ones")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--epochs", type=int, default=firth.SpanCoreference.training.epochs)
    parser.add_argument("--hidden", type=int, default=200)
    parser.add_argument("--results", type=Path, help="append a line of JSON per seed to this file")
    parser.add_argument("--model", help="where the model of the last seed is saved")
    options = parser.parse_args(arguments)
    documents = list(read_coreference(options.documents))
    test = documents[::FOLD]
    train = [document for number, document in enumerate(documents) if number % FOLD]
    vectors = firth.load(options.vectors) if options.vectors else None
    rows = []
    for seed in options.seeds:
        start = time.time()
        coreference = firth.SpanCoreference(hidden=options.hidden)
        training = dataclasses.replace(coreference.training, epochs=options.epochs)
        model = coreference.train(train, vectors=vectors, training=training, seed=seed)
        seconds = time.time() - start
        judged = model.test(test)
        print(f"seed {seed}, {seconds:.0f} s\n{judged}\n")
        rows.append(row_of(judged, seed=seed, seconds=round(seconds), epochs=options.epochs, vectors=options.vectors))
        if options.results:
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
        if options.model:
            model.save(options.model)
    return rows


if __name__ == "__main__":
    main()
