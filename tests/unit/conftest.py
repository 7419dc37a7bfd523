"""Corpora, and trainings of several shards, that are small."""

import numpy as np
import pytest

import firth
from firth.embeddings import replicas


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
