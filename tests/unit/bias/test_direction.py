"""Direct and indirect bias by hand."""

import numpy as np
import pytest

from firth.bias.direction import bias_direction, direct_bias, indirect_bias
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(
    ["she", "he", "nurse", "rock", "one", "two", "three", "far"],
    np.array(
        [[-2, 0, 0], [3, 0, 0], [-3, 4, 0], [0, 2, 0], [0.6, 0.8, 0], [0.8, 0.6, 0], [0.6, 0, 0.8], [0, 0, 1]],
        dtype=np.float64,
    ),
)
ALONG = bias_direction(VECTORS, [("She", "He"), ("sie", "er")])


def test_the_direction_points_to_the_second_words():
    """she and he lie at -1 and 1 of the first axis, at length 1."""
    assert ALONG.direction == pytest.approx([1, 0, 0])
    assert ALONG.poles == (("she",), ("he",))
    assert ALONG.missing == ("sie", "er")
    assert ALONG.explained == pytest.approx(1)


def test_direct_bias_by_hand():
    """nurse (-.6, .8): .6; rock: 0; one: .6. Their mean is .4, that of squares .24; two of three lean at all."""
    words = ["nurse", "rock", "one"]
    found = direct_bias(VECTORS, ALONG, [*words, "gone"])
    assert found.value == pytest.approx(0.4)
    assert found.by_word == pytest.approx({"nurse": -0.6, "rock": 0, "one": 0.6})
    assert found.missing == ["gone"]
    assert direct_bias(VECTORS, ALONG, words, strictness=2).value == pytest.approx(0.24)


def test_indirect_bias_by_hand():
    """one and two have .96 in common, and 1 without the direction: (.96 - 1)/.96.

    one and three have .36, and 0 without it: all of it is owed to the direction. one and rock have .8, and 1 without:
    -.25. one and far have nothing: no share.
    """
    found = indirect_bias(VECTORS, ALONG, "one", ["two", "three", "rock"])
    assert found.by_word == pytest.approx({"two": -1 / 24, "three": 1, "rock": -0.25})
    assert found.value == pytest.approx((-1 / 24 + 0.75) / 3)
    assert np.isnan(indirect_bias(VECTORS, ALONG, "one", ["far"]).value)


def test_what_cannot_be_asked():
    narrow = WordVectors(["one", "two"], np.eye(2))
    with pytest.raises(OptionError, match="a direction of 3 numbers and vectors of 2"):
        direct_bias(narrow, ALONG, ["one"])
    with pytest.raises(OptionError, match="strictness=-1"):
        direct_bias(VECTORS, ALONG, ["one"], strictness=-1)
    with pytest.raises(OptionError, match="word 'gone' has a vector"):
        indirect_bias(VECTORS, ALONG, "gone", ["one"])
    with pytest.raises(OptionError, match="none of 1 definitional pairs has two words with vectors"):
        bias_direction(VECTORS, [("sie", "er")])
