import json
import re

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors

WORDS = ["red", "blue", "green", "house", "garden", "door"]


@pytest.fixture
def vectors():
    """Three colours and three parts of a house, each near its kind."""
    rows = np.repeat(np.eye(2, 8), 3, axis=0) + 0.3 * np.random.default_rng(0).normal(size=(6, 8))
    return WordVectors(WORDS, rows.astype(np.float32))


@pytest.fixture
def plane():
    """Four words whose vectors lie on a plane, at right angles and in between."""
    return WordVectors(["east", "north", "west", "between"], np.array([[2.0, 0], [0, 3], [-1, 0], [1, 1]]))


@pytest.fixture
def many():
    """2,000 words of random vectors, the first the most frequent."""
    rows = np.random.default_rng(1).normal(size=(2000, 10))
    return WordVectors([f"w{i}" for i in range(2000)], rows)


@pytest.fixture(scope="session")
def embedded():
    """What a page holds as JSON, by the id of its element."""

    def read(page: str, name: str):
        (found,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
        return json.loads(found)

    return read
