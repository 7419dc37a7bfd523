"""Few labels in a field of its own: an encoder pretrained on the field's raw text beside models without one.

The field is reviews: 2,000 of films, 6,000 of goods, hotels and restaurants, and lists of pros and cons of goods,
three million words in all. The labels are whether a sentence about a film (MR) or a product (CR) is positive. Reviews
that hold a sentence of a test, in whatever case and punctuation, are left out of the raw text. Three of ten stratified
folds are the test; 200, 1,000 or all other sentences are for training, drawn anew for each seed; a tenth of them
selects the epoch.

Models: TF-IDF with logistic regression; the fastText classifier, from random vectors and from those of the reviews;
averages of these vectors with logistic regression; a CNN that tunes them; and a transformer, from scratch and
pretrained as a masked language model on the reviews, on Wikipedia if a folder is given, and on Wikipedia and then on
the reviews: fine-tuned, and as it is, by logistic regression over the means of its states.
Accuracies are means over the seeds; intervals resample the seeds and the test sentences.

    python recipes/in_domain.py DATA --work FOLDER --minutes 30
    python recipes/in_domain.py DATA --work FOLDER --wikipedia ENCODER --plot reviews.png
    python recipes/in_domain.py --toy

DATA is a folder with sentence/movie_reviews, sentence/pros_cons.zip, sentence/sentclass and questions/subjqa.
"""

import argparse
import csv
import gzip
import html
import json
import re
import tempfile
import time
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import firth
from firth.evaluation import baseline_correct, fit_classifier, logistic_path, stratified_folds
from firth.randomness import generator
from firth.readers import read_labelled_sentences
from firth.text import fingerprint, passage_fingerprints, split_sentences

FOLDS, TEST = 10, 3
TASKS = {"MR": "rt-polarity.all", "CR": "custrev.all"}
PROS_AND_CONS = re.compile(r"<(?:Pros|Cons)>(.*?)</(?:Pros|Cons)>", re.DOTALL)
DIM = 200  # of word vectors
FASTTEXT = [(lr, epochs) for lr in (0.1, 0.5) for epochs in (5, 25)]  # a tenth of the training texts selects
STEPS = 400  # updates of a tuned model, at least: few labels are read more often
RESAMPLES = 2000


# Text


def reviews(data):
    """Texts of the field, a list of sentences or lines each."""
    with zipfile.ZipFile(data / "sentence/movie_reviews/movie_reviews.zip") as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".txt") and ("/pos/" in name or "/neg/" in name):
                yield [line.strip() for line in archive.read(name).decode("latin-1").splitlines() if line.strip()]
    read = set()
    for path in sorted(data.glob("questions/subjqa/*/splits/*.csv*")):
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                text = row["review"].removesuffix("ANSWERNOTFOUND").strip()
                if text not in read:
                    read.add(text)
                    yield split_sentences(" ".join(text.split()))
    with zipfile.ZipFile(data / "sentence/pros_cons.zip") as archive:
        for name in ("Pros", "Cons"):
            for text in PROS_AND_CONS.findall(archive.read(f"pros_cons/Integrated{name}.txt").decode("latin-1")):
                yield [" ".join(html.unescape(text).split())]


def raw_text(texts, tested):
    """Texts as lines, in random order, without those that hold a sentence of a test; and how many those are."""
    forbidden = {fingerprint(text) for text in tested} - {fingerprint("")}  # which all lines without letters have
    texts = list(texts)
    kept = [line for line in map(" ".join, texts) if forbidden.isdisjoint(passage_fingerprints(line))]
    order = generator(0, "reviews").permutation(len(kept))
    return [kept[i] for i in order], len(texts) - len(kept)


def tasks_of(data):
    """Name to tokens, labels, and which sentences are the test."""
    found = {}
    for name, file in TASKS.items():
        read = read_labelled_sentences(data / "sentence/sentclass" / file)
        folds = stratified_folds(read.labels, FOLDS, seed=0, keys=[" ".join(text) for text in read.texts])
        found[name] = read.texts, read.labels, folds < TEST
    return found


def toy_data():
    """Reviews of a small grammar, and sentences whose label is in one word."""
    random = np.random.default_rng(0)
    texts, sentences, labels = [], [], []
    for _ in range(300):
        good = bool(random.integers(2))
        word = random.choice(["good", "great", "fine"] if good else ["bad", "poor", "awful"])
        end = random.choice(["smile", "laugh"] if good else ["cry", "sigh"])
        subject = f"the {random.choice(['film', 'book', 'song'])} number {random.integers(1000)}"
        texts.append([f"{subject} is {word} and people {end} .", "it costs money ."])
        sentences.append(f"{subject} is {word}".split())
        labels.append(int(good))
    return texts, {"toy": (sentences, np.array(labels), np.arange(300) % 3 == 0)}


# What is learned from raw text


def vectors_of(lines, work, args):
    """Skip-gram vectors of the reviews."""
    path = work / "reviews-vectors.firth"
    if not path.exists():
        options = firth.Word2Vec(dim=16 if args.toy else DIM, epochs=15, window=5)
        options.train([line.lower() for line in lines], min_count=1 if args.toy else 3, progress=False).save(path)
    return firth.load(path, firth.WordVectors)


def encoders_of(lines, work, args):
    """Name to the folder of an encoder, and a row of figures for each that is pretrained here."""
    sizes = {"dim": args.dim, "layers": args.layers, "heads": 4, "max_length": args.length}
    starts = {"from scratch": None, "reviews": None}
    if args.wikipedia:
        starts |= {"Wikipedia, then reviews": args.wikipedia}
    folders, rows = {}, []
    for name, start in starts.items():
        folder = work / re.sub(r"\W+", "-", name.lower())
        folders[name] = str(folder)
        if not folder.exists():
            options = firth.MaskedLM(**({"max_length": args.length} if start else sizes))  # a start keeps its sizes
            run = {"minutes": args.minutes if start is None else args.further_minutes, "lr": 0.001}
            if name == "from scratch":  # the network needs a training to be saved by: one that changes nothing
                run = {"minutes": None if args.toy else 1e-4, "lr": 1e-9}
            training = replace(
                options.training, epochs=args.epochs if run["lr"] > 1e-9 else 1, batch_size=16,
                precision=args.precision, evaluate_every=500, **run,
            )  # fmt: skip
            if args.toy:
                training = replace(training, warmup=5)
            how = {"max_size": args.pieces} if start is None else {}
            options.train(lines, start=start, training=training, seed=0, progress=args.verbose, **how).save(folder)
        facts = firth.load(folder).metadata["training"]
        best = facts["best"] or facts["rows"][-1]
        figures = {key: best[key] for key in ("epoch", "step", "seconds", "held_out_loss", "held_out_accuracy")}
        rows.append({"encoder": name, **figures, "unigram_accuracy": facts["unigram_accuracy"]})
    if args.wikipedia:
        folders["Wikipedia"] = str(args.wikipedia)
    return folders, rows


# Models: each returns which test sentences get their label


def tfidf(task, train, test, seed, args):
    texts, labels, _ = task
    rows = np.concatenate([train, test])
    fold = np.where(np.arange(len(rows)) < len(train), -1, 0)
    return baseline_correct([texts[i] for i in rows], labels[rows], fold, seed=seed)[len(train) :]


def fasttext(task, train, test, seed, args, vectors=None):
    """The learning rate and number of epochs are those that label a tenth of the training sentences best."""
    texts, labels, _ = task
    lines = [" ".join(text).lower() for text in texts]
    aside, rest = train[: max(len(train) // 10, 10)], train[max(len(train) // 10, 10) :]

    def answers(rows, judged, lr, epochs):
        options = firth.TextClassifier(
            lr=lr, epochs=epochs, word_ngrams=2, buckets=200_000, dim=DIM if vectors is None else vectors.dim
        )
        model = options.train(
            [(lines[i], str(labels[i])) for i in rows], seed=seed, threads=1, start=vectors, progress=False
        )
        found = model.predict([lines[i] for i in judged], threads=1)
        return np.array([one[0][0] == str(labels[i]) for one, i in zip(found, judged, strict=True)])

    best = max(FASTTEXT, key=lambda how: answers(rest, aside, *how).mean())
    return answers(train, test, *best)


def averages(task, train, test, seed, args, vectors):
    lower = [[word.lower() for word in text] for text in task[0]]
    return probed(task, train, test, seed, firth.sentence_vectors(vectors, lower, weighting="mean"))


def states(task, train, test, seed, args, folder):
    rows = firth.load(folder).encode([" ".join(text).lower() for text in task[0]])
    rows = (rows - rows[train].mean(0)) / (rows[train].std(0) + 1e-6)  # some states are much larger than others
    return probed(task, train, test, seed, rows)


def probed(task, train, test, seed, rows):
    """Logistic regression over vectors of the sentences."""
    _, labels, _ = task
    model = fit_classifier(logistic_path, rows[train], labels[train], seed=seed)
    return model.predict(rows[test]) == labels[test]


def tuned(task, train, test, seed, args, options, **how):
    """A neural classifier; few labels are read more often."""
    texts, labels, _ = task
    batch = 16 if len(train) < 2000 else options.training.batch_size
    epochs = max(args.tuning_epochs, -(-(40 if args.toy else STEPS) * batch // len(train)))
    training = replace(options.training, epochs=epochs, batch_size=batch, patience=0, **args.tuning)
    model = options.train(
        [(" ".join(texts[i]).lower(), str(labels[i])) for i in train],
        training=training, seed=seed, progress=False, **how,
    )  # fmt: skip
    found = model.predict([" ".join(texts[i]).lower() for i in test])
    return np.array([one[0][0] == str(labels[i]) for one, i in zip(found, test, strict=True)])


def models_of(vectors, folders):
    """Name to a function of a task, training and test rows, a seed and arguments."""

    def cnn(*how):
        return tuned(*how, firth.CNNClassifier(embedding="tuned", tokens="whitespace"), vectors=vectors)

    def encoder(folder):
        return lambda *how: tuned(*how, firth.EncoderClassifier(encoder=folder))

    def means(folder):
        return lambda *how: states(*how, folder)

    return {
        "TF-IDF": tfidf,
        "fastText": fasttext,
        "fastText, vectors of reviews": lambda *how: fasttext(*how, vectors),
        "averaged vectors of reviews": lambda *how: averages(*how, vectors),
        "CNN, vectors of reviews": cnn,
        **{f"transformer, {name}": encoder(folder) for name, folder in folders.items()},
        **{f"means of states, {name}": means(folder) for name, folder in folders.items() if name != "from scratch"},
    }


def drawn(train, labels, count, seed):
    """Some of the training sentences in random order, or all of them."""
    order = generator(seed, "labels").permutation(train)
    return order[:count] if count else order


def interval(correct, seed=0):
    """The 95 % interval of the mean of (seeds, sentences), both resampled, in per cent."""
    random, (seeds, texts) = generator(seed, "intervals"), correct.shape
    means = [
        correct[random.integers(seeds, size=seeds)][:, random.integers(texts, size=texts)].mean()
        for _ in range(RESAMPLES)
    ]
    return [round(100 * float(each), 1) for each in np.quantile(means, (0.025, 0.975))]


def rows_of(tasks, models, args):
    """A row per task, number of labels and model."""
    for task_name, task in tasks.items():
        _, labels, tested = task
        test, pool = np.flatnonzero(tested), np.flatnonzero(~tested)
        for count in args.labels:
            for name, model in models.items():
                began = time.monotonic()
                seeds = args.seeds if count and count < len(pool) else min(args.seeds, args.seeds_of_all)
                correct = np.stack(
                    [model(task, drawn(pool, labels, count, seed), test, seed, args) for seed in range(seeds)]
                )
                yield {
                    "task": task_name, "labels": min(count or len(pool), len(pool)), "model": name, "seeds": seeds,
                    "accuracy": round(100 * float(correct.mean()), 1), "interval": interval(correct),
                    "tested": len(test), "seconds": round((time.monotonic() - began) / seeds, 1),
                }  # fmt: skip


# Output


def record(row, path):
    """Print figures and append them to a file, if there is one."""
    print(json.dumps(row), flush=True)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def draw(rows, path):
    """Accuracy by the number of labels, a panel per task and a line with intervals per model."""
    from matplotlib.figure import Figure

    tasks, models = (list(dict.fromkeys(row[key] for row in rows)) for key in ("task", "model"))
    figure = Figure(figsize=(5.2 * len(tasks), 4.6), layout="constrained")
    for panel, task in zip(np.atleast_1d(figure.subplots(1, len(tasks))), tasks, strict=True):
        for number, model in enumerate(models):
            found = sorted((row for row in rows if row["task"] == task and row["model"] == model), key=_labels)
            shift = 1 + 0.035 * (number - len(models) / 2)  # so that intervals do not lie on one another
            y = np.array([row["accuracy"] for row in found])
            below, above = np.array([row["interval"] for row in found]).T
            panel.errorbar(
                [row["labels"] * shift for row in found], y, yerr=[y - below, above - y], label=model, capsize=2,
                linewidth=1.4, marker="os^vDP*Xh"[number % 9], markersize=5, color=f"C{number}",
                linestyle="-" if model.startswith("transformer") else "--",
            )  # fmt: skip
        ticks = sorted({row["labels"] for row in rows if row["task"] == task})
        panel.set_xscale("log")
        panel.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        panel.set_xticks([], minor=True)
        panel.set(title=task, xlabel="labelled sentences", ylabel="accuracy, % (95 % intervals)")
        panel.grid(alpha=0.3)
    figure.legend(
        *panel.get_legend_handles_labels(), loc="outside lower center", ncols=2 * len(tasks), frameon=False, fontsize=8
    )
    figure.savefig(path, dpi=150)


def _labels(row):
    return row["labels"]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="?", help="folder of texts and tasks")
    parser.add_argument("--work", type=Path, help="folder for vectors and encoders, which are not trained again")
    parser.add_argument("--wikipedia", type=Path, help="folder of a masked language model of other text")
    parser.add_argument("--minutes", type=float, default=30, help="of pretraining on reviews")
    parser.add_argument("--further-minutes", type=float, default=10, help="of pretraining that goes on on reviews")
    parser.add_argument("--epochs", type=int, default=20, help="of pretraining, at most")
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--pieces", type=int, default=8000)
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--labels", type=int, nargs="+", default=[200, 1000, 0], help="labelled sentences; 0 for all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seeds-of-all", type=int, default=3, help="seeds where all labels are given, at most")
    parser.add_argument("--models", nargs="+", help="those whose names begin so")
    parser.add_argument("--tuning-epochs", type=int, default=3)
    parser.add_argument("--results", type=Path, help="JSON lines file to append figures to")
    parser.add_argument("--plot", type=Path, help="file for the curves; all rows of --results are drawn, if given")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--toy", action="store_true", help="a small grammar, seconds")
    args = parser.parse_args(arguments)
    args.tuning = {}
    warnings.filterwarnings("ignore", message=".*have more than .*")  # long sentences: the rest is not read
    if args.toy:
        texts, tasks = toy_data()
        args.dim, args.layers, args.length, args.pieces, args.epochs, args.minutes = 32, 1, 24, 200, 6, None
        args.labels, args.seeds, args.seeds_of_all, args.further_minutes = [40, 0], 2, 1, None
        args.tuning = {"lr": 0.003}
    else:
        texts, tasks = reviews(args.data), tasks_of(args.data)
    tested = [" ".join(texts_[i]) for texts_, _, test in tasks.values() for i in np.flatnonzero(test)]
    lines, left_out = raw_text(texts, tested)
    words = sum(len(line.split()) for line in lines)
    print(f"{len(lines):,} reviews, {words:,} words; {left_out:,} that hold a test sentence are left out", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        (work / "reviews.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")  # for pretrain.py --text
        vectors = vectors_of(lines, work, args)
        folders, reports = encoders_of(lines, work, args)
        for report in reports:
            record(report, args.results)
        models = models_of(vectors, folders)
        if args.models:
            models = {name: model for name, model in models.items() if name.startswith(tuple(args.models))}
        rows = []
        for row in rows_of(tasks, models, args):
            rows.append(row)
            record(row, args.results)
    if args.plot:
        known = args.results.read_text(encoding="utf-8").splitlines() if args.results else map(json.dumps, rows)
        draw([row for row in map(json.loads, known) if "model" in row], args.plot)
    return reports, rows


if __name__ == "__main__":
    main()
