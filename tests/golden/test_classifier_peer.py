"""fastText's own classifier beside ours: files both ways, and the accuracy on questions.

fastText adds 1e-5 to each probability it tells (to each turn in a tree, of which it leaves out labels below 1e-5), and
reads the logistic function of "negative" and "ova" from a table of 512 numbers; both are done here to our scores before
they are compared.
"""

import random
import re
import zipfile

import numpy as np
import pytest

import firth
from firth.classify.files import from_fasttext
from firth.classify.labels import label_children
from firth.vectors.io.fasttext import read

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]  # fasttext warns as it likes

NAMES = {"softmax": "softmax", "hierarchical": "hs", "negative": "ns", "ova": "ova"}
FORMS = [{}, {"word_ngrams": 2}, {"word_ngrams": 3, "min_n": 2, "max_n": 4}]
ADDED = 1e-5
SEEDS = (1, 2, 3)
THREADS = 12  # fasttext 0.9.3 draws a tenth of its rows a thread; with fewer than ten, the others hold anything


@pytest.fixture(scope="module")
def fasttext():
    return pytest.importorskip("fasttext", reason="compares with fastText: pip install fasttext")


@pytest.fixture(scope="module")
def questions(shared_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    for part in ("train", "test"):
        lines = (shared_data / "sentence" / "sentclass" / f"TREC.{part}.all").read_bytes().decode("latin-1")
        (folder / part).write_text("".join(f"__label__{line}\n" for line in lines.splitlines()), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def texts(questions):
    lines = [line.split(" ", 1)[1] for line in (questions / "test").read_text("utf-8").splitlines()]
    return [*lines, "", "naïve café 東京 😀", "\tA  B\r ", "one </s> two", "wholly unknown wordsxyz"]


def theirs_of(model, texts, labels):
    """fastText's probabilities, a column a label."""
    found = np.zeros((len(texts), len(labels)))
    for row, (names, values) in enumerate(zip(*model.predict(texts, k=-1), strict=True)):
        for name, value in zip(names, values, strict=True):
            found[row, labels.index(name.removeprefix("__label__"))] = value
    return found


def as_fasttext_tells(classifier, texts):
    """Our probabilities with what fastText adds and rounds."""
    if classifier.loss == "softmax":
        return classifier.probabilities(texts) + ADDED
    outputs = classifier.outputs.rows() if hasattr(classifier.outputs, "rows") else classifier.outputs
    scores = classifier.encode(texts).astype(np.float64) @ np.asarray(outputs, dtype=np.float64).T
    if classifier.loss != "hierarchical":
        step = np.floor(((scores + 8) * 512 / 16).astype(np.float32)) * 16 / 512 - 8
        table = 1 / (1 + np.exp(-step.astype(np.float64)))
        return np.where(scores < -8, 0, np.where(scores > 8, 1, table)) + ADDED
    found = np.ones((len(texts), 2 * len(classifier) - 1))
    for node in range(len(classifier) - 2, -1, -1):
        p = 1 / (1 + np.exp(-scores[:, node]))
        for child, turn in zip(label_children(classifier.label_counts)[node], (p, 1 - p), strict=True):
            found[:, child] = found[:, len(classifier) + node] * (turn + ADDED)
    return found[:, : len(classifier)]


def compare(ours, model, texts):
    theirs = theirs_of(model, texts, ours.labels)
    told = as_fasttext_tells(ours, texts)
    # Where a score falls on the border of two entries of the table, rounding decides which is read.
    near = np.abs(told - theirs) < np.where(theirs == 0, 1.1e-5, 1e-5)
    assert near.all() or (ours.loss in ("negative", "ova") and near.mean() > 0.999)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("loss", NAMES)
def test_our_files_give_the_same_probabilities_in_fasttext(loss, form, fasttext, questions, texts, tmp_path):
    model = firth.TextClassifier(**{"word_ngrams": 1, **form}, dim=20, lr=0.5, epochs=5, loss=loss, buckets=20_000)
    ours = model.train(questions / "train", threads=1, progress=False)
    for name, classifier in {
        "c.bin": ours,
        "c.ftz": ours.quantise(),
        "small.ftz": ours.quantise(keep=2000, lengths=True, labels=True),
    }.items():
        classifier.save(tmp_path / name, "fasttext")
        compare(classifier, fasttext.load_model(str(tmp_path / name)), texts)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("loss", NAMES)
def test_fasttexts_files_give_the_same_probabilities_here(loss, form, fasttext, questions, texts, tmp_path):
    names = {"word_ngrams": "wordNgrams", "min_n": "minn", "max_n": "maxn"}
    how = {names[name]: value for name, value in form.items()}
    model = fasttext.train_supervised(
        str(questions / "train"), dim=20, lr=0.5, loss=NAMES[loss], bucket=20_000, thread=THREADS, verbose=0, **how
    )
    model.save_model(str(tmp_path / "c.bin"))
    ours = firth.load(tmp_path / "c.bin")
    compare(ours, model, texts)
    if loss in ("softmax", "hierarchical"):  # the others' tables make ties
        precision = model.test(str(questions / "test"))[1]
        assert ours.test(questions / "test").precision == pytest.approx(precision, abs=1e-9)
    if loss == "softmax" and form:
        model.quantize(str(questions / "train"), cutoff=3000, qnorm=True, qout=False, retrain=False, verbose=0)
        model.save_model(str(tmp_path / "c.ftz"))
        small = from_fasttext(read(tmp_path / "c.ftz"))
        compare(small, model, texts)


@pytest.fixture(scope="module")
def reviews(shared_data, tmp_path_factory):
    """45,867 short texts of product reviews, told as pros and cons; 5,000 of them to test."""
    lines = []
    with zipfile.ZipFile(shared_data / "sentence" / "pros_cons.zip") as packed:
        for label in ("Pros", "Cons"):
            for line in packed.read(f"pros_cons/Integrated{label}.txt").decode("latin-1").splitlines():
                text = " ".join(re.sub(r"</?(Pros|Cons)>", "", line).lower().split())
                lines += [f"__label__{label} {text}\n"] if text else []
    random.Random(0).shuffle(lines)
    folder = tmp_path_factory.mktemp("reviews")
    (folder / "train").write_text("".join(lines[:-5000]), encoding="utf-8")
    (folder / "test").write_text("".join(lines[-5000:]), encoding="utf-8")
    return folder


@pytest.mark.parametrize("loss", NAMES)
def test_accuracy_on_reviews_is_fasttexts(loss, fasttext, reviews):
    """Half a point, mean of three seeds each."""
    theirs = [
        fasttext.train_supervised(
            str(reviews / "train"), dim=100, lr=0.5, wordNgrams=2, epoch=5, loss=NAMES[loss], bucket=200_000,
            seed=seed, thread=THREADS, verbose=0,
        ).test(str(reviews / "test"))[1]
        for seed in SEEDS
    ]  # fmt: skip
    model = firth.TextClassifier(lr=0.5, epochs=5, word_ngrams=2, loss=loss, buckets=200_000)
    ours = [
        model.train(reviews / "train", seed=seed, threads=1, progress=False).test(reviews / "test").precision
        for seed in SEEDS
    ]
    assert np.mean(ours) > np.mean(theirs) - 0.005
    assert np.mean(ours) > 0.93
