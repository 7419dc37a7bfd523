"""A small corpus of documents with topics, and runs of a small model on it."""

import numpy as np
import pytest

import firth

WORDS, TOPICS = 120, 4


def texts(documents=60, seed=0):
    """Documents of one to five lines, each about one of four topics: word i is of topic i % 4."""
    random = np.random.default_rng(seed)
    law = 1 / np.arange(1, WORDS + 1)
    made = []
    for _ in range(documents):
        shares = law * np.where(np.arange(WORDS) % TOPICS == random.integers(TOPICS), 8, 1)
        lines = random.choice(WORDS, (random.integers(1, 6), 9), p=shares / shares.sum())
        made.append("\n".join(" ".join(f"w{i}" for i in line) for line in lines))
    return made


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    return firth.Corpus.build(texts(), min_count=1, cache=tmp_path_factory.mktemp("corpora"))


@pytest.fixture(scope="session")
def model():
    return firth.Word2Vec(dim=8, epochs=2, sample=0)


@pytest.fixture(scope="session")
def folder(corpus, model, tmp_path_factory):
    """Five runs in a folder."""
    path = tmp_path_factory.mktemp("runs") / "r.firth"
    firth.bootstrap(model, corpus, runs=5, seed=3, threads=2, checkpoint=path)
    return path


@pytest.fixture(scope="session")
def runs(folder):
    return firth.load(folder)
