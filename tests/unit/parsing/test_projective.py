"""Projective trees: the test against its definition, and lifting."""

import itertools

import pytest

from firth.parsing.projective import is_projective, projective
from firth.readers.conllu import read_conllu
from tests.unit.neural.structs.brute_force import is_projective as by_definition
from tests.unit.neural.structs.brute_force import is_tree


def test_every_tree_of_five_words():
    for heads in itertools.product(range(6), repeat=5):
        if is_tree(heads) and heads.count(0) == 1:
            assert is_projective(heads) == by_definition(heads)
            lifted = projective(heads)
            assert by_definition(lifted)
            assert is_tree(lifted)
            assert not by_definition(heads) or lifted == list(heads)


@pytest.mark.parametrize(
    ("heads", "lifted"),
    [
        ([0, 4, 1, 1], [0, 4, 1, 1]),  # 4 -> 2 covers 3, which 1 has: see below
        ([2, 0, 2], [2, 0, 2]),
    ],
)
def test_the_dependent_of_a_crossing_arc_moves_up(heads, lifted):
    """In the first, word 2 below 4 covers 3, a child of 1: 2 becomes a child of 1."""
    expected = [0, 1, 1, 1] if heads[0] == 0 else lifted
    assert projective(heads) == expected


def test_crossing_arcs_are_lifted():
    """The arc from 4 to 1 crosses that from the root 2 to 3: 1 is lifted to the head of 4."""
    assert projective([4, 0, 2, 2]) == [2, 0, 2, 2]
    assert projective([3, 0, 2, 3]) == [2, 0, 2, 3]
    assert projective([0, 1, 2]) == [0, 1, 2]


def test_treebanks_lose_few_arcs(shared_data):
    """Of Turkish, where one word in 70 has another head."""
    path = next((shared_data / "dependencies" / "UD_Turkish-IMST").glob("*dev.conllu.gz"))
    changed = words = 0
    for sentence in itertools.islice(read_conllu(path), 400):
        lifted = projective(sentence.heads)
        assert is_projective(lifted)
        changed += sum(a != b for a, b in zip(lifted, sentence.heads, strict=True))
        words += len(lifted)
    assert 0 < changed / words < 0.03
