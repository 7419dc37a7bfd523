"""Words and marks that are joined to the text again."""

import pytest

from firth.text.joined_words import join_marked, split_marked


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't (ever) say 3.5!", ["Don't", "(￭", "ever", "￭)", "say", "3.5", "￭!"]),
        ("a,b", ["a", "￭,￭", "b"]),
        ("“¿Qué?”, dijo", ["“", "￭¿￭", "Qué", "￭?", "￭”", "￭,", "dijo"]),
        ("T-Shirt -- x", ["T-Shirt", "-", "￭-", "x"]),
        ("", []),
        ("  a \n b\t", ["a", "b"]),
    ],
)
def test_texts_are_split_and_joined(text, tokens):
    assert split_marked(text) == tokens
    assert join_marked(tokens) == " ".join(text.split())


def test_the_mark_itself_is_a_space():
    assert join_marked(split_marked("a￭b")) == "a b"
