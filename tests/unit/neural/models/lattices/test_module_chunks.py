"""Chunks counted by hand, where they occur, and what they add up to."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.language.text import training_text
from firth.neural.models.lattices.module import Units, frequent_chunks


def test_counts_stay_within_sentences_and_known_tokens():
    text = training_text([["a", "b", "a", "b"], ["a", "b", "rare", "a"]], {"min_count": 2}, progress=False)
    a, b = text.vocabulary.ids["a"], text.vocabulary.ids["b"]
    assert frequent_chunks(text, max_length=3, most=9, min_count=1) == {
        (a, b): 3, (b, a): 1, (a, b, a): 1, (b, a, b): 1,
    }  # fmt: skip
    assert frequent_chunks(text, max_length=3, most=9, min_count=2) == {(a, b): 3}
    assert list(frequent_chunks(text, max_length=3, most=1, min_count=1)) == [(a, b), (a, b, a)]
    assert frequent_chunks(text, max_length=50, most=1, min_count=3) == {(a, b): 3}
    assert frequent_chunks(text, max_length=1, most=9, min_count=1) == {}


def test_sentences_without_ends_are_kept_apart():
    text = training_text([["a", "b"], ["a", "b"]], {"min_count": 1}, eos=False, progress=False)
    a, b = text.vocabulary.ids["a"], text.vocabulary.ids["b"]
    assert frequent_chunks(text, max_length=3, most=9, min_count=1) == {(a, b): 2}


def test_units_and_prefixes_of_each_token():
    units = Units(4, [(1, 2), (1, 2, 3), (3, 3, 3)], 3)
    found, nodes = units(torch.tensor([[1, 2, 3, 3, 3, -1], [-1, 1, 2, 2, 1, 2]]))
    assert found[0].tolist() == [[1, 4, 5], [2, -1, -1], [3, -1, 6], [3, -1, -1], [3, -1, -1], [-1, -1, -1]]
    assert found[1].tolist() == [[-1, -1, -1], [1, 4, -1], [2, -1, -1], [2, -1, -1], [1, 4, -1], [2, -1, -1]]
    assert (nodes[0, 2] >= 0).tolist() == [True, True, True]  # 3 3 begins a unit and is none
    tokens, after = units.continuations(int(nodes[0, 2, 1]))
    assert tokens.tolist() == [3]
    assert units.unit_of[after].tolist() == [6]


def test_masses_are_those_of_all_units_with_a_beginning():
    units = Units(4, [(1, 2), (1, 2, 3), (3, 3, 3)], 3)
    masses = units.masses(torch.tensor([[0.1, 0.2, 0.3, 0.05, 0.15, 0.12, 0.08]], dtype=torch.float64))[0]
    _, nodes = units(torch.tensor([[1, 2, 3], [3, 3, 3]]))
    assert masses[nodes[0, 0]].tolist() == pytest.approx([0.2 + 0.15 + 0.12, 0.15 + 0.12, 0.12])
    assert masses[nodes[1, 0]].tolist() == pytest.approx([0.05 + 0.08, 0.08, 0.08])


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([(1, 2, 3, 1)], "chunk 0 has 4 tokens: expected at most max_length=3"),
        ([(1, 2), (1,)], r"chunk 1 is \(1,\): expected two or more tokens below 4"),
        ([(1, 4)], "tokens below 4"),
        ([(1, 2), (1, 2)], "chunk 1 occurs twice"),
    ],
)
def test_bad_chunks(chunks, message):
    with pytest.raises(OptionError, match=message):
        Units(4, chunks, 3)
