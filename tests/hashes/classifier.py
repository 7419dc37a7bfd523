"""The text classifier."""

from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants

TEXTS = seeds.LINES[:200]
LABELS = ["xyz"[(len(text.split()) + text.count("e")) % 3] for text in TEXTS]


def of_classifier(classifier: Any) -> dict[str, Any]:
    """Numbers, and predictions of new texts."""
    texts = [*seeds.HELD_OUT[:8], "", "unseen wörds"]
    metrics = classifier.test(list(TEXTS[:40]), LABELS[:40], threads=1, progress=False)
    return {
        "labels": list(classifier.labels),
        "words": list(classifier.words),
        "predicted": classifier.predict(texts, k=3, threads=1),
        "threshold": classifier.predict(texts, k=3, threshold=0.3, threads=1),
        "probabilities": np.asarray(classifier.probabilities(texts, threads=1)),
        "sentences": np.asarray(classifier.sentence_vectors(texts)),
        "metrics": [metrics.precision, metrics.recall, metrics.f1],
        "loss": classifier.metadata.get("training", {}).get("loss"),
    }


def classified(**options: Any) -> Any:
    """A trained classifier."""
    model = firth.TextClassifier(**{"dim": 8, "epochs": 2, "buckets": 300, **options})
    classifier = model.train(list(TEXTS), list(LABELS), **seeds.HOW)
    return {
        **of_classifier(classifier),
        "inputs": np.asarray(classifier.inputs),
        "outputs": np.asarray(classifier.outputs),
    }


variants(
    "classifier",
    classified,
    {
        "softmax": {},
        "hierarchical": {"loss": "hierarchical"},
        "negative": {"loss": "negative"},
        "ova": {"loss": "ova"},
        "ngrams": {"word_ngrams": 2, "min_n": 2, "max_n": 3},
        "hierarchical-ngrams": {"loss": "hierarchical", "word_ngrams": 3, "lr": 0.5},
        "ordered": {"shuffle": False, "min_count": 2},
    },
)


def lines() -> str:
    """The texts with their labels, some with two."""
    return "".join(f"__label__{label} {'__label__w ' * (i % 7 == 0)}{text}\n"
                   for i, (label, text) in enumerate(zip(LABELS, TEXTS, strict=True)))  # fmt: skip


@case("classifier/several-labels")
def several() -> Any:
    """A file of labelled texts, some with several labels, by one-against-all."""
    with seeds.folder() as folder:
        (folder / "train.txt").write_text(lines(), encoding="utf-8")
        model = firth.TextClassifier(dim=8, epochs=3, loss="ova", buckets=10)
        return of_classifier(model.train(folder / "train.txt", **seeds.HOW))


@case("classifier/start")
def started() -> Any:
    """Begins with trained vectors."""
    model = firth.TextClassifier(dim=8, epochs=2, buckets=10)
    return of_classifier(model.train(list(TEXTS), list(LABELS), start=seeds.vectors(), **seeds.HOW))


def quantised(**options: Any) -> Any:
    """A quantised classifier."""
    model = firth.TextClassifier(dim=8, epochs=2, word_ngrams=2, buckets=300)
    classifier = model.train(list(TEXTS), list(LABELS), **seeds.HOW)
    return of_classifier(classifier.quantise(**options))


variants(
    "classifier/quantised",
    quantised,
    {"plain": {}, "lengths": {"lengths": True}, "kept": {"keep": 200, "width": 4}, "labels": {"labels": True}},
)


@case("classifier/autotune")
def autotuned() -> Any:
    """Options that a search finds in a number of trials."""
    model = firth.TextClassifier(dim=4, epochs=1, buckets=50)
    half = len(TEXTS) // 2
    result = model.autotune(
        list(TEXTS[:half]), list(LABELS[:half]), validation=list(TEXTS[half:]), validation_labels=list(LABELS[half:]),
        seconds=600.0, trials=3, seed=1, threads=1, progress=False,
    )  # fmt: skip
    best = getattr(result, "classifier", result)
    return of_classifier(best)
