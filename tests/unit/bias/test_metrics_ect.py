"""The coherence test by hand."""

import numpy as np
import pytest

from firth.bias.metrics import ect
from firth.bias.query import Query
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

ROWS = np.array([[1, 0], [0, 1], [1, 0], [0.8, 0.6], [0, 1], [1, 1]], dtype=np.float64)
VECTORS = WordVectors(["x", "y", "a", "b", "c", "d"], ROWS)


def test_by_hand():
    """Cosines 1, .8, 0 with the one group and 0, .6, 1 with the other: ranks are reversed, -1."""
    found = ect(VECTORS, Query.of([["x"], ["y"]], [["a", "b", "c"]]))
    assert found.value == pytest.approx(-1)
    assert found.by_word == pytest.approx({"a": 1, "b": 0.2, "c": -1})


def test_groups_that_lie_alike_agree():
    """Means (1, .1) and (1, .2): a is nearest to both, c farthest."""
    rows = np.vstack([[[1, 0.1], [1, 0.2]], ROWS[2:]])
    found = ect(WordVectors(VECTORS.words, rows), Query.of([["x"], ["y"]], [["a", "b", "c"]]))
    assert found.value == pytest.approx(1)


def test_two_words_have_no_ranks_to_speak_of():
    with pytest.raises(OptionError, match="2 attribute words with vectors, expected 3"):
        ect(VECTORS, Query.of([["x"], ["y"]], [["a", "b", "gone"]]))
