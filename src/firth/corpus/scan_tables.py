"""Tables of the tokenisation rules for the compiled scanner, one entry per character.

The entries come from the functions of the reference tokenisers (`text.characters`), so a newer Unicode database in a
newer Python changes both.
"""

import functools
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.kernels import scan
from firth.text import characters
from firth.text.tokenise import DIGIT_NAMES, are_words
from firth.text.word_rules import replaced, word_rule

_KINDS = {
    characters.SEPARATOR: scan.SEPARATOR,
    characters.LETTER: scan.LETTER,
    characters.DIGIT: scan.DIGIT,
    characters.MARK: scan.MARK,
    characters.IDEOGRAPH: scan.IDEOGRAPH,
    characters.APOSTROPHE: scan.APOSTROPHE,
    characters.CONNECTOR: scan.CONNECTOR,
    characters.POINT: scan.POINT,
}
_LONGEST = 5  # bytes in an entry

_SPAN = 256  # code points processed at once

# Ranges with assigned characters; all others are separators (surrogates, private use, unassigned).
_ASSIGNED = (range(0xD800), range(0xE000, 0x34000), range(0xE0000, 0xE0200))


@dataclass(frozen=True, eq=False)
class ScanTables:
    """Rules of a tokeniser for `kernels.scan.scan`.

    Attributes:
        entries: (0x110000,) uint64, or (256,) if bytewise.
        bytewise: whether every byte is a character, and spaces separate words.
        digits: whether an ASCII digit can be inside a word.
    """

    entries: npt.NDArray[np.uint64]
    bytewise: bool
    digits: bool


@functools.cache
def scan_tables(tokens: str) -> ScanTables:
    """Return the tables of tokens with a name, such as "words"."""
    return ScanTables(_entries_of(tokens), bytewise=tokens == "whitespace", digits=are_words(tokens))


def _entries_of(tokens: str) -> npt.NDArray[np.uint64]:
    if tokens == "whitespace":
        return _whitespace_entries()
    if tokens == "text8":
        return _text8_entries()
    rule = word_rule(tokens)
    if rule is None:
        return _word_entries(Letters(characters.fold, str.casefold, characters.REPLACED))
    in_context = frozenset("\u0307" if rule.language == "lt" else "")
    entries = _word_entries(Letters(rule.folded, str.lower, replaced(as_shaped=rule.as_shaped), in_context))
    entries[ord("Σ")] |= scan.SIGMA
    entries[[ord(letter) for letter in _beside_sigma()]] |= scan.CASED
    return entries


def _beside_sigma() -> list[str]:
    """Return the letters of Greek behind which a capital sigma ends a word, and before which it does not."""
    greek = map(chr, (*range(0x370, 0x400), *range(0x1F00, 0x2000)))
    return [letter for letter in greek if f"{letter}Σ".lower().endswith("ς") and f"ΑΣ{letter}".lower()[1] == "σ"]


@dataclass(frozen=True)
class Letters:
    """What becomes of characters.

    Attributes:
        folded: what becomes of a character that stands alone.
        cased: what changes the case of a text, and of a character alone at most as `folded` does.
        replaced: characters that `folded` replaces whatever their case.
        in_context: characters that become something else in other surroundings.
    """

    folded: Callable[[str], str]
    cased: Callable[[str], str]
    replaced: Mapping[int, str | None]
    in_context: frozenset[str] = frozenset()


def _entry(folded: bytes, kind: int, flags: int = 0, combining: int = 0) -> int:
    entry = int.from_bytes(folded, "little") | len(folded) << scan.LENGTH | kind << scan.KIND
    return entry | combining << scan.CCC | flags


def _whitespace_entries() -> npt.NDArray[np.uint64]:
    separator, letter = _entry(b"", scan.SEPARATOR, scan.BOUNDARY), scan.LETTER
    entries = [separator if byte <= 0x20 else _entry(bytes([byte]), letter) for byte in range(256)]
    return np.array(entries, dtype=np.uint64)


def _text8_entries() -> npt.NDArray[np.uint64]:
    entries = np.full(0x110000, _entry(b"", scan.SEPARATOR, scan.BOUNDARY), dtype=np.uint64)
    for code in range(ord("a"), ord("z") + 1):
        entries[[code, code - 32]] = _entry(bytes([code]), scan.LETTER)
    for digit, name in enumerate(DIGIT_NAMES):
        # A token of its own, like an ideograph.
        entries[ord("0") + digit] = _entry(name.encode(), scan.IDEOGRAPH)
    return entries


def _word_entries(letters: Letters) -> npt.NDArray[np.uint64]:
    entries = np.zeros(0x110000, dtype=np.uint64)
    firsts, seconds = _composing()
    special = firsts.union(seconds, characters.JOINERS, map(chr, letters.replaced))
    # One by one, 200,000 characters would take half a second: those that fold to themselves and do not compose are
    # entered together.
    for codes in _ASSIGNED:
        entries[codes.start : codes.stop] = _plain_entries(codes)
        for text in _spans(codes):
            if letters.cased(text) != text or not unicodedata.is_normalized("NFC", text):
                special.update(letter for letter in text if letters.folded(letter) != letter)
    for character in special:
        hard = character in letters.in_context
        entries[ord(character)] = _entry_of(character, letters.folded(character), firsts, seconds, hard=hard)
    return entries


def _plain_entries(codes: range) -> npt.NDArray[np.uint64]:
    """Return the entries of characters that fold to themselves and do not compose."""
    text = _characters(codes)
    code = np.arange(codes.start, codes.stop, dtype=np.uint64)
    names = {category: _KINDS[kind] for category, kind in characters.KIND_OF_CATEGORY.items()}
    kinds = np.array([names.get(category, scan.SEPARATOR) for category in map(unicodedata.category, text)], np.uint64)
    for first, last in characters.IDEOGRAPHS:
        kinds[(kinds == scan.LETTER) & (code >= first) & (code <= last)] = scan.IDEOGRAPH
    combining = np.fromiter(map(unicodedata.combining, text), np.uint64, len(text))
    edge = np.where(combining == 0, np.uint64(scan.BOUNDARY), np.uint64(0))
    inner = _utf8(code) | kinds << scan.KIND
    return np.asarray(np.where(kinds == scan.SEPARATOR, edge, inner) | combining << scan.CCC)


def _utf8(code: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the UTF-8 bytes of code points, first byte lowest, with their number in its position in an entry."""
    last, third, second = (code >> shift & 0x3F | 0x80 for shift in (0, 6, 12))
    single = code | 1 << scan.LENGTH
    two = code >> 6 | 0xC0 | last << 8 | 2 << scan.LENGTH
    three = code >> 12 | 0xE0 | third << 8 | last << 16 | 3 << scan.LENGTH
    four = code >> 18 | 0xF0 | second << 8 | third << 16 | last << 24 | 4 << scan.LENGTH
    return np.select([code < 0x80, code < 0x800, code < 0x10000], [single, two, three], four)


def _characters(codes: range) -> str:
    return np.arange(codes.start, codes.stop, dtype="<u4").tobytes().decode("utf-32-le")


def _spans(codes: range) -> Iterator[str]:
    text = _characters(codes)
    return (text[start : start + _SPAN] for start in range(0, len(text), _SPAN))


def _entry_of(character: str, folded: str, firsts: set[str], seconds: set[str], *, hard: bool) -> int:
    category = unicodedata.category(character)
    if category in ("Cn", "Co"):
        return scan.BOUNDARY
    combining = unicodedata.combining(character)
    flags = scan.MAYBE if character in seconds else 0
    if character in firsts or not firsts.isdisjoint(folded):
        flags |= scan.FIRST
    kinds = {characters.kind(letter) for letter in folded}
    data = folded.encode()
    normal = unicodedata.normalize("NFC", character) == character
    plain = len(folded) == 1 and unicodedata.combining(folded) == combining
    expands = len(folded) > 1 and kinds == {characters.LETTER} and not any(map(unicodedata.combining, folded))
    inert = character in seconds or seconds.isdisjoint(folded)
    if hard or not normal or not (plain or expands) or not inert or len(data) > _LONGEST:
        return flags | scan.HARD | combining << scan.CCC
    kind = _KINDS[kinds.pop()]
    if kind == scan.SEPARATOR:
        edge = not flags and not combining
        return flags | combining << scan.CCC | (scan.BOUNDARY if edge else 0)
    return _entry(data, kind, flags, combining)


def _composing() -> tuple[set[str], set[str]]:
    """Return the characters that can be first in a canonical composition, and those that can follow.

    A composed letter is among the first: a mark may belong before one of its own, as the acute of ᾀ + acute = ᾄ does.
    """
    triples = list(_compositions())
    firsts = {first for first, _, composed in triples} | {composed for _, _, composed in triples}
    seconds = {second for _, second, _ in triples}
    # Hangul is composed by rule: leading consonant + vowel, then + trailing consonant.
    firsts.update(map(chr, (*range(0x1100, 0x1113), *range(0xAC00, 0xD7A4, 28))))
    seconds.update(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
    return firsts, seconds


def _compositions() -> Iterator[tuple[str, str, str]]:
    for codes in _ASSIGNED:
        for text in _spans(codes):
            if unicodedata.is_normalized("NFD", text):
                continue  # no composed characters
            for character in text:
                parts = unicodedata.decomposition(character).split()
                if len(parts) == 2 and not parts[0].startswith("<"):
                    first, second = (chr(int(part, 16)) for part in parts)
                    if unicodedata.normalize("NFC", first + second) == character:
                        yield first, second, character
