"""3CosMul by hand.

With unit vectors x = (1, 0), y = (0, 1) and d = (0.6, 0.8), the shifted cosines (1 + cos) / 2 of d are 0.8 with x and
0.9 with y. So the score of d for positive x, y is 0.8 * 0.9 / (1 + 1e-6) = 0.72, and for positive y, negative x it is
0.9 / 0.8 = 1.125.
"""

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(["x", "y", "d"], np.array([[2, 0], [0, 3], [0.6, 0.8]], dtype=np.float32))


def test_products(vectors):
    assert vectors.most_similar_cosmul(["x", "y"]) == [("d", pytest.approx(0.72, abs=2e-6))]
    assert vectors.most_similar_cosmul("y", "x") == [("d", pytest.approx(1.125, abs=2e-6))]


def test_queries_of_different_shapes_in_one_batch(vectors):
    answers = vectors.most_similar_cosmul([["x", "y"], ["y"]], [[], ["x"]])
    assert answers == [vectors.most_similar_cosmul(["x", "y"]), vectors.most_similar_cosmul("y", "x")]
    scores = vectors.most_similar_cosmul([["x", "y"], ["y"]], [[], ["x"]], topn=None)
    assert scores[:, 2] == pytest.approx([0.72, 1.125], abs=2e-6)


def test_restricted(vectors):
    assert vectors.most_similar_cosmul("x", restrict_vocab=2) == [("y", pytest.approx(0.5, abs=1e-6))]
