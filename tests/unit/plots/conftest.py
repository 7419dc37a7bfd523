import json
import re

import numpy as np
import pytest

from firth import plots
from firth.comparison.results import Comparison
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
    """The JSON data of a page by element id."""

    def read(page: str, name: str):
        (found,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
        return json.loads(found)

    return read


@pytest.fixture
def pictures(vectors, plane):
    """One small picture of each kind, by its name."""
    figures = [
        {"vectors": model, "set": "men", "metric": "spearman", "value": value, "low": value - 0.1, "high": value + 0.1}
        for model, value in (("cbow", 0.6), ("glove", 0.4))
    ]
    rows = [{"model": row["vectors"], "seconds": 10.0 * row["value"], "figures": [row]} for row in figures]
    return {
        "map": plots.word_map(vectors, groups={"colours": WORDS[:3], "house": WORDS[3:]}, heads=["red"]),
        "dots": plots.word_axis(plane, ("west", "east"), plane.words, second=("east", "north")),
        "analogy": plots.analogy_arrows(vectors, [("red", "house"), ("blue", "garden")]),
        "neighbours": plots.neighbour_network(vectors, ["red", "door"], number=2, hops=2),
        "similarity": plots.similarity_heat_map(vectors, vectors.words),
        "attention": plots.attention_heat_map(np.full((2, 3), 1 / 3), ["red", "blue"], ["house"]),
        "axis": plots.word_axis(vectors, ("red", "house"), vectors.words),
        "curve": plots.training_curves({"one": {"loss": [3.0, 2.0]}, "two": {"loss": [4.0, 1.0]}}),
        "models": plots.models_by_set(figures),
        "time": plots.models_by_time(Comparison(rows, {"tokens": 1e6, "threads": 2})),
        "bias": plots.bias_summary([{"name": "flowers", "effect": 1.5, "low": 1.0, "high": 2.0, "p": 0.2}]),
    }


KINDS = ("map", "dots", "analogy", "neighbours", "similarity", "attention", "axis", "curve", "models", "time", "bias")


@pytest.fixture(params=KINDS)
def picture(request, pictures):
    return pictures[request.param]


@pytest.fixture
def scripts():
    """Words of many scripts, and words that are markup or no text at all."""
    words = ["日本語", "مرحبا", "😀", "हिन्दी", "$x_1$", "<b>&amp;", "tab\there", "\udc80bad", "l" * 100, "</script>"]
    return WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 5)))
