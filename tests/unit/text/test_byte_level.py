"""Bytes as characters, and chunks."""

import unicodedata

import pytest

from firth.errors import CorpusError
from firth.text.byte_level import CHARACTERS, LONGEST, PATTERN, chunks, to_bytes, to_characters


def test_each_byte_has_a_character_that_shows():
    assert len(set(CHARACTERS)) == 256
    assert not any(character.isspace() or not character.isprintable() for character in CHARACTERS)
    assert (CHARACTERS[ord("a")], CHARACTERS[ord(" ")], CHARACTERS[ord("\n")]) == ("a", "Ġ", "Ċ")


def test_characters_are_those_of_the_library():
    library = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    assert set(library.pre_tokenizers.ByteLevel.alphabet()) == set(CHARACTERS)
    cut = library.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    text = "aé東🎉\0 \u00ad"
    assert cut.pre_tokenize_str(text)[0][0] == to_characters(text)


def test_bytes_of_characters():
    """é is C3 A9 in UTF-8; both are printable in Latin-1, as Ã and ©."""
    assert to_characters("é ") == "Ã©Ġ"
    assert to_bytes(["Ã", "©Ġ"]) == b"\xc3\xa9 "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", ["a", " b"]),
        ("a  b", ["a", " ", " b"]),
        ("a \n b", ["a", " \n", " b"]),
        ("x=3.14;", ["x", "=", "3", ".", "14", ";"]),
        ("हिन्दी है", ["हिन्दी", " है"]),  # vowel signs are marks, and stay
        ("don't", ["don", "'", "t"]),
        ("  ", ["  "]),
        ("", []),
        ("a" * 130, ["a" * 64, "a" * 64, "aa"]),
    ],
)
def test_chunks(text, expected):
    assert chunks(text) == expected


def test_chunks_are_those_of_the_library():
    """Every character of Unicode 3.2 that means the same today, and so does in any program's tables, among others."""
    library = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    split = library.pre_tokenizers.Split(library.Regex(PATTERN), "isolated")
    old = unicodedata.ucd_3_2_0
    known = [chr(code) for code in range(0x30000) if old.category(chr(code)) not in {"Cn", "Cs"}]
    same = [c for c in known if old.category(c)[0] == unicodedata.category(c)[0]]
    text = "".join(f"{c}a{c} {c}1 " for c in same)
    assert len(same) > 90_000
    assert [chunk for chunk, _ in split.pre_tokenize_str(text)] == chunks(text)


def test_a_chunk_is_bounded():
    assert max(map(len, chunks("日" * 1000 + " " * 1000 + "!" * 1000))) <= LONGEST + 1


def test_a_lone_surrogate_is_refused():
    with pytest.raises(CorpusError, match="character 1 of 'a\\\\ud800' is '\\\\ud800', half of a surrogate pair"):
        to_characters("a\ud800")
