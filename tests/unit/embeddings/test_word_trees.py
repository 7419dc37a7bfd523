"""Trees that a user gives, and what is made of them before training."""

import numpy as np
import pytest

import firth
from firth.errors import OptionError
from firth.kernels.trees import from_children, huffman_children
from firth.vocabulary import Vocabulary

WORDS = Vocabulary(["the", "cat", "dog", "tea", "milk"], np.array([50, 5, 4, 3, 2]), 64)


def lengths(tree):
    found = from_children(tree.children(WORDS)).lengths
    return dict(zip(WORDS.words, found.tolist(), strict=True))


def test_pairs_are_taken_as_they_are():
    assert lengths(firth.WordTree(("the", (("cat", "dog"), ("tea", "milk"))))) == {
        "the": 1, "cat": 3, "dog": 3, "tea": 3, "milk": 3,
    }  # fmt: skip


def test_a_group_of_many_becomes_a_huffman_tree():
    """Of 50, 5, 4, 3, 2: 2 + 3, then 4 + 5, then both, then the frequent one."""
    assert lengths(firth.WordTree(["milk", "tea", "the", "dog", "cat"])) == {
        "the": 1, "cat": 3, "dog": 3, "tea": 3, "milk": 3,
    }  # fmt: skip


def test_a_dict_stands_for_its_values():
    nested = {"function": "the", "content": {"animals": ["cat", "dog"], "drinks": ["tea", "milk"]}}
    assert firth.WordTree(nested) == firth.WordTree(["the", [["cat", "dog"], ["tea", "milk"]]])


def test_words_that_the_corpus_lacks_leave_no_trace():
    large = firth.WordTree([[["horse"], ["the"]], [["cat", "dog", "mule"], [["tea"], [["milk", "ale"], []]]]])
    assert np.array_equal(
        large.children(WORDS), firth.WordTree(["the", [["cat", "dog"], ["tea", "milk"]]]).children(WORDS)
    )


def test_words_outside_hang_beside_it():
    tree = firth.WordTree(["cat", "dog"], outside=True)
    assert lengths(tree) == {"cat": 2, "dog": 2, "the": 2, "tea": 3, "milk": 3}
    assert lengths(firth.WordTree(["cat"], outside=True))["cat"] == 1
    assert len(firth.WordTree([], outside=True).children(WORDS)) == 4


def test_a_tree_of_children():
    """Node 0 joins cat and dog, node 1 tea and milk, node 2 those, node 3 is the root."""
    tree = firth.WordTree.from_children(["the", "cat", "dog", "tea", "milk"], [[1, 2], [3, 4], [5, 6], [0, 7]])
    assert tree == firth.WordTree(["the", [["cat", "dog"], ["tea", "milk"]]])
    assert list(firth.WordTree.from_children(["a"], np.zeros((0, 2), int)).words()) == ["a"]


@pytest.mark.parametrize("seed", range(10))
def test_any_tree_of_children_comes_back(seed):
    random = np.random.default_rng(seed)
    words = Vocabulary([f"w{i}" for i in range(30)], np.sort(random.integers(1, 99, 30))[::-1], 9999)
    children = huffman_children(np.asarray(words.counts))
    tree = firth.WordTree.from_children(words.words, children)
    assert from_children(tree.children(words)).lengths.tolist() == from_children(children).lengths.tolist()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["cat", 7]], "7 in the tree: expected words"),
        ([["cat", None]], "None in the tree: expected words"),
        ("cat", "'cat' in the tree: expected words"),
        ([["cat", "dog"], "cat"], "'cat' occurs twice"),
    ],
)
def test_what_is_no_tree_is_refused(groups, message):
    with pytest.raises(OptionError, match=message):
        firth.WordTree(groups)


def test_a_group_that_holds_itself_is_refused():
    endless = ["cat"]
    endless.append(endless)
    with pytest.raises(OptionError, match="deeper than 1,000 groups, or a group contains itself"):
        firth.WordTree(endless)


@pytest.mark.parametrize(
    ("children", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\).*expected whole numbers of shape \(2, 2\)"),
        ([[0, 1], [2, 3.5]], "type float64"),
        ([[0, 1], [2, 2]], "each number from 0 to 3 once"),
        ([[0, 4], [1, 2]], "each number from 0 to 3 once"),
        ([[0, 3], [1, 2]], "every node after its children"),
    ],
)
def test_children_of_no_tree_are_refused(children, message):
    with pytest.raises(OptionError, match=message):
        firth.WordTree.from_children(["a", "b", "c"], children)


def test_a_tree_that_lacks_words_names_the_first_and_counts_them():
    with pytest.raises(OptionError, match="the tree lacks 'the' and 2 more of the corpus's 5 words"):
        firth.WordTree(["cat", "tea"]).children(WORDS)
    with pytest.raises(OptionError, match="the tree lacks 'milk' of the corpus's 5 words"):
        firth.WordTree(["cat", "tea", "the", "dog"]).children(WORDS)


def test_trees_are_values():
    one, same, other = firth.WordTree(["a", "b"]), firth.WordTree(("a", "b")), firth.WordTree(["b", "a"])
    assert one == same != other
    assert hash(one) == hash(same)
    assert firth.Word2Vec(objective="hierarchical", tree=one) == firth.Word2Vec(objective="hierarchical", tree=same)
    assert repr(one).endswith(": 2 words>")
