"""The vector of an occurrence, of the sense that is meant there."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.evaluation.context import Occurrence, best_threshold, cosines_of
from firth.evaluation.senses import senses_in_context
from firth.evaluation.suite import Setting, Space
from firth.vectors.sense_readers import Centroids


@pytest.fixture
def senses():
    """bank: (1, 0) among loans and, 2 times as long, (0, 1) at a river, alike often; temperature 1."""
    vectors = np.array([[1, 0], [0, 2], [1, 0], [0, 1]], dtype=np.float32)
    context = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    return firth.SenseVectors(
        ["bank", "loan", "river"],
        [0, 2, 3, 4],
        vectors,
        priors=[0.5, 0.5, 1, 1],
        reader=Centroids(context, np.ones(3), vectors, 1.0),
    )


def at(text, lemma="bank"):
    tokens = text.split()
    return Occurrence(lemma, tokens, tokens.index("*") if "*" in tokens else 0)


def space_of(senses):
    return Space(senses.single(), Setting())


def test_expected_by_hand(senses):
    """The context (1, 0) has the cosines 1 and 0: p = e / (1 + e), 1 / (1 + e), and (e, 1) / sqrt(e^2 + 1)."""
    made, known = senses_in_context(senses)(space_of(senses), [at("Bank Loan loan unheard")])
    assert known.tolist() == [True]
    np.testing.assert_allclose(made[0], np.array([np.e, 1]) / np.hypot(np.e, 1), rtol=1e-6)


def test_likeliest_by_hand(senses):
    """Of length 1, whatever the sense's vector; without known words around it is the first of equals."""
    reading = senses_in_context(senses, "likeliest")
    made, _ = reading(space_of(senses), [at("bank river"), at("bank loan"), at("bank")])
    assert made.tolist() == [[0, 1], [1, 0], [1, 0]]


def test_the_form_or_else_the_lemma_or_else_nothing(senses):
    made, known = senses_in_context(senses)(space_of(senses), [at("banks loan"), at("cat loan", "cat")])
    assert known.tolist() == [True, False]
    assert made[1].tolist() == [0, 0]


def test_pairs_of_one_sense_are_told_from_pairs_of_two(senses):
    same = [(at("bank loan"), at("bank loan loan")), (at("bank river"), at("river bank river"))]
    other = [(at("bank loan"), at("bank river"))]
    cosines, known = cosines_of(space_of(senses), [*same, *other], senses_in_context(senses))
    assert known.all()
    assert (cosines > best_threshold(cosines, [True, True, False])).tolist() == [True, True, False]


def test_there_is_no_such_way(senses):
    with pytest.raises(OptionError, match="how='best'"):
        senses_in_context(senses, "best")
