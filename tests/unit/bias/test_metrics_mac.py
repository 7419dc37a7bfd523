"""Mean average cosine by hand."""

import numpy as np
import pytest

from firth.bias.metrics import mac
from firth.bias.query import Query
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(["t", "u", "a", "b", "c"], np.array([[1, 0], [0, 2], [3, 0], [0, 1], [-1, 0]], dtype=np.float64))


def test_by_hand():
    """t: distances 0 and 1 to {a, b}, 2 to {c}: (.5 + 2)/2. u: 1 and 0 to {a, b}, 1 to {c}: (.5 + 1)/2."""
    found = mac(VECTORS, Query.of([["t"], ["u"]], [["a", "b"], ["c"]]))
    assert found.by_word == pytest.approx({"t": 1.25, "u": 0.75})
    assert found.value == pytest.approx(1)
