"""Gries' deviation of proportions, by hand."""

import numpy as np
from scipy import sparse

from firth.counts.dispersion import deviation_of_proportions, documents_with


def test_by_hand():
    """Documents of 10, 20 and 70 words: shares 0.1, 0.2, 0.7.

    A word 1, 2 and 7 times: 0. One 5, 0, 5 times: (0.4 + 0.2 + 0.2) / 2. One in the first only: (0.9 + 0.9) / 2.
    """
    counts = sparse.csr_array([[1, 5, 3, 0], [2, 0, 0, 0], [7, 5, 0, 0]])
    dp = deviation_of_proportions(counts, np.array([10.0, 20, 70]))
    assert dp[:3].round(12).tolist() == [0, 0.4, 0.9]
    assert np.isnan(dp[3])
    assert documents_with(counts).tolist() == [3, 2, 1, 0]


def test_a_single_document_says_nothing():
    assert np.isnan(deviation_of_proportions(sparse.csr_array([[1, 2]]), np.array([3.0]))).all()
