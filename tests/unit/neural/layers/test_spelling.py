"""Words as codes."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.spelling import Spelling


def test_words_by_hand():
    """Codes: 0 padding, 1 beginning, 2 end, 3 unknown, then a 4, b 5, c 6."""
    spelling = Spelling(["cab", "b"])
    assert spelling.characters == ("a", "b", "c")
    assert spelling.codes == 7
    assert spelling.character_ids(["cab", "b", "bx", ""]).tolist() == [
        [1, 6, 4, 5, 2],
        [1, 5, 2, 0, 0],
        [1, 5, 3, 2, 0],
        [1, 2, 0, 0, 0],
    ]


def test_long_words_are_read_to_a_limit():
    assert Spelling(["ab"], longest=2).character_ids(["abababab"]).tolist() == [[1, 4, 5, 2]]


def test_codes_do_not_hang_on_the_order_of_words():
    assert Spelling(["ab", "cä"]).characters == Spelling(["cä", "ab"]).characters


def test_no_words_have_no_rows():
    assert Spelling(["ab"]).character_ids([]).shape == (0, 2)
