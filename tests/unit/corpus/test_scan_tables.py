import sys
import unicodedata

import numpy as np
import pytest

from firth.corpus import scan_tables
from firth.corpus.scan_tables import _ASSIGNED, _composing, _entry_of
from firth.kernels import scan
from firth.text.characters import fold
from firth.text.word_rules import WordRule


@pytest.mark.parametrize(("tokens", "folded"), [("words", WordRule().folded), ("unicode", fold)])
def test_entries_filled_together_equal_entries_made_one_by_one(tokens, folded) -> None:
    entries = scan_tables.scan_tables(tokens).entries
    firsts, seconds = _composing()
    beside_sigma = np.uint64(scan.SIGMA | scan.CASED if tokens == "words" else 0)
    for codes in _ASSIGNED:
        slow = [
            _entry_of(chr(code), folded(chr(code)), firsts, seconds, hard=False) | entries[code] & beside_sigma
            for code in codes
        ]
        assert np.array_equal(entries[codes.start : codes.stop], np.array(slow, dtype=np.uint64))


def test_nothing_but_separators_stands_outside_the_assigned_ranges() -> None:
    inside = set().union(*_ASSIGNED)
    outside = {unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1) if code not in inside}
    assert outside <= {"Cn", "Co", "Cs"}


def test_composing_characters_are_those_that_nfc_joins() -> None:
    # The letter a takes an acute and a dot below; Hangul syllables without a final consonant take one.
    firsts, seconds = _composing()
    assert {"a", "<", "か", "\u1100", "가"} <= firsts
    assert {"\u0301", "\u0323", "\u3099", "\u1161", "\u11a8", "\u09be"} <= seconds
    assert not {"각", "\u0335"} & (firsts | seconds)


def test_an_entry_holds_the_folded_bytes() -> None:
    def parts(character: str) -> tuple[bytes, int]:
        entry = int(scan_tables.scan_tables("words").entries[ord(character)])
        length = entry >> scan.LENGTH & 7
        return (entry & (1 << 40) - 1).to_bytes(5, "little")[:length], entry >> scan.KIND & 7

    assert parts("Q") == (b"q", scan.LETTER)
    assert parts("É") == ("é".encode(), scan.LETTER)
    assert parts("ß") == ("ß".encode(), scan.LETTER)
    assert parts("ﬁ") == (b"fi", scan.LETTER)
    assert parts("’") == (b"'", scan.APOSTROPHE)
    assert parts("7") == (b"7", scan.DIGIT)
    assert parts("-") == (b"", scan.SEPARATOR)
    assert int(scan_tables.scan_tables("text8").entries[ord("7")]) & (1 << 40) - 1 == int.from_bytes(b"seven", "little")
