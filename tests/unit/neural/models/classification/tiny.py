"""Small texts whose labels follow from a planted word, and small models of them."""

import dataclasses
from functools import cache

import numpy as np

from firth.neural.models.classification.cnn import CNNClassifier
from firth.neural.models.classification.recurrent_classifier import RecurrentClassifier
from firth.neural.models.classification.transformer_classifier import TransformerClassifier
from firth.neural.models.classification.vdcnn import VDCNNClassifier

SMALL = {
    "cnn": CNNClassifier(dim=8, filters=6, widths="1,2", dropout=0.0),
    "lstm": RecurrentClassifier(dim=8, hidden=5, dropout=0.0, pooling="attention"),
    "transformer": TransformerClassifier(dim=6, width=8, heads=2, layers=1, dropout=0.0),
    "vdcnn": VDCNNClassifier(filters=4, hidden=8, shortcuts=True),
}
FILLER = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "is",
    "it",
    "was",
    "for",
    "on",
    "with",
    "as",
    "at",
    "by",
    "from",
    "an",
    "be",
    "this",
    "that",
]
PLANTED = {"sport": ["goal", "match", "team"], "news": ["vote", "law", "court"]}


@cache
def examples(count=120, seed=0):
    """Texts of three to eight words, one of them planted, with their labels."""
    random = np.random.default_rng(seed)
    result = []
    for number in range(count):
        label = ("sport", "news")[number % 2]
        words = random.choice(FILLER, random.integers(2, 8)).tolist()
        words.insert(int(random.integers(len(words) + 1)), str(random.choice(PLANTED[label])))
        result.append((" ".join(words), label))
    return tuple(result)


@cache
def pair_examples(count=80, seed=0):
    """Pairs of texts with the labels same and other: whether both hold a word planted for one topic."""
    texts = examples(2 * count, seed)
    random = np.random.default_rng(seed)
    order = random.permutation(2 * count)
    pairs = [(texts[i], texts[j]) for i, j in zip(order[:count].tolist(), order[count:].tolist(), strict=True)]
    return tuple(((a, b), "same" if one == other else "other") for (a, one), (b, other) in pairs)


@cache
def trained(name="cnn", **changes):
    """A small model after some epochs."""
    options = dataclasses.replace(SMALL[name], **changes)
    training = dataclasses.replace(options.training, epochs=12, batch_size=8, lr=0.01, patience=0, optimiser="adam")
    return options.train(list(examples()), training=training, progress=False)


def training_for(options, **changes):
    """Few and short epochs."""
    return dataclasses.replace(options.training, **{"epochs": 1, "batch_size": 8, "patience": 0, **changes})
