"""Classifiers, senses, documents, compositions, alignments and checkpoints of training."""

import contextlib
import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import firth
from tests.fuzz.outcomes import Reader, near
from tests.fuzz.readers import seeds


def use_classifier(path: Path) -> Any:
    """Predict, and look at the classifier's numbers."""
    classifier = firth.load(path)
    texts = ["w0 w1 w2", "the unseen café", "", "new_york new_york"]
    answers = classifier.predict(texts, k=2)
    return [
        [[label for label, _ in answer] for answer in answers],
        [near([share for _, share in answer]) for answer in answers],
        near(classifier.probabilities(texts)),
        list(classifier.labels),
        near(classifier.encode(texts)),
        near(classifier.test(list(seeds.LINES[:3]), ["x", "y", "z"]).f1),
    ]


def make_linear_classifier(path: Path) -> None:
    """Write a linear classifier of terms and averages."""
    texts, labels = list(seeds.LINES), [("x", "y", "z")[i % 3] for i in range(len(seeds.LINES))]
    words = sorted({word for line in texts for word in line.split()})[:20]
    vectors = firth.WordVectors(words, np.linspace(-1, 1, 3 * len(words), dtype=np.float32).reshape(-1, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # texts without a word of the vectors
        firth.LinearClassifier(max_n=3).train(texts, labels, vectors=vectors, progress=False).save(path)


def use_linear_classifier(path: Path) -> Any:
    """Predict."""
    classifier = firth.load(path)
    texts = ["w0 w1 w2", "the unseen café", "", "new_york new_york"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        answers = classifier.predict(texts, k=2)
        shares = classifier.probabilities(texts)
    return [[[label for label, _ in answer] for answer in answers], near(shares), list(classifier.labels)]


def classifier(name: str, loss: str = "softmax", quantised: bool = False, format: str = "firth", **how: Any) -> Reader:
    """A classifier, written in a format."""

    def make(path: Path) -> None:
        made = seeds.classifier(loss)
        (made.quantise() if quantised else made).save(path, format)

    return Reader(name=name, make=make, use=use_classifier, own=format == "firth", **how)


@functools.cache
def senses(reader: str) -> Any:
    """Two senses of each other word."""
    from firth.kernels.trees import huffman
    from firth.vectors.sense_readers import Centroids, Likelihood

    random, words = np.random.default_rng(0), list(seeds.WORDS)
    counts = np.arange(30, 30 - len(words), -1)
    offsets = np.concatenate([[0], np.cumsum([1 + i % 2 for i in range(len(words))])])
    total = int(offsets[-1])
    priors = np.concatenate([[1.0] if i % 2 == 0 else [0.25, 0.75] for i in range(len(words))])
    rows = random.normal(size=(total, 3)).astype(np.float32)
    size = len(words)
    context = random.normal(size=(size, 3)).astype(np.float32)
    readers: dict[str, Any] = {
        "none": None,
        "centroids": Centroids(context, np.ones(size, np.float32), rows.copy(), 0.25, 1.0),
        "rows": Likelihood(context),
        "tree": Likelihood(context[: size - 1], huffman(counts), decay=0.5),
    }
    return firth.SenseVectors(
        words, offsets, rows, priors=priors, reader=readers[reader], counts=counts, global_vectors=context,
        labels=[f"s{i}" for i in range(total)],
    )  # fmt: skip


def use_senses(path: Path) -> Any:
    """Senses of words by their contexts, and their neighbours."""
    found = firth.load(path)
    words = list(found.words)[:50]
    answer: list[Any] = [words, np.asarray(found.vectors[:200]), np.asarray(found.priors[:200]), found.labels]
    word = words[1]
    answer.append([(sense.number, sense.label, near(sense.prior)) for sense in found.senses(word)])
    answer.append([name for name, _ in found.sense_neighbours(word, 0, topn=3)])
    answer.append(near(found.similarity(words[1], words[3])))
    if found.reader is not None:
        answer.append(np.asarray(found.disambiguate(word, [[], ["w0"], ["the", "café", "unheard"]])))
    return [*answer, near(found.single().vectors), list(found.apart().words)[:60]]


def documents(architecture: str, **how: Any) -> Reader:
    """Vectors of documents, which infer those of new ones."""

    def make(path: Path) -> None:
        model = firth.ParagraphVectors(architecture=architecture, dim=4, epochs=2, sample=0, **how)
        model.train(seeds.corpus(), seed=1, threads=1, progress=False).save(path)

    def use(path: Path) -> Any:
        found = firth.load(path)
        names = list(found.names)[:60]
        near_one = found.most_similar(names[0], topn=3)
        made = found.infer(["w0 w1 the", "café w3 w3 w3", "unheard"], seed=1, threads=1)
        return [names, np.asarray(found.vectors[:200]), [name for name, _ in near_one], near(made)]

    name = "-".join(["documents", architecture, *map(str, how.values())])
    return Reader(name=name, make=make, use=use, own=True)


def make_composition(path: Path) -> None:
    """Phrases composed of their words."""
    random = np.random.default_rng(0)
    rows, words = random.normal(size=(8, 3)), [f"v{i}" for i in range(8)]
    pairs = [(a, b) for a in words for b in words]
    made = [rows[int(a[1:])] + 2 * rows[int(b[1:])] for a, b in pairs]
    vectors = firth.WordVectors([*words, *(f"{a}_{b}" for a, b in pairs)], np.concatenate([rows, made]))
    firth.TensorIndexing(rank=1, iterations=5).train(vectors, pairs[:40], progress=False).save(path)


def use_composition(path: Path) -> Any:
    """Compose."""
    return near(firth.load(path).compose([("v1", "v7"), ("v0", "v0")]))


def make_alignment(path: Path) -> None:
    """Two spaces made one."""
    source, target = seeds.vectors(), seeds.vectors()
    turned = firth.WordVectors([f"x{word}" for word in target.words], target.vectors[:, ::-1].copy())
    pairs = [(word, f"x{word}") for word in source.words]
    firth.Procrustes().align(source, turned, pairs, progress=False).save(path)


def use_alignment(path: Path) -> Any:
    """Translate both ways."""
    found = firth.load(path)
    return [
        found.translate(["w0", "the"], 3),
        found.translate("xw1", 2, "cosine", back=True),
        near(found.apply(seeds.vectors()).vectors),
        np.asarray(found.source.vectors[:100]),
        np.asarray(found.target.vectors[:100]),
    ]


class StoppedError(Exception):
    """Breaks a training off."""


def checkpoint(name: str, model: Callable[[], Any]) -> Reader:
    """The state of a training that was broken off, and goes on."""

    def stop(status: Any) -> None:
        if "epoch 2" in status.stage:
            raise StoppedError

    def make(path: Path) -> None:
        with contextlib.suppress(StoppedError):
            model().train(seeds.corpus(), seed=1, threads=1, checkpoint=path, progress=stop)

    def use(path: Path) -> Any:
        made = model().train(seeds.corpus(), seed=1, threads=1, checkpoint=path, progress=False)
        return [np.asarray(made.vectors), near(made.metadata["training"]["loss"])]

    return Reader(name=name, make=make, use=use, own=True, cost=0.03)


READERS = (
    classifier("classifier-folder"),
    Reader(name="linear-classifier", make=make_linear_classifier, use=use_linear_classifier, own=True),
    classifier("classifier-hierarchical", loss="hierarchical"),
    classifier("classifier-quantised", quantised=True),
    classifier("classifier-bin", format="fasttext", path="seed.bin"),
    classifier("classifier-hierarchical-bin", loss="hierarchical", format="fasttext", path="seed.bin"),
    classifier("classifier-ftz", quantised=True, format="fasttext", path="seed.ftz"),
    *(
        Reader(name=f"senses-{kind}", make=lambda path, kind=kind: senses(kind).save(path), use=use_senses, own=True)
        for kind in ("none", "centroids", "rows", "tree")
    ),
    documents("dbow"),
    documents("dm"),
    documents("dbow", objective="hierarchical"),
    Reader(name="composition", make=make_composition, use=use_composition, own=True),
    Reader(name="alignment", make=make_alignment, use=use_alignment, own=True),
    checkpoint("checkpoint-skipgram", lambda: firth.Word2Vec(dim=4, epochs=3, sample=0)),
    checkpoint("checkpoint-fasttext", lambda: firth.FastText(dim=4, epochs=3, sample=0, buckets=20)),
    checkpoint("checkpoint-adagram", lambda: firth.AdaGram(dim=4, epochs=3, sample=0)),
)
