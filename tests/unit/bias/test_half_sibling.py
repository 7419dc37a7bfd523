"""Half-sibling regression by hand and as the paper writes it."""

import numpy as np
import pytest

from firth.bias.half_sibling import half_sibling_regression
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors


def test_by_hand():
    """V_d = (1, 0), alpha = 1: W = (1 + 1)^-1 4 = 2, and (4, 2) less 2 (1, 0) is (2, 2)."""
    vectors = WordVectors(["he", "w"], np.array([[1, 0], [4, 2]], dtype=np.float64))
    found = half_sibling_regression(vectors, ["He", "she"], alpha=1)
    assert found.vectors.tolist() == [[1, 0], [2, 2]]
    step = found.metadata["postprocessing"][-1]
    assert step == {
        "step": "half-sibling",
        "alpha": 1.0,
        "relative_alpha": 1.0,
        "definitional": 1,
        "unknown_words": ["she"],
    }


def test_as_the_paper_writes_it():
    vectors = WordVectors([f"w{i}" for i in range(40)], np.random.default_rng(0).normal(size=(40, 7)))
    known, others = vectors.vectors[:5].T, vectors.vectors[5:].T
    weights = np.linalg.inv(known.T @ known + 60 * np.eye(5)) @ known.T @ others
    found = half_sibling_regression(vectors, vectors.words[:5])
    np.testing.assert_allclose(found.vectors[5:].T, others - known @ weights, atol=1e-12)
    np.testing.assert_array_equal(found.vectors[:5].T, known)


def test_options():
    vectors = WordVectors(["w"], np.eye(1))
    with pytest.raises(OptionError, match="alpha=0"):
        half_sibling_regression(vectors, ["w"], alpha=0)
    with pytest.raises(OptionError, match="none of the 1 words of definitional words has a vector"):
        half_sibling_regression(vectors, ["he"])
