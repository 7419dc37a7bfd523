"""Relative negative sentiment: a classifier found another way, and the divergence by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import entropy

from firth.bias.metrics import rnsb
from firth.bias.query import Query
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors


def space(seed: int = 0) -> WordVectors:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(30, 3))
    rows[:10, 0] += 1.5
    rows[10:20, 0] -= 1.5
    return WordVectors([f"w{i}" for i in range(30)], rows)


def query(words) -> Query:
    return Query.of([words[20:25], words[25:]], [words[:10], words[10:20]])


def test_the_classifier_is_the_minimum():
    """(1/n) sum log(1 + exp(-z)) + |w|^2/(2 n), minimised without its derivative's help."""
    vectors = space()
    rows, signs = vectors.vectors[:20], np.repeat([-1.0, 1.0], 10)

    def loss(place):
        return np.logaddexp(0, -signs * (rows @ place[:3] + place[3])).mean() + (place[:3] ** 2).sum() / 40

    place = minimize(
        loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-15, "maxiter": 9999}
    ).x
    negative = 1 / (1 + np.exp(-(vectors.vectors[20:] @ place[:3] + place[3])))
    found = rnsb(vectors, query(vectors.words))
    assert list(found.by_word.values()) == pytest.approx(negative, abs=1e-6)
    assert found.value == pytest.approx(entropy(negative / negative.sum(), np.full(10, 0.1)), abs=1e-6)
    assert 0.7 < found.facts["accuracy"] <= 1


def test_the_divergence_by_hand():
    """A strong penalty makes p = 1/2 for all, and shares of 1/n: log(n/n) is 0."""
    assert rnsb(space(), query(space().words), penalty=1e9).value == pytest.approx(0, abs=1e-12)


def test_one_word_is_like_itself():
    words = space().words
    with pytest.raises(OptionError, match="expected at least 2 to compare"):
        rnsb(space(), Query.of([words[20:21]], [words[:5], words[10:15]]))
    with pytest.raises(OptionError, match="penalty=0"):
        rnsb(space(), query(words), penalty=0)
