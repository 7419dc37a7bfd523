import numpy as np
import pytest

import firth
from firth.vectors.averages import smooth_weights, word_bags


def test_without_counts_ranks_stand_in():
    """Three words share 1 : 1/2 : 1/3 by Zipf's law, of a sum of 11/6: 6/11, 3/11, 2/11."""
    bare = firth.WordVectors(["x", "y", "z"], np.eye(3))
    shares = np.array([6 / 11, 3 / 11, 0])
    assert smooth_weights(bare, np.array([0, 1, -1]), 0.5) == pytest.approx(0.5 / (0.5 + shares))


def test_bags():
    words, bags = word_bags([["x", "y", "x"], [], ["y"]])
    assert words == ["x", "y"]
    assert bags.toarray().tolist() == [[2, 1], [0, 0], [0, 1]]
