"""Texts small enough to count by hand, and counts made the slow way."""

import numpy as np
import pytest

import firth

LINES = ["the cat sat on the mat", "the dog sat", "a cat and a dog", "mat"]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    return firth.Corpus.build(LINES, min_count=1, cache=tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="session")
def english(tmp_path_factory):
    """Some thousand tokens whose words follow one another as chance has it, frequent ones more often."""
    random = np.random.default_rng(5)
    words = [f"w{i}" for i in range(300)]
    lines = [[words[i] for i in np.minimum(random.zipf(1.4, random.integers(1, 30)), 300) - 1] for _ in range(600)]
    return firth.Corpus.build(lines, min_count=1, cache=tmp_path_factory.mktemp("corpora"))


def counted_slowly(corpus, how):
    """X, pair by pair."""
    x = np.zeros((len(corpus.vocabulary), len(corpus.vocabulary)))
    weight = {"harmonic": lambda d: 1 / d, "flat": lambda d: 1, "ramped": lambda d: (how.window + 1 - d) / how.window}
    for sentence in corpus:
        ids = [corpus.vocabulary.ids[word] for word in sentence]
        for place, centre in enumerate(ids):
            for other, context in enumerate(ids):
                d = place - other
                if (d > 0 or how.sides == "both") and 0 < abs(d) <= how.window:
                    x[centre, context] += weight[how.weights](abs(d))
    words = how.max_words or len(x)
    return x[:words, :words]
