"""Pairs in the spelling of the vectors."""

import numpy as np
import pytest

from firth.bias.word_pairs import KnownPairs
from firth.errors import OptionError
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(["he", "she", "He", "She", "mary", "john", "Dad"], np.eye(7))


def test_pairs_are_found_as_written_or_both_in_lower_case():
    given = [("she", "he"), ("She", "He"), ("Mary", "John"), ("mary", "john"), ("Mom", "Dad"), ("her", "him")]
    found = KnownPairs.of(VECTORS, given)
    assert found.used == (("she", "he"), ("She", "He"), ("mary", "john"))
    assert found.missing == ("Mom", "her", "him")
    assert found.given == 6
    assert found.words == ["she", "he", "She", "He", "mary", "john"]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("sie", "er")], r"none of 1 pairs has two words with vectors \('sie', 'er' have none\)"),
        ([], "none of 0 pairs"),
        ([("he", "he")], "'he' is paired with itself"),
        (["he"], "'he' in the pairs: expected two words"),
        ([("a", "b", "c")], "expected two words"),
        ([("a", 1)], "expected two words"),
    ],
)
def test_what_are_no_pairs(pairs, message):
    with pytest.raises(OptionError, match=message):
        KnownPairs.of(VECTORS, pairs)
