"""A small language with opposites: pairs lie on either side of places, and texts contrast them."""

import numpy as np
import pytest

import firth
from firth.relations.labelled import LabelledPairs
from firth.vectors.word_vectors import WordVectors

PLACES = 60


@pytest.fixture(scope="session")
def planted():
    """Places with four words: two on one side of a hidden direction, two on the other. Antonyms differ along it."""
    random = np.random.default_rng(0)
    middle, along = random.normal(size=(PLACES, 20)), np.eye(20)[0] * 1.5
    rows = [middle + sign * along + 0.3 * random.normal(size=middle.shape) for sign in (-1, -1, 1, 1)]
    words = [f"{name}{i}" for name in ("low", "little", "high", "great") for i in range(PLACES)]
    pairs, labels = [], []
    for i in range(PLACES):
        pairs += [
            (f"low{i}", f"little{i}"),
            (f"great{i}", f"high{i}"),
            (f"low{i}", f"high{i}"),
            (f"great{i}", f"little{i}"),
        ]
        labels += [False, False, True, True]
    return WordVectors(words, np.concatenate(rows).astype(np.float32)), LabelledPairs(pairs, np.array(labels))


@pytest.fixture(scope="session")
def contrasting(planted, tmp_path_factory):
    """A corpus in which antonyms stand in a pattern of contrast, and all kinds of words in a list."""
    _, labelled = planted
    random = np.random.default_rng(1)
    lines = []
    for (one, other), antonym in zip(labelled.pairs, labelled.antonyms, strict=True):
        lines += [f"either {one} or {other}".split()] * 3 if antonym else []
        lines += [[one, "and", str(random.choice(labelled.pairs[random.integers(len(labelled))]))]]
    return firth.Corpus.build(lines, min_count=1, cache=tmp_path_factory.mktemp("corpora"))
