"""Text classifiers at defaults, on sentences of firth's documentation and the part that each is of, beside peers.

FROZEN holds the accuracies of scikit-learn's TfidfVectorizer and LogisticRegression and of fastText's
train_supervised (one thread), both at their defaults, on the same sentences.
"""

import random

import pytest

import firth
from tests.golden.english.text import TEXT

STARTS = 20, 38, 60, 80  # pages with which a part of the text begins: tasks, subjects, modules from a to z
FROZEN = {300: {"scikit-learn": 0.3565, "fastText": 0.2813}}


def sentences():
    """The sentences to learn from, and those to judge on, each with its part."""
    pages = TEXT.read_text(encoding="ascii").split("\n\n")
    rows = [
        (line.lower(), f"part{sum(i >= start for start in STARTS)}")
        for i, page in enumerate(pages)
        for line in page.splitlines()
    ]
    train = [row for i, row in enumerate(rows) if i % 5]
    random.Random(0).shuffle(train)
    return train, rows[::5]


def accuracy(model, size):
    train, test = sentences()
    texts, labels = zip(*train[:size], strict=True)
    return model.train(list(texts), list(labels), progress=False).test(test, progress=False).accuracy


@pytest.mark.parametrize("size", FROZEN)
def test_the_linear_classifier_is_better_than_its_peer(size):
    assert accuracy(firth.LinearClassifier(), size) > FROZEN[size]["scikit-learn"]


@pytest.mark.parametrize("size", FROZEN)
def test_the_text_classifier_is_better_than_both_peers(size):
    assert accuracy(firth.TextClassifier(), size) > max(FROZEN[size].values())
