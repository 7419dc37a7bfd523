import sys
import unicodedata

import pytest

from firth.text.characters import KIND_OF_CATEGORY, REPLACED, SEPARATOR, fold, kind


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        ("aZßΣкアㄱ가Ⅷ½²ʼ", "l"),
        ("09٣९", "d"),
        ("\u0301\u093e\u0e31", "m"),
        ("漢々〇かゝ\U00020000", "i"),
        ("'\u05f3\u05f4", "a"),
        ("_·\u200c\u200d", "u"),
        (".,\u066b\u066c", "p"),
        (" -\n\0!€👍\ufffd\ue000\u20e3", " "),
    ],
)
def test_kinds(characters: str, expected: str) -> None:
    assert {character: kind(character) for character in characters} == dict.fromkeys(characters, expected)


def test_every_character_that_is_removed_showed_nothing() -> None:
    removed = [chr(code) for code, into in REPLACED.items() if into is None]
    assert {unicodedata.category(character) for character in removed} <= {"Cf", "Mn"}
    assert all(fold(f"a{character}b") == "ab" for character in removed)


def test_folding_twice_changes_nothing_more() -> None:
    for code in range(sys.maxunicode + 1):
        folded = fold(chr(code))
        assert fold(folded) == folded


def test_no_letter_stands_among_private_or_unassigned_characters() -> None:
    assert not {"Cn", "Co", "Cs"} & set(KIND_OF_CATEGORY)
    assert kind("\U0010fffd") == SEPARATOR
