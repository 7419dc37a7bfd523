"""Text classifiers by the size of their training data, at defaults: firth's, fastText's and scikit-learn's.

    python -m benchmarks.classify_sizes run [--sizes 100 300 1000 3000 0] [--sets TREC MR] [--fasttext-python PYTHON]
    python -m benchmarks.classify_sizes table

A size of 0 is all texts. Sizes up to 300 are drawn three times, larger ones once. The rules of
`firth.classify.size_defaults` and the constants of `firth.LinearClassifier` were chosen on the sets of the first half
and judged on those of the second. Rows go to results/small/classify.jsonl; what is there is not run again.
scikit-learn has to be installed; fastText may be in another Python.
"""

import argparse
import json
import random
import statistics
import subprocess
import tarfile
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import firth
from benchmarks import inputs, records
from firth.comparison.learning_curve import DRAWS, FEW, point_of, share

FILE = Path(__file__).parent / "results" / "small" / "classify.jsonl"
SIZES = (50, 100, 300, 1_000, 3_000, 0)
HALVES = {"first": ("TREC", "SST-2", "R8", "CR"), "second": ("MR", "SUBJ", "MPQA", "reviews")}
FOLDED = {"CR": "custrev", "MR": "rt-polarity", "SUBJ": "subj", "MPQA": "mpqa"}
MOST_TESTED = 2_000  # texts, of sets without a test part
Rows = list[tuple[str, str]]  # texts and labels

FASTTEXT = """
import json, os, sys, tempfile, time, fasttext
task = json.load(sys.stdin)
began = time.perf_counter()
with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False, encoding="utf-8") as file:
    file.writelines(f"__label__{label} {text}\\n" for text, label in task["train"])
model = fasttext.train_supervised(file.name, thread=1, verbose=0)
os.unlink(file.name)
answers = [model.f.predict(text + "\\n", 1, 0.0, "strict")[0][1] for text, _ in task["test"]]
right = sum(answer == "__label__" + label for answer, (_, label) in zip(answers, task["test"]))
print(json.dumps({"right": right, "seconds": time.perf_counter() - began}))
"""


def read(data: Path, name: str) -> tuple[Rows, Rows]:
    """Return the training and test texts of a set."""
    sentences = data / "sentence" / "sentclass"
    if name in ("TREC", "SST-2"):
        stem = {"TREC": "TREC.{}.all", "SST-2": "stsa.binary.{}"}[name]
        train, test = (_lines(sentences / stem.format(part)) for part in ("train", "test"))
        return train, test
    if name == "R8":
        with tarfile.open(data / "documents" / "r8.tar.gz") as archive:
            train, test = (_tabbed(archive, f"data/R8/{part}.txt") for part in ("train", "test"))
        return train, test
    rows = _reviews(data) if name == "reviews" else _lines(sentences / f"{FOLDED[name]}.all")
    random.Random(0).shuffle(rows)
    tested = min(MOST_TESTED, len(rows) // 5)
    return rows[tested:], rows[:tested]


def _lines(path: Path) -> Rows:
    rows = (line.partition(" ") for line in path.read_text(encoding="latin-1").split("\n"))
    return [(text, label) for label, _, text in rows if text]


def _tabbed(archive: tarfile.TarFile, name: str) -> Rows:
    file = archive.extractfile(name)
    assert file is not None
    rows = (line.partition("\t") for line in file.read().decode().splitlines())
    return [(text, label) for label, _, text in rows]


def _reviews(data: Path) -> Rows:
    with zipfile.ZipFile(data / "sentence" / "movie_reviews" / "movie_reviews.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".txt") and name.count("/") == 2]
        texts = [archive.read(name).decode("latin-1") for name in names]
    return [(" ".join(text.split()), name.split("/")[1]) for text, name in zip(texts, names, strict=True)]


def draw(rows: Rows, size: int, number: int) -> Rows:
    """Return a random choice of texts; draws are nested."""
    shuffled = list(rows)
    random.Random(number).shuffle(shuffled)
    return shuffled[:size] if size else shuffled


def right_of_firth(train: Callable[..., Any], rows: Rows, test: Rows) -> int:
    """Return how many test texts a model of firth labels right."""
    model = train([text for text, _ in rows], [label for _, label in rows], progress=False)
    predicted = model.predict([text for text, _ in test])
    return sum(best[0][0] == label for best, (_, label) in zip(predicted, test, strict=True))


def right_of_tfidf(rows: Rows, test: Rows) -> int:
    """Return the same for scikit-learn's TfidfVectorizer and LogisticRegression."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = TfidfVectorizer()
    features = vectorizer.fit_transform([text for text, _ in rows])
    model = LogisticRegression().fit(features, [label for _, label in rows])
    predicted = model.predict(vectorizer.transform([text for text, _ in test]))
    return sum(label == gold for label, (_, gold) in zip(predicted, test, strict=True))


def right_of_fasttext(python: str, rows: Rows, test: Rows) -> int:
    """Return the same for fastText's train_supervised."""
    task = json.dumps({"train": rows, "test": test})
    done = subprocess.run([python, "-P", "-c", FASTTEXT], input=task, check=True, capture_output=True, encoding="utf-8")
    return int(json.loads(done.stdout.splitlines()[-1])["right"])


def contestants(fasttext_python: str | None) -> dict[str, Callable[[Rows, Rows], int]]:
    """Return the programs by name: from training and test texts to the number of right answers."""

    def auto(texts: Sequence[str], labels: Sequence[str], **run: Any) -> Any:
        return firth.choose_classifier(texts, labels, threads=1, **run).classifier

    def fasttext(texts: Sequence[str], labels: Sequence[str], **run: Any) -> Any:
        return firth.TextClassifier().train(texts, labels, threads=1, **run)

    programs: dict[str, Callable[[Rows, Rows], int]] = {
        "scikit-learn TF-IDF": right_of_tfidf,
        "firth fasttext": lambda rows, test: right_of_firth(fasttext, rows, test),
        "firth linear": lambda rows, test: right_of_firth(firth.LinearClassifier().train, rows, test),
        "firth auto": lambda rows, test: right_of_firth(auto, rows, test),
    }
    if fasttext_python:
        programs["fastText"] = lambda rows, test: right_of_fasttext(fasttext_python, rows, test)
    return programs


def run(sizes: Sequence[int], sets: Sequence[str], fasttext_python: str | None, programs: Sequence[str]) -> None:
    """Train and judge what the results do not hold yet."""
    data = inputs.public_data()
    if data is None:
        raise SystemExit("no data: set FIRTH_DATA to the folder of public data sets")
    for size in sizes:
        for name in sets:
            train, test = read(data, name)
            for number in range(DRAWS if 0 < size <= FEW else 1):
                for who, right in contestants(fasttext_python).items():
                    facts = {"set": name, "size": size, "draw": number, "who": who}
                    if (programs and who not in programs) or any(
                        facts.items() <= row.items() for row in records.read(FILE)
                    ):
                        continue
                    began = time.process_time()
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        hits = right(draw(train, size, number), test)
                    seconds = round(time.process_time() - began, 2)
                    row = {**facts, "train": size or len(train), "test": len(test), "right": hits, "seconds": seconds}
                    records.append(FILE, row)
                    print(row, flush=True)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return accuracies by set and size, with intervals."""
    names = list(dict.fromkeys(row["who"] for row in rows))
    order = [
        name
        for name in ("scikit-learn TF-IDF", "fastText", "firth fasttext", "firth linear", "firth auto")
        if name in names
    ]
    lines = ["| half | set | texts | " + " | ".join(order) + " |", "|---|---|---:|" + "---:|" * len(order)]
    for half, sets in HALVES.items():
        for name in sets:
            there = [row for row in rows if row["set"] == name]
            for size in sorted({row["train"] for row in there}):
                cells = [_cell([row for row in there if row["train"] == size and row["who"] == who]) for who in order]
                lines.append(f"| {half} | {name} | {size:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return "–"
    point = point_of(rows[0]["train"], [share(row["right"], row["test"]) for row in rows])
    return f"{100 * point.value:.1f} [{100 * point.low:.1f}, {100 * point.high:.1f}]"


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """Return the mean over the sets of each half, by size."""
    whos = list(dict.fromkeys(row["who"] for row in rows))
    lines = []
    for half, sets in HALVES.items():
        for size in sorted({row["size"] for row in rows}, key=lambda size: size or 10**9):
            means = {}
            for who in whos:
                values = [
                    statistics.fmean(row["right"] / row["test"] for row in own)
                    for name in sets
                    if (own := [r for r in rows if (r["set"], r["size"], r["who"]) == (name, size, who)])
                ]
                means[who] = f"{100 * statistics.fmean(values):.1f} ({len(values)})" if values else "–"
            lines.append(f"{half} {size or 'all'}: {means}")
    return "\n".join(lines)


def main() -> None:
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="TEXTS")
    parser.add_argument("--sets", nargs="+", default=[name for sets in HALVES.values() for name in sets])
    parser.add_argument("--programs", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--fasttext-python", metavar="PYTHON", help="a Python with fasttext")
    args = parser.parse_args()
    if args.what == "table":
        print(table(records.read(FILE)))
        print(summary(records.read(FILE)))
    else:
        run(args.sizes, args.sets, args.fasttext_python, args.programs)


if __name__ == "__main__":
    main()
