"""Augmentations: deletion, reordering, synonyms, and several in turn."""

from functools import partial

import numpy as np
import pytest

from firth.errors import OptionError
from firth.randomness import generator
from firth.text.augmentations import Synonyms, chain, delete, reorder

WORDS = [f"w{i}" for i in range(2000)]


def random():
    return generator(0, "augmentations")


def test_words_are_deleted_at_the_rate_and_keep_their_order():
    kept = delete(WORDS, random(), rate=0.3)
    assert len(kept) / len(WORDS) == pytest.approx(0.7, abs=0.04)
    assert kept == [word for word in WORDS if word in set(kept)]
    assert delete(WORDS[:5], random(), rate=0.0) == WORDS[:5]


def test_one_word_is_kept():
    assert [len(delete(["a", "b"], random(), rate=1.0)), delete([], random(), rate=1.0)] == [1, []]


def test_no_word_moves_further_than_the_distance():
    moved = reorder(WORDS, random(), distance=3)
    places = np.array([int(word[1:]) for word in moved])
    assert sorted(moved) == sorted(WORDS)
    assert 1 <= np.abs(places - np.arange(len(WORDS))).max() <= 3
    assert reorder(WORDS, random(), distance=0) == WORDS


def test_synonyms_keep_case_and_punctuation():
    synonyms = Synonyms({"big": ["large"], "dog": ["hound"]}, rate=1.0)
    assert synonyms(["Big", "(dog),", "runs", "--"], random()) == ["Large", "(hound),", "runs", "--"]
    some = Synonyms({"a": ["b"]}, rate=0.2)(["a"] * 2000, random())
    assert some.count("b") / 2000 == pytest.approx(0.2, abs=0.03)


def test_words_with_the_same_first_sense_are_synonyms():
    senses = {"big": ["1"], "large": ["1", "2"], "great": ["2", "1"], "odd": []}
    assert dict(Synonyms.of_senses(senses).words) == {"big": ("large",), "large": ("big",)}


def test_several_in_turn():
    both = chain(partial(delete, rate=0.5), partial(reorder, distance=2))
    draws = random()
    expected = reorder(delete(WORDS, draws, rate=0.5), draws, distance=2)
    assert both(WORDS, random()) == expected


def test_a_rate_is_a_probability():
    with pytest.raises(OptionError, match=r"rate=1.5: expected a probability"):
        Synonyms({}, rate=1.5)
