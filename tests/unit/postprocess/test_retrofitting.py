"""Retrofitting: by hand, beside a double loop, and at its fixed point."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

TIES = [("a", "b"), ("b", "c"), ("c", "d"), ("b", "d"), ("d", "x")]
WORDS = ["a", "b", "c", "d", "e"]


def vectors(dtype=np.float64):
    return WordVectors(WORDS, np.random.default_rng(0).normal(size=(5, 4)).astype(dtype))


def neighbours(word):
    known = [pair for pair in TIES if set(pair) <= set(WORDS)]
    return [other for pair in known if word in pair for other in pair if other != word]


def test_one_round_by_hand():
    """a is (0, 8), tied to b (4, 0): both become the mean of their own old vector and the other's, (2, 4)."""
    result = postprocess.retrofit(WordVectors(["a", "b", "c"], [[0.0, 8], [4, 0], [7, 7]]), [("a", "b")], iterations=1)
    assert result.vectors.tolist() == [[2, 4], [2, 4], [7, 7]]


def test_rounds_are_the_papers_update_word_by_word():
    """q_i = (sum_j q_j / degree(i) + alpha x_i) / (1 + alpha), by a loop over the words; alpha = 1/2, three rounds."""
    old = vectors()
    q = {word: old[word] for word in WORDS}
    for _ in range(3):
        q = {
            word: (sum(q[other] for other in neighbours(word)) / len(neighbours(word)) + 0.5 * old[word]) / 1.5
            if neighbours(word)
            else old[word]
            for word in WORDS
        }
    result = postprocess.retrofit(old, TIES, alpha=0.5, iterations=3)
    assert result.vectors == pytest.approx(np.stack([q[word] for word in WORDS]), abs=1e-12)


def test_the_limit_solves_the_linear_system():
    """(1 + alpha) Q - B Q = alpha X, B the ties over their degree; e stands in no tie and stays."""
    old, alpha = vectors(), 0.7
    ties = np.zeros((5, 5))
    for i, word in enumerate(WORDS):
        for other in neighbours(word):
            ties[i, WORDS.index(other)] = 1 / len(neighbours(word))
    weight = ties.sum(axis=1)
    expected = np.linalg.solve(np.diag(weight + alpha) - ties, alpha * old.vectors)
    result = postprocess.retrofit(old, TIES, alpha=alpha, iterations=200)
    assert result.vectors == pytest.approx(expected, abs=1e-10)
    assert np.array_equal(result["e"], old["e"])


def test_each_round_halves_what_is_left():
    steps = [
        postprocess.retrofit(vectors(), TIES, iterations=rounds).metadata["postprocessing"][-1]["last_change"]
        for rounds in (5, 6)
    ]
    assert 0 < steps[1] <= steps[0] / 2 + 1e-12


def test_what_was_found_is_said():
    result = postprocess.retrofit(vectors(np.float32), TIES)
    entry = result.metadata["postprocessing"][-1]
    assert entry["pairs"] == {"given": 5, "used": 4, "with_unknown_words": 1, "unknown_words": 1}
    assert entry["words_moved"] == 4
    assert result.vectors.dtype == np.float32


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": []}, "no pairs to retrofit to"),
        ({"pairs": [("a", "zz")]}, "none of 1 pairs of similar words has two words with vectors"),
        ({"pairs": TIES, "alpha": 0}, "alpha=0: expected a number above 0"),
        ({"pairs": TIES, "iterations": 0}, "iterations=0: expected a whole number of at least 1"),
    ],
)
def test_options_out_of_their_range(options, message):
    with pytest.raises(OptionError, match=message):
        postprocess.retrofit(vectors(), **options)
