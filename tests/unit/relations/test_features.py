"""What is seen of a pair: by hand, and the same in either order."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.relations.features import PREFIXES, PairFeatures, spelling
from firth.relations.patterns import count_patterns
from firth.vectors.word_vectors import WordVectors

SPACE = WordVectors(["hot", "cold", "warm"], np.array([[2, 0], [0.6, 0.8], [0, 3]], dtype=np.float32))


def test_vectors_by_hand():
    """Hot (1, 0) and cold (.6, .8): differences (.4, .8), products (.6, 0), sums (1.6, .8); the cosine is .6."""
    found = PairFeatures(SPACE, families=("vectors", "cosine", "word")).of([("hot", "cold")])
    assert found["vectors"][0] == pytest.approx([0.4, 0.8, 0.6, 0, 1.6, 0.8])
    assert found["cosine"][0] == pytest.approx([0.6, 2])
    assert found["word"][0] == pytest.approx([1, 0])


def test_a_word_without_a_vector_is_nowhere():
    found = PairFeatures(SPACE, families=("vectors", "cosine")).of([("hot", "snow"), ("ice", "snow")])
    assert found["vectors"][0] == pytest.approx([1, 0, 0, 0, 1, 0])
    assert not found["vectors"][1].any()
    assert found["cosine"].tolist() == [[0, 1], [0, 0]]


def test_places_of_neighbours_by_hand():
    """Cosines: hot and cold .6, cold and warm .8, hot and warm 0. From hot only hot itself is nearer than cold; from
    cold, itself and warm. From hot and from warm, the other is the furthest: two are nearer."""
    found = PairFeatures(SPACE, families=("neighbours",)).rows([("hot", "cold"), ("hot", "warm")])
    assert found == pytest.approx(np.log1p([[1, 2], [2, 2]]))


def test_spelling_by_hand():
    """unhappy begins with un + happy; five of its seven letters are shared at the end, none at the beginning."""
    found = spelling("happy", "unhappy")
    assert found[PREFIXES.index("un")] == 1
    assert sum(found[: len(PREFIXES)]) == 1
    assert found[len(PREFIXES) :] == pytest.approx([1, 1, 0, 0, 0, 5 / 7, 2])
    assert spelling("careful", "careless")[len(PREFIXES) :] == pytest.approx([0, 0, 0, 1, 4 / 8, 0, 1])
    assert spelling("", "") == [0.0] * (len(PREFIXES) + 7)


def test_either_order_is_the_same(planted, contrasting):
    space, labelled = planted
    features = PairFeatures(
        space,
        count_patterns(contrasting),
        (space,),
        ("vectors", "cosine", "others", "neighbours", "spelling", "patterns"),
    )
    turned = [(other, one) for one, other in labelled.pairs]
    assert features.rows(turned) == pytest.approx(features.rows(labelled.pairs), abs=1e-6)


def test_patterns_are_left_out_without_counts():
    assert PairFeatures(SPACE).active == ("vectors", "cosine", "spelling")


@pytest.mark.parametrize("families", [("vectors", "smell"), (), ("patterns",), ("others",)])
def test_what_cannot_be_looked_at(families):
    with pytest.raises(OptionError, match="family"):
        PairFeatures(SPACE, families=families)


def test_numbers_that_are_none():
    space = WordVectors(["hot", "cold"], np.array([[np.nan, 1], [1, 0]], dtype=np.float32))
    with pytest.raises(FormatError, match="the vector of 'hot' is not finite"):
        PairFeatures(space).rows([("cold", "hot")])
