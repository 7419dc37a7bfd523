"""Every way to debias, asked by its name."""

import numpy as np
import pytest

from firth import bias
from firth.bias.methods import METHODS, BiasLists, debias
from firth.errors import OptionError
from tests.unit.bias.planted import PAIR_LIST, planted

EQUAL = [("w0", "w1"), ("w2", "w3")]


@pytest.fixture(scope="module")
def vectors():
    return planted()[0]


def test_a_name_is_its_function(vectors):
    lists = BiasLists(PAIR_LIST, EQUAL, ["w4"])
    how = {"equalise_pairs": EQUAL, "specific": ["w4"]}
    words = [word for pair in PAIR_LIST for word in pair] + ["w0", "w1", "w2", "w3", "w4"]
    expected = {
        "hard": bias.hard_debias(vectors, PAIR_LIST, **how),
        "double-hard": bias.double_hard_debias(vectors, PAIR_LIST, components=2, **how),
        "half-sibling": bias.half_sibling_regression(vectors, words, alpha=2.0),
        "null-space": bias.inlp(vectors, PAIR_LIST, specific=["w4"], rounds=2),
    }
    options = {"double-hard": {"components": 2}, "half-sibling": {"alpha": 2.0}, "null-space": {"rounds": 2}}
    assert expected.keys() == METHODS.keys()
    for method, made in expected.items():
        found = debias(vectors, method, lists, **options.get(method, {}), seed=None)
        np.testing.assert_array_equal(found.vectors, made.vectors)
        assert found.metadata == made.metadata


def test_names_and_options_that_are_none(vectors):
    with pytest.raises(OptionError, match="method 'soft': expected one of hard"):
        debias(vectors, "soft", BiasLists(PAIR_LIST))
    with pytest.raises(OptionError, match="alpha with method double-hard: it has components and count"):
        debias(vectors, "double-hard", BiasLists(PAIR_LIST), alpha=1.0)


def test_the_lists_about_gender(shared_data):
    lists = BiasLists.of_gender(shared_data)
    assert ("she", "he") in lists.pairs
    assert "actress" not in lists.neutral
    assert {"nurse", "doctor"} <= set(lists.neutral)
