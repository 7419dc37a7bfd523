"""Relative norm distance by hand."""

import numpy as np
import pytest

from firth.bias.metrics import rnd
from firth.bias.query import Query
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(["x", "y", "one", "two"], np.array([[2, 0], [0, 3], [4, 0], [3, 3]], dtype=np.float64))


def test_by_hand():
    """Unit means (1, 0) and (0, 1): one = (1, 0) is 0 and sqrt 2 away; two is as far from both. In own lengths

    one = (4, 0) is 2 and 5 away, two = (3, 3) sqrt 10 and 3.
    """
    asked = Query.of([["x"], ["y"]], [["one", "two"]])
    found = rnd(VECTORS, asked)
    assert found.by_word == pytest.approx({"one": -np.sqrt(2), "two": 0})
    assert found.value == pytest.approx(-np.sqrt(2) / 2)
    assert rnd(VECTORS, asked, unit=False).by_word == pytest.approx({"one": -3, "two": np.sqrt(10) - 3})
