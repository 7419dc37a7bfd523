import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.vectors.averages import common_direction, smooth_weights, word_bags

WORDS = firth.WordVectors(["a", "b"], [[1, 0], [0, 1]], counts=[900, 100])


def test_mean():
    """The mean of "a a b" is (2 (1, 0) + (0, 1)) / 3; an unknown word counts for nothing, not for zeros."""
    found = firth.sentence_vectors(WORDS, ["a a b", "b unheard", "unheard", ""], weighting="mean")
    assert found == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1], [0, 0], [0, 0]]))
    assert found.dtype == np.float32


def test_smooth_inverse_frequency_by_hand():
    """With a = 0.1 the weights are 0.1 / (0.1 + 0.9) = 0.1 of "a" and 0.1 / (0.1 + 0.1) = 0.5 of "b".

    "a", "a a", "b" are u = (0.1, 0), (0.1, 0), (0, 0.5). U'U is diag(0.02, 0.25), so their common direction is (0, 1),
    and what is left of them is (0.1, 0), (0.1, 0), (0, 0).
    """
    found = firth.sentence_vectors(WORDS, ["a", "a a", "b"], smoothing=0.1)
    assert found == pytest.approx(np.array([[0.1, 0], [0.1, 0], [0, 0]]), abs=1e-7)


def test_the_direction_of_other_texts_is_taken_out():
    """Of "b" alone the direction is (0, 1): "a b" keeps its (0.1, 0) / 2."""
    found = firth.sentence_vectors(WORDS, ["a b"], like=["b"], smoothing=0.1)
    assert found == pytest.approx(np.array([[0.05, 0]]), abs=1e-7)


def test_texts_may_be_tokens():
    tokens = firth.sentence_vectors(WORDS, [["a", "b"], ["b"]], weighting="mean")
    assert tokens.tolist() == firth.sentence_vectors(WORDS, ["a b", "B!"], weighting="mean").tolist()
    assert firth.sentence_vectors(WORDS, ["B!"], weighting="mean", tokens="whitespace").tolist() == [[0, 0]]
    assert firth.sentence_vectors(WORDS, []).shape == (0, 2)


def test_without_counts_ranks_stand_in():
    """Three words share 1 : 1/2 : 1/3 by Zipf's law, of a sum of 11/6: 6/11, 3/11, 2/11."""
    bare = firth.WordVectors(["x", "y", "z"], np.eye(3))
    shares = np.array([6 / 11, 3 / 11, 0])
    assert smooth_weights(bare, np.array([0, 1, -1]), 0.5) == pytest.approx(0.5 / (0.5 + shares))


def test_words_made_of_ngrams_take_part():
    texts = ["reading writing read write", "writer reader writers"] * 30
    corpus = firth.Corpus.build(texts, min_count=2)
    vectors = firth.FastText(dim=8, epochs=1, sample=0, buckets=1000).train(corpus, seed=1)
    assert np.linalg.norm(firth.sentence_vectors(vectors, ["rewriters"], weighting="mean")) > 0


def test_bags():
    words, bags = word_bags([["x", "y", "x"], [], ["y"]])
    assert words == ["x", "y"]
    assert bags.toarray().tolist() == [[2, 1], [0, 0], [0, 1]]


def test_common_direction_is_the_first_singular_vector():
    rows = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32) + 1
    first = np.linalg.svd(rows)[2][0]
    assert abs(float(common_direction(rows) @ first)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weighting": "tfidf"}, "weighting='tfidf': expected one of mean, sif"),
        ({"smoothing": 0}, "smoothing=0: expected a number above 0"),
        ({"tokens": "words"}, "tokens='words'"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(OptionError, match=said):
        firth.sentence_vectors(WORDS, ["a"], **options)
