"""Trees in arrays."""

import pytest

from firth.errors import FormatError, ShapeError
from firth.readers.tree import Tree, check_words

SHE_EATS_FISH = Tree((1, -1, 1), ("nsubj", "root", "obj"), ("She", "eats", "fish"))


def test_children_are_in_the_order_of_their_numbers():
    assert SHE_EATS_FISH.children() == [[], [0, 2], []]
    assert SHE_EATS_FISH.root == 1
    assert SHE_EATS_FISH.sentence == ("She", "eats", "fish")
    assert len(SHE_EATS_FISH) == 3


@pytest.mark.parametrize(
    ("parents", "problem"),
    [
        ((-1, -1, 0), r"2 roots \(1, 2\)"),
        ((1, 0, 1), "0 roots"),
        ((-1, 2, 1), "a cycle of the words 2 -> 3 -> 2"),
        ((-1, 0, 3), "the head of word 3 is 4, beyond the 3 words"),
        ((-1, 0), "2 parents, 3 labels and 3 words"),
    ],
)
def test_what_is_no_tree_is_refused(parents, problem):
    with pytest.raises(ShapeError, match=problem):
        Tree(parents, ("", "", ""), ("a", "b", "c"))


def test_a_long_chain_needs_no_recursion():
    words = 20_000
    chain = Tree((*range(1, words), -1), ("",) * words, ("a",) * words)
    assert chain.children()[5] == [4]


def test_words_are_compared_without_regard_to_spaces():
    check_words(SHE_EATS_FISH, ["She", "eatsfish"], "here")
    with pytest.raises(FormatError, match=r"a\.txt line 3: .* 'fish' and 'meat' after 'Sheeats'"):
        check_words(SHE_EATS_FISH, ["She", "eats", "meat"], "a.txt line 3")
    with pytest.raises(FormatError, match="'' and 'now' after 'Sheeatsfish'"):
        check_words(SHE_EATS_FISH, ["She", "eats", "fish", "now"], "here")
