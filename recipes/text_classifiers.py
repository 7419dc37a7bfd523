"""Neural classifiers of sentences, beside TF-IDF with logistic regression on the same sentences.

Sentences are in SentEval's form, `label token token ...`. A set with a file `.train` and a file `.test` is trained on
the one and tested on the other; any other set is cross-validated in ten folds, with equal sentences in one fold. A
tenth of the training part selects the epoch of a neural model; test sentences select nothing. `pros_cons.zip` is split
at random, a fifth for the test.

    python recipes/text_classifiers.py sentclass/rt-polarity.all                        # ten folds, random word vectors
    python recipes/text_classifiers.py sentclass/rt-polarity.all --models cnn-tuned --vectors my.firth
    python recipes/text_classifiers.py sentclass/TREC.test.all --models cnn lstm --seeds 3
    python recipes/text_classifiers.py pros_cons.zip --models vdcnn-9 vdcnn-17-shortcuts --epochs 5
"""

import argparse
import dataclasses
import html
import json
import os
import re
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import baseline_correct, stratified_folds
from firth.readers import read_labelled_sentences

FOLDS, TEST = 10, 0.2
REVIEW = re.compile(r"<(?:Pros|Cons)>(.*?)</(?:Pros|Cons)>", re.DOTALL)
MODELS = {  # name: class, options; those that need vectors name an embedding
    "cnn": ("CNNClassifier", {}),
    "cnn-static": ("CNNClassifier", {"embedding": "static"}),
    "cnn-tuned": ("CNNClassifier", {"embedding": "tuned"}),
    "cnn-multichannel": ("CNNClassifier", {"embedding": "multichannel"}),
    "lstm": ("RecurrentClassifier", {}),
    "lstm-tuned": ("RecurrentClassifier", {"embedding": "tuned"}),
    "transformer": ("TransformerClassifier", {}),
    "vdcnn-9": ("VDCNNClassifier", {"depth": 9}),
    "vdcnn-17": ("VDCNNClassifier", {"depth": 17}),
    "vdcnn-17-shortcuts": ("VDCNNClassifier", {"depth": 17, "shortcuts": True}),
    "vdcnn-29-shortcuts": ("VDCNNClassifier", {"depth": 29, "shortcuts": True}),
}


def read(path):
    """Return the texts, their tokens, their labels as numbers, and the fold of each; -1 for what is never tested."""
    if path.suffix == ".zip":
        return read_reviews(path)
    data = read_labelled_sentences(path)
    texts = [" ".join(tokens) for tokens in data.texts]
    fold = np.where(data.test, 0, -1)
    if data.test.all():
        fold = stratified_folds(data.labels, FOLDS, seed=0, keys=texts)
    return texts, data.texts, data.labels, fold


def read_reviews(path):
    """Pros and cons of products, each once; a random fifth is the test."""
    labels = {}
    with zipfile.ZipFile(path) as archive:
        for number, name in enumerate(("Pros", "Cons")):
            content = archive.read(f"pros_cons/Integrated{name}.txt").decode("latin-1")
            for text in REVIEW.findall(content):
                labels.setdefault(" ".join(html.unescape(text).split()), number)
    texts = list(labels)
    test = np.random.default_rng(0).permutation(len(texts)) < round(TEST * len(texts))
    tokens = [re.findall(r"\w+|[^\w\s]", text.lower()) for text in texts]
    return texts, tokens, np.array(list(labels.values())), np.where(test, 0, -1)


def options_of(name, vectors, toy):
    """Return the options of a model, its training options, and its vectors."""
    class_name, options = MODELS[name]
    kind = getattr(firth, class_name)
    words = {} if class_name == "VDCNNClassifier" else {"tokens": "whitespace"}
    small = {}
    if toy:
        small = {"dim": 16, "filters": 8}
    return kind(**{**words, **small, **options}), vectors if "embedding" in options else None


def correct_answers(name, data, vectors, args, seed):
    """Return which test texts a model labels correctly, and the mean epoch that was selected."""
    texts, _, labels, fold = data
    correct, epochs = np.zeros(len(texts), dtype=bool), []
    options, given = options_of(name, vectors, args.toy)
    changes = {"epochs": args.epochs} if args.epochs else {}
    training = dataclasses.replace(options.training, **changes, **({"lr": 0.01, "batch_size": 8} if args.toy else {}))
    for number in folds_of(fold, args.folds):
        train, test = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        model = options.train(
            [(texts[i], str(labels[i])) for i in train], training=training, seed=seed, vectors=given, progress=False
        )
        answers = model.predict([texts[i] for i in test])
        correct[test] = [answer[0][0] == str(labels[i]) for answer, i in zip(answers, test, strict=True)]
        epochs.append(model.metadata["training"]["best"]["epoch"])
        print(f"  {name} fold {number}: {100 * correct[test].mean():.2f} at epoch {epochs[-1]:g}", flush=True)
    return correct, float(np.mean(epochs))


def folds_of(fold, most):
    return np.unique(fold[fold >= 0])[:most]


def row_of(name, correct, tested, seconds, **facts):
    """Return a row: accuracy in per cent, with the half width of its 95 % interval over the tested texts."""
    share = float(np.mean([each[tested].mean() for each in correct]))
    half = 1.96 * (share * (1 - share) / tested.sum()) ** 0.5
    by_seed = [round(100 * float(each[tested].mean()), 2) for each in correct]
    return {
        "model": name, "accuracy": round(100 * share, 2), "half_width": round(100 * half, 2), "by_seed": by_seed,
        "tested": int(tested.sum()), "seconds": round(seconds, 1), **facts,
    }  # fmt: skip


def compare(path, args, vectors):
    """Return one row for TF-IDF and one per model."""
    data = read(path)
    _, tokens, labels, fold = data
    tested = np.isin(fold, folds_of(fold, args.folds))
    began = time.monotonic()
    baseline = baseline_correct(tokens, labels, fold)
    rows = [row_of("TF-IDF", [baseline], tested, time.monotonic() - began)]
    for name in args.models:
        began = time.monotonic()
        answers = [correct_answers(name, data, vectors, args, seed) for seed in range(args.seeds)]
        correct = [each for each, _ in answers]
        differences = [each[tested].astype(int) - baseline[tested] for each in correct]
        facts = {
            "above_tfidf": round(100 * float(np.mean(differences)), 2),
            "epochs": round(float(np.mean([e for _, e in answers])), 1),
        }
        rows.append(row_of(name, correct, tested, time.monotonic() - began, **facts))
    return [{"data": path.name, "folds": len(folds_of(fold, args.folds)), **row} for row in rows]


def toy_file(folder):
    """Write 60 sentences whose label follows from one word."""
    random = np.random.default_rng(0)
    words = {"pro": ["fast", "great", "light"], "con": ["slow", "poor", "heavy"]}
    lines = []
    for label in ["pro", "con"] * 30:
        filler = random.choice(["the", "it", "is", "a", "was", "this", "phone"], random.integers(3, 9)).tolist()
        filler.insert(int(random.integers(len(filler))), str(random.choice(words[label])))
        lines.append(f"{label} {' '.join(filler)}")
    path = Path(folder) / "toy.all"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "data", nargs="*", type=Path, help="files; without a folder they are those in FIRTH_DATA/sentence"
    )
    parser.add_argument("--models", nargs="+", default=["cnn"], choices=list(MODELS))
    parser.add_argument("--vectors", help="word vectors, for models that start from them")
    parser.add_argument("--folds", type=int, default=FOLDS, help="of cross-validation: the first so many are run")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--epochs", type=int, help="at most; default: the model's")
    parser.add_argument("--results", help="file that rows are appended to, one JSON object a line")
    parser.add_argument("--toy", action="store_true", help="small models on sixty sentences, in seconds")
    args = parser.parse_args(arguments)
    vectors = firth.load(args.vectors) if args.vectors else None
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        known = Path(os.environ.get("FIRTH_DATA", ".")) / "sentence"
        paths = [toy_file(folder)] if args.toy else [path if path.exists() else known / path for path in args.data]
        for path in paths:
            rows += compare(path, args, vectors)
    print(f"{'data':22} {'model':20} {'accuracy':>15} {'TF-IDF':>7} {'folds':>5} {'epoch':>5} {'seconds':>8}")
    for row in rows:
        above = f"{row['above_tfidf']:+7.2f}" if "above_tfidf" in row else " " * 7
        print(
            f"{row['data']:22} {row['model']:20} {row['accuracy']:7.2f} ± {row['half_width']:5.2f} {above} "
            f"{row['folds']:5} {row.get('epochs', 0):5.1f} {row['seconds']:8.1f}"
        )
    if args.results:
        with Path(args.results).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return rows


if __name__ == "__main__":
    main()
