"""Null-space projection: what is planted goes, in as many directions as it has, and nothing else."""

import numpy as np
import pytest

from firth.bias.null_space_projection import inlp
from firth.errors import OptionError
from firth.evaluation.linear import logistic_path
from firth.vectors.word_vectors import WordVectors
from tests.unit.bias.planted import PAIR_LIST, WORDS, planted


def accuracy(rows, labels) -> float:
    half = np.arange(len(rows)) % 4 < 2
    model = logistic_path(rows[half], labels[half], [1e-3])[0]
    return float((model.predict(rows[~half]) == labels[~half]).mean())


def test_both_planted_directions_go():
    """The sides show along two directions: a classifier may see both at once; what it leaves the next one takes."""
    vectors, along, hidden = planted(second=0.6)
    found = inlp(vectors, PAIR_LIST, count=300)
    step = found.metadata["postprocessing"][-1]
    taken = step["directions"]
    assert 1 <= taken <= 4
    assert len(step["accuracies"]) == taken + 1
    assert step["accuracies"][0] == 1 > 0.6 > step["accuracies"][-1]
    change = (vectors.vectors - found.vectors).astype(np.float64)
    assert np.linalg.matrix_rank(change, tol=1e-3) == taken
    labels = np.arange(WORDS) % 2
    start = 2 * len(PAIR_LIST)
    assert accuracy(vectors.vectors[start:].astype(np.float64), labels) == 1
    assert accuracy(found.vectors[start:].astype(np.float64), labels) < 0.6
    assert np.abs(found.vectors[start:] @ np.stack([along, hidden], axis=1)).mean() < 0.4


def test_it_is_a_projection():
    """What is taken out is at right angles to what is left, and gone: dot products of the two are 0."""
    vectors, *_ = planted()
    found = inlp(vectors, PAIR_LIST, count=100, rounds=3)
    left, gone = found.vectors.astype(np.float64), (vectors.vectors - found.vectors).astype(np.float64)
    assert np.abs(left @ gone.T).max() < 1e-5


@pytest.mark.parametrize(
    ("options", "message"),
    [({"rounds": 0}, "rounds=0"), ({"rounds": 24}, "rounds=24 with vectors of dimension 24: expected from 1 to 23")],
)
def test_options(options, message):
    with pytest.raises(OptionError, match=message):
        inlp(planted()[0], PAIR_LIST, **options)


def test_too_few_words():
    vectors = WordVectors(["she", "he", "w", "v"], np.array([[-1, 0], [1, 0], [0.5, 1], [-0.5, 1]]))
    with pytest.raises(OptionError, match="1 words per side: expected at least 5"):
        inlp(vectors, [("she", "he")], rounds=1)
