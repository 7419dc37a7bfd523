"""The vector of an occurrence, of the sense that is meant there."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.evaluation.context import best_threshold, pair_cosines, senses_in_context
from firth.evaluation.suite import EvaluationOptions, Space
from firth.readers.words_in_context import Occurrence, read_words_in_context
from firth.vectors.sense_readers import Centroids


def bank(temperature=1.0, decay=0.0):
    """bank: (1, 0) among loans and, 2 times as long, (0, 1) at a river, alike often; temperature 1."""
    vectors = np.array([[1, 0], [0, 2], [1, 0], [0, 1]], dtype=np.float32)
    context = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    return firth.SenseVectors(
        ["bank", "loan", "river"],
        [0, 2, 3, 4],
        vectors,
        priors=[0.5, 0.5, 1, 1],
        reader=Centroids(context, np.ones(3), vectors, temperature, decay),
    )


@pytest.fixture
def senses():
    return bank()


def at(text, lemma="bank"):
    tokens = text.split()
    return Occurrence(lemma, tokens, tokens.index("*") if "*" in tokens else 0)


def space_of(senses):
    return Space(senses.single(), EvaluationOptions())


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
    cosines, known = pair_cosines(space_of(senses), [*same, *other], senses_in_context(senses))
    assert known.all()
    assert (cosines > best_threshold(cosines, [True, True, False])).tolist() == [True, True, False]


def test_there_is_no_such_way(senses):
    with pytest.raises(OptionError, match="method='best'"):
        senses_in_context(senses, "best")


def test_words_are_looked_up_as_written_then_in_lower_case(senses):
    """Target and context alike; the rule of all evaluations."""
    encode = senses_in_context(senses, "likeliest")
    matrix, known = encode(space_of(senses), [at("BANK River"), at("Bank LOAN"), at("BANKS River", "bank")])
    assert matrix.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert known.all()


def test_context_words_are_weighted_by_their_distance():
    """With decay 1 the nearer of two context words decides; without it they are equal, and the first sense wins."""
    occurrence = Occurrence("bank", ["river", "bank", "of", "the", "loan"], 1)
    for decay, expected in ((1.0, [0, 1]), (0.0, [1, 0])):
        model = bank(0.1, decay)
        matrix, _ = senses_in_context(model, "likeliest")(space_of(model), [occurrence])
        assert matrix.tolist() == [expected]


def test_tokens_beyond_the_window_do_not_count(senses):
    """Without context, the first of two equal senses."""
    occurrence = Occurrence("bank", ["river", "is", "a", "bank", "of", "money"], 3)
    for window, expected in ((1, [1, 0]), (3, [0, 1])):
        matrix, _ = senses_in_context(senses, "likeliest", window=window)(space_of(senses), [occurrence])
        assert matrix.tolist() == [expected]


def test_word_in_context_by_senses(senses, tmp_path):
    """Same sense: cosine 1; different senses: 0. A threshold in between is always right."""
    lines = ["bank\tN\t0-2\tbank loan\tloan my bank", "bank\tN\t0-1\tbank loan\triver bank"]
    for name in ("dev", "train"):
        (tmp_path / f"{name}.data.txt").write_text("\n".join(lines) + "\n")
        (tmp_path / f"{name}.gold.txt").write_text("T\nF\n")
    gold = read_words_in_context(tmp_path / "dev.data.txt")
    cosines, known = pair_cosines(space_of(senses), gold.test.pairs, senses_in_context(senses, "likeliest"))
    assert cosines.tolist() == [1, 0]
    assert known.all()
    assert best_threshold(cosines, gold.test.same) == 0.5
