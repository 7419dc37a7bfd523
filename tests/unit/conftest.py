"""Corpora, and trainings of several shards, that are small."""

import numpy as np
import pytest

import firth
from firth.embeddings import replicas
from tests.unit.runs.conftest import texts


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A function from sentences to a corpus of all their words."""
    cache = tmp_path_factory.mktemp("corpora")
    return lambda sentences: firth.Corpus.build(sentences, min_count=1, cache=cache)


@pytest.fixture
def small_steps(monkeypatch):
    """Merges every 256 tokens, all rows every 512: a small corpus has many."""
    monkeypatch.setattr(replicas, "SHORTEST", 256)
    monkeypatch.setattr(replicas, "LONGEST", 256)
    monkeypatch.setattr(replicas, "TIERS", 2)


@pytest.fixture(scope="session")
def small(built):
    """500 sentences by Zipf's law over 200 words: 10,000 tokens, 2,500 in each shard."""
    law = 1 / np.arange(1, 201)
    return built([[f"w{i}" for i in row] for row in np.random.default_rng(2).choice(200, (500, 20), p=law / law.sum())])


def topic(word):
    """The topic of a word of `growing`: its letters and digits do not tell it."""
    return int(word[1:]) // 2 % 2


@pytest.fixture(scope="session")
def growing(built):
    """2,000 sentences of two topics without the words w9, w19, w29 and w39, and with them."""
    random = np.random.default_rng(2)
    words = np.array([f"w{i}" for i in range(40)])
    topics = [words[[topic(word) == each for word in words]] for each in (0, 1)]
    texts = [random.choice(topics[each], 12).tolist() for each in random.integers(0, 2, 2000)]
    return built([[word for word in text if not word.endswith("9")] for text in texts]), built(texts)


@pytest.fixture(scope="session")
def learned():
    """How much nearer new words are to the old words of their topic than to others; about 0 if they did not learn."""

    def nearness(vectors, old):
        new = set(vectors.words) - set(old)
        assert new == {"w9", "w19", "w29", "w39"}
        pairs = [(vectors.similarity(a, b), topic(a) == topic(b)) for a in new for b in old]
        own, other = ([score for score, same in pairs if same == which] for which in (True, False))
        return float(np.mean(own) - np.mean(other))

    return nearness


@pytest.fixture(scope="session")
def runs(built):
    """Three runs, some of which lack some of the words."""
    return firth.bootstrap(firth.Word2Vec(dim=4, epochs=1, sample=0), built(texts(20)), runs=3, seed=1)
