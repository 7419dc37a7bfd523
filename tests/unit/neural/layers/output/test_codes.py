"""Trees over words: joined, random, balanced."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.kernels.trees import balanced_children
from firth.neural.layers.output.codes import WordCodes, join_trees, named_codes


def paths(codes):
    """The code of each leaf as its turns, L and R."""
    tree = codes.paths
    return [
        "".join("L" if sign > 0 else "R" for sign in tree.signs[start:stop])
        for start, stop in zip(tree.starts, tree.starts[1:], strict=False)
    ]


def test_joined_by_hand():
    """(0 1) and ((1 0) 2) under one root: word 0 by LL and RLR, word 1 by LR and RLL, word 2 by RR."""
    pair = WordCodes(np.array([[0, 1]]), np.array([0, 1]))
    three = WordCodes(np.array([[0, 1], [3, 2]]), np.array([1, 0, 2]))
    both = join_trees([pair, three])
    assert paths(both) == ["LL", "LR", "RLL", "RLR", "RR"]
    assert both.leaf_words.tolist() == [0, 1, 1, 0, 2]
    assert both.leaves_of(3).tolist() == [[0, 3], [1, 2], [4, -1]]


def test_a_tree_alone_stays_as_it_is():
    one = named_codes("random", 9, counts=None, seed=1)
    assert np.array_equal(join_trees([one]).children, one.children)


def test_single_words_can_be_joined():
    both = join_trees([WordCodes(np.zeros((0, 2), np.int64), np.array([word])) for word in (0, 1)])
    assert paths(both) == ["L", "R"]


@pytest.mark.parametrize("codes", [1, 2, 3, 4])
def test_random_codes_are_all_different_and_as_short_as_they_can_be(codes):
    tree = named_codes("random", 100, counts=None, seed=2, codes=codes)
    lengths = tree.paths.lengths
    assert len(set(paths(tree))) == 100 * codes
    assert lengths.max() - lengths.min() <= (1 if codes in {1, 2, 4} else 2)
    assert tree.leaves_of(100).shape == (100, codes)
    assert not np.array_equal(tree.children, named_codes("random", 100, counts=None, seed=3, codes=codes).children)


def test_huffman_is_shortest_on_average():
    """Counts 4, 2, 1, 1: codes of 1, 2, 3 and 3 turns."""
    assert named_codes("huffman", 4, counts=[4, 2, 1, 1], seed=0).paths.lengths.tolist() == [1, 2, 3, 3]


def test_what_is_no_tree_is_refused():
    with pytest.raises(OptionError, match="expected one of huffman, balanced, random"):
        named_codes("oak", 3, counts=None, seed=0)
    with pytest.raises(OptionError, match="several codes come from random trees"):
        named_codes("balanced", 3, counts=None, seed=0, codes=2)
    with pytest.raises(OptionError, match="without counts"):
        named_codes("huffman", 3, counts=None, seed=0)
    with pytest.raises(ShapeError, match="each word at one leaf or more"):
        WordCodes(np.array([[0, 1]]), np.array([0, 0])).leaves_of(2)


@pytest.mark.parametrize("number", [-1, 2, 2**60])
def test_words_that_are_none_are_refused_before_they_are_counted(number):
    """Counting as many numbers as the largest says once took all memory there was."""
    with pytest.raises(ShapeError, match="each word at one leaf or more"):
        WordCodes(np.array([[0, 1]]), np.array([0, number])).leaves_of(2)


def test_a_word_at_nearly_all_leaves_is_refused():
    words, leaves = 1000, 4000
    leaf_words = np.minimum(np.arange(leaves), words - 1)
    with pytest.raises(ShapeError, match="a word at 3,001 of 4,000 leaves"):
        WordCodes(balanced_children(np.arange(leaves)), leaf_words).leaves_of(words)


@pytest.mark.parametrize("codes", [0, 65, 2**31 - 1, 10**400, 1.5])
def test_a_word_has_a_few_codes(codes):
    with pytest.raises(OptionError, match=r"codes=.*: expected a whole number of at least 1 and at most 64"):
        named_codes("random", 9, counts=None, seed=1, codes=codes)
