"""Pairs as rows: what is used, what is unknown, and what is refused."""

import pytest

from firth.alignment.dictionary import Dictionary
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def spaces():
    return WordVectors(["the", "dog", "House"], [[1, 0], [0, 1], [1, 1]]), WordVectors(["perro", "casa"], [[1], [2]])


def test_rows_and_counts(spaces):
    pairs = [("dog", "perro"), ("dog", "can"), ("House", "casa"), ("Dog", "perro"), ("cat", "gato"), ("dog", "perro")]
    found = Dictionary.of(*spaces, pairs)
    assert found.rows.tolist() == [[1, 0], [2, 1], [1, 0]]
    assert found.pairs == (("dog", "perro"), ("House", "casa"), ("Dog", "perro"))
    assert (found.given, found.asked) == (5, 4)
    assert found.facts == {
        "given": 5,
        "used": 3,
        "with_unknown_words": 2,
        "unknown_source_words": 1,
        "unknown_target_words": 2,
    }


def test_no_usable_pair(spaces):
    with pytest.raises(OptionError, match=r"none of 2 pairs has .*source: chat, chien; in the target: chat, dog"):
        Dictionary.of(*spaces, [("chien", "dog"), ("chat", "chat")])
    with pytest.raises(OptionError, match="no test pairs: expected at least one"):
        Dictionary.of(*spaces, [], "test pairs")


@pytest.mark.parametrize("pair", ["ab", ("dog",), ("dog", "perro", "can"), ("dog", 3)])
def test_something_else(spaces, pair):
    with pytest.raises(OptionError, match="in the pairs: expected"):
        Dictionary.of(*spaces, [pair])
