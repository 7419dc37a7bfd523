"""Senses that grew are joined where they are alike and go where they are rare."""

import numpy as np

from firth.senses.online_senses import PruningThresholds, merge_similar, prune


def arrays(centres, counts):
    centres = np.array(centres, dtype=np.float32)
    return np.arange(len(counts), dtype=np.float32)[:, None] * np.ones(2, np.float32), centres, np.array(counts)


def test_two_alike_become_one():
    """Centres (6, 0), (3, 3), (0, -8): cosines 0.71, 0, -0.71. The first two are above 0.5 and become (9, 3) of
    60 + 20 contexts; their vectors (0, 0) and (1, 1) become (20 / 80) (1, 1). It and (0, -8) have a cosine of
    -3 / sqrt(90) = -0.32, and stay two."""
    vectors, centres, counts = arrays([(6, 0), (3, 3), (0, -8)], [60, 20, 20])
    assert prune(vectors, centres, counts, PruningThresholds(0.5, 0.0)).tolist() == [True, False, True]
    assert vectors[0].tolist() == [0.25, 0.25]
    assert centres[0].tolist() == [9, 3]
    assert counts[0] == 80


def test_a_join_may_bring_the_next():
    """(4, 0) and (4, 3) have 0.8, (4, 3) and (0, 4) 0.6, (4, 0) and (0, 4) 0. Above 0.3: the first two become (8, 3),
    whose cosine with (0, 4) is 3 / sqrt(73) = 0.35, and all are one."""
    vectors, centres, counts = arrays([(4, 0), (4, 3), (0, 4)], [1, 1, 2])
    assert prune(vectors, centres, counts, PruningThresholds(0.3, 0.0)).sum() == 1
    assert counts.max() == 4


def test_a_rare_one_goes():
    """Of 200 contexts 9 are 4.5 %."""
    for least, stay in ((0.05, [True, True, False]), (0.04, [True, True, True])):
        made = arrays([(1, 0), (-1, 1), (-1, -1)], [100, 91, 9])
        assert prune(*made, PruningThresholds(0.9, least)).tolist() == stay


def test_the_most_frequent_one_stays_whatever_its_share():
    made = arrays([(1, 0), (-1, 1), (-1, -1)], [5, 6, 4])
    assert prune(*made, PruningThresholds(0.9, 0.5)).tolist() == [False, True, False]


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
