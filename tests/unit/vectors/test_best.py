"""The best of several blocks, by hand."""

import numpy as np

from firth.vectors.best import Best


def test_two_blocks_by_hand():
    """k = 2. Query 0: scores 3 1 | 2 3 -> rows 0 and 3, equals by row. Query 1: 1 5 | 4 0 -> rows 1 and 2."""
    best = Best(2, 2)
    best.offer(np.array([[3, 1], [1, 5]], dtype=np.float32), 0)
    best.offer(np.array([[2, 3], [4, 0]], dtype=np.float32), 2)
    rows, scores = best.result()
    assert rows.tolist() == [[0, 3], [1, 2]]
    assert scores.tolist() == [[3, 3], [5, 4]]


def test_a_floor_that_is_known():
    """Only what beats the floor of 1 is kept; after two such, the second best is the floor."""
    best = Best(1, 2, np.array([1.0]))
    best.offer(np.array([[1.0, 2.0, 0.5]]), 10)
    assert best.kept()[1].tolist() == [11]
    assert best.floor.tolist() == [1]
    best.offer(np.array([[3.0, 2.5]]), 13)
    assert best.kept()[1].tolist() == [13, 14]
    assert best.floor.tolist() == [2.5]


def test_nothing_offered():
    rows, scores = Best(3, 0).result()
    assert rows.shape == scores.shape == (3, 0)
