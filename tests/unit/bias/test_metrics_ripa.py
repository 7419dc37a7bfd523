"""Relational inner products by hand, and pairs that stay pairs."""

import numpy as np
import pytest

from firth.bias.metrics import ripa
from firth.bias.query import Query
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(
    ["he", "she", "king", "queen", "w", "v"],
    np.array([[3, 4], [0, 0], [1, 1], [1, -1], [1, 2], [2, 0]], dtype=np.float64),
)


def test_by_hand():
    """he - she is (.6, .8), king - queen (0, 1) at length 1: w = (1, 2) has 2.2 and 2, v = (2, 0) has 1.2 and 0."""
    found = ripa(VECTORS, Query.of([["he", "king"], ["she", "queen"]], [["w", "v"]]))
    assert found.by_word == pytest.approx({"w": 2.1, "v": 0.6})
    assert found.facts["sd_by_word"] == pytest.approx({"w": 0.1, "v": 0.6})
    assert found.value == pytest.approx(1.35)


def test_a_pair_of_which_one_is_missing_goes_as_a_whole():
    """Dropped one by one, `king` would be set against `she`."""
    found = ripa(VECTORS, Query.of([["absent", "king"], ["she", "queen"]], [["w"]]))
    assert found.value == pytest.approx(2)
    assert (found.facts["pairs"], found.facts["pairs_given"], found.missing) == (1, 2, ["absent"])


def test_sets_that_are_no_pairs():
    with pytest.raises(OptionError, match="target sets of 2 and 1 words, expected pairs"):
        ripa(VECTORS, Query.of([["he", "king"], ["she"]], [["w"]]))
