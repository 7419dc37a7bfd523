from itertools import pairwise, permutations

import numpy as np
import pytest

from firth.errors import OptionError
from firth.plots import similarity_heat_map


def test_cosines_by_hand(plane):
    """East and west are opposite, north is at right angles to both; (1, 1) has 1 / sqrt(2) with east and north."""
    (heat,) = similarity_heat_map(plane, plane.words, order="given").marks
    half = 1 / np.sqrt(2)
    expected = [[1, 0, -1, half], [0, 1, 0, half], [-1, 0, 1, -half], [half, half, -half, 1]]
    np.testing.assert_allclose(heat.values, expected, atol=1e-12)
    assert list(heat.labels) == plane.words


def test_symmetric_with_ones_on_the_diagonal_and_like_words_side_by_side(vectors):
    mixed = ["red", "house", "blue", "garden", "green", "door"]
    picture = similarity_heat_map(vectors, mixed)
    (heat,) = picture.marks
    np.testing.assert_array_equal(heat.values, heat.values.T)
    np.testing.assert_array_equal(np.diag(heat.values), 1)
    assert {frozenset(heat.labels[:3]), frozenset(heat.labels[3:])} == {
        frozenset({"red", "blue", "green"}), frozenset({"house", "garden", "door"})
    }  # fmt: skip
    assert len(picture.rows) == 15
    for row in picture.rows:
        assert row["cosine"] == pytest.approx(float(vectors.similarity(row["a"], row["b"])), abs=1e-6)


def test_the_order_is_the_best_of_all_that_the_clusters_allow(vectors):
    """Of six words there are few enough orders to try: neighbours are as alike as in the best order of all."""
    (heat,) = similarity_heat_map(vectors, vectors.words).marks
    alike = heat.values[np.arange(5), np.arange(1, 6)].sum()
    best = max(sum(heat.values[a, b] for a, b in pairwise(way)) for way in permutations(range(6)))
    assert alike == pytest.approx(best)


def test_too_few_words_and_an_unknown_order_are_refused(vectors):
    with pytest.raises(OptionError, match="of 1 word: expected at least two"):
        similarity_heat_map(vectors, ["red"])
    with pytest.raises(OptionError, match="order='random': expected clusters or given"):
        similarity_heat_map(vectors, vectors.words, order="random")


def test_of_too_many_words_the_most_frequent_are_drawn(many):
    picture = similarity_heat_map(many, many.words)
    assert len(picture.marks[0].labels) == 80
    assert list(picture.notes) == ["the 80 most frequent of 2,000 words are drawn"]
