"""Senses that are alike become one, nearest first; by centres, `test_online_senses` has the cases."""

import numpy as np

from firth.senses.merging import merge_similar


def test_the_nearest_become_one_first():
    """Cosines: .8 of the first and second, 0 of the first and third, .6 of the second and third. The first two become
    (.3 (1, 0) + .1 (.8, .6)) / .4 = (.95, .15), whose cosine with (0, 2) is .15 / sqrt(.925) = .156."""
    vectors = np.array([[1, 0], [0.8, 0.6], [0, 2], [9, 9]], dtype=np.float32)
    weights = np.array([0.3, 0.1, 0.6, 0.0])
    live = merge_similar(vectors, weights, 0.157, live=np.array([True, True, True, False]))
    assert live.tolist() == [True, False, True, False]
    np.testing.assert_allclose(weights, [0.4, 0, 0.6, 0])
    np.testing.assert_allclose(vectors[[0, 2]], [[0.95, 0.15], [0, 2]], rtol=1e-6)
    assert merge_similar(vectors, weights, 0.155, live=live).tolist() == [True, False, False, False]
    np.testing.assert_allclose(weights, [1, 0, 0, 0])
    np.testing.assert_allclose(vectors[0], [0.38, 1.26], rtol=1e-6)


def test_one_merges_none():
    vectors, weights = np.ones((3, 2), dtype=np.float32), np.array([5, 3, 2])
    assert merge_similar(vectors, weights, 1.0).all()
    assert weights.tolist() == [5, 3, 2]


def test_senses_that_nothing_has_become_their_plain_mean():
    vectors, weights = np.array([[1, 0], [3, 0]], dtype=np.float32), np.array([0, 0])
    assert merge_similar(vectors, weights, 0.5).tolist() == [True, False]
    assert vectors[0].tolist() == [2, 0]
