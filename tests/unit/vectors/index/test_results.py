"""Answers without the word that was asked for."""

import numpy as np

from firth.vectors.index.results import SearchResults, without


def test_the_own_row_is_left_out():
    rows = np.array([[4, 2, 9], [1, 2, 3], [5, 6, -1]])
    scores = np.array([[0.9, 0.8, 0.7], [0.6, 0.5, 0.4], [0.3, 0.2, np.nan]])
    left = without(SearchResults(rows, scores, np.array([10, 10, 2])), np.array([2, -1, 5]), 2)
    assert left.rows.tolist() == [[4, 9], [1, 2], [6, -1]]
    assert left.scores[:2].tolist() == [[0.9, 0.7], [0.6, 0.5]]
    assert left.scores[2, 0] == 0.2
    assert np.isnan(left.scores[2, 1])
    assert left.scanned.tolist() == [10, 10, 2]
