"""Corpora that train in a blink."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def pairs(built):
    """2,000 sentences of two topics: words of one topic stand together, words of two never do."""
    random = np.random.default_rng(0)
    topics = random.choice(["a", "b"], 2000)
    return built([[f"{topic}{i}" for i in random.integers(0, 20, 12)] for topic in topics])


@pytest.fixture(scope="session")
def zipf(built):
    """3,000 sentences by Zipf's law over 1,000 words, without any structure."""
    random = np.random.default_rng(1)
    law = 1 / np.arange(1, 1001)
    return built([[f"w{i}" for i in row] for row in random.choice(1000, (3000, 20), p=law / law.sum())])
