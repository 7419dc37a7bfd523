"""Which words lean most."""

import numpy as np
import pytest

from firth.bias.direction import bias_direction, biased_words
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

ROWS = np.array([[-1, 0], [1, 0], [-3, 4], [-4, 3], [3, 4], [4, 3], [1, 9], [-9, 1], [9, 1]], dtype=np.float64)
VECTORS = WordVectors(["she", "he", "a", "b", "c", "d", "e", "Queen", "rare"], ROWS)
ALONG = bias_direction(VECTORS, [("she", "he")])


def test_by_hand():
    """Cosines: a -.6, b -.8, c .6, d .8, e .11; she and he define the axis, queen is left out, rare is the ninth."""
    found = biased_words(VECTORS, ALONG, 3, without=["queen"], among=8)
    assert [VECTORS.words[row] for row in found.rows] == ["b", "a", "d", "c"]
    assert found.bias == pytest.approx([-0.8, -0.6, 0.8, 0.6])
    assert found.labels.tolist() == [0, 0, 1, 1]
    assert [VECTORS.words[row] for row in found.most(1).rows] == ["b", "d"]


def test_what_is_none():
    with pytest.raises(OptionError, match="no words towards one of the poles"):
        biased_words(VECTORS, ALONG, 3, among=2)
    with pytest.raises(OptionError, match="count=0"):
        biased_words(VECTORS, ALONG, 0)
