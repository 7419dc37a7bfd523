"""Texts as ids."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError
from firth.neural.models.classification.reader import UNKNOWN, learn_reader
from firth.vectors.word_vectors import WordVectors


def test_words_by_count_then_name_and_rare_ones_unknown():
    reader = learn_reader(["b a b", ["c", "b"], "a d"], "whitespace", min_count=2, max_length=3)
    assert reader.words == ["b", "a"]
    assert reader.read("a d b").tolist() == [3, UNKNOWN, 2]
    assert reader.read(["b", "a"]).tolist() == [2, 3]
    assert reader.shorten(reader.read("a b a b")).tolist() == [3, 2, 3]
    assert reader.shorten(reader.read("")).tolist() == [UNKNOWN]
    assert not reader.is_known(reader.read("x y"))


def test_words_with_a_vector_are_kept():
    vectors = WordVectors(["rare", "new", "b", "never"], np.eye(4, dtype=np.float32))
    reader = learn_reader(["b b rare odd"], "whitespace", min_count=2, max_length=9, vectors=vectors, extra_words=2)
    assert reader.words == ["b", "rare", "new"]


def test_characters_are_folded():
    reader = learn_reader(["Ab a"], "characters", min_count=1, max_length=9)
    assert reader.words == ["a", " ", "b"]
    assert reader.read("BA").tolist() == [4, 2]


def test_the_minimum_count_follows_the_size_of_the_text():
    assert learn_reader(["once"], "unicode", min_count=None, max_length=9).words == ["once"]
    assert learn_reader(["often " * 2000 + "once"], "unicode", min_count=None, max_length=9).words == ["often"]
    with pytest.raises(CorpusError, match="no word of the training texts occurs at least 3 times"):
        learn_reader(["a b"], "unicode", min_count=3, max_length=9)
