"""The compiled scanner agrees with the reference tokenisers, token for token, wherever blocks of text end."""

import sys
import unicodedata
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firth.corpus.scanner import Scanner
from firth.text.tokenise import decode, encode, tokeniser

NAMES = ("words", "words:tr", "words:lt", "words:as-shaped", "unicode", "whitespace", "text8")

# What rules hang on: joiners, composing and reordering marks, conjoining jamo, expansions, invisible characters.
TRICKY = (
    "aZ09'’_·.,-<=> \t\n\r\x00\x1f\x7f\xa0ßŉİıſKÅΣςǰΐﬃŁ\u00ad\u0301\u0308\u0323\u0345\u034f\u0338\u05f3\u05f4"
    "\u0661\u066b\u066c\u0e33\u0e38\u0e48\u093c\u0928\u094d\u09c7\u09be\u0b92\u0bd7漢字々かが\u3099ァ\u309a\u1100"
    "\u1161\u11a8가각\u200b\u200c\u200d\u2028\u3000\ufeff\ufe0f\u20e3\ufffd½²Ⅷ\U0001f600\U00020000\U0001e900\U000e0100"
    "\U0001d15e\uf900\u1e9e\u0130\u212b\u2126\ud800\udfffIjįJ\u0640ﷲﺏﾞｶＡ１．ﬁ"
)
tricky_texts = st.text(st.sampled_from(TRICKY), max_size=40)
texts = st.one_of(
    tricky_texts,
    st.text(st.one_of(st.sampled_from(TRICKY), st.characters(codec=None)), max_size=60),
    st.lists(st.one_of(st.from_regex(r"[a-zA-Z0-9']{1,25}", fullmatch=True), tricky_texts), max_size=8).map(" ".join),
)
# Valid text with bytes put in, cut out or overwritten, and bytes that never were text.
broken = st.builds(
    lambda data, place, junk, cut: data[: place % (len(data) + 1)] + junk + data[place % (len(data) + 1) + cut :],
    texts.map(encode),
    st.integers(0, 1000),
    st.binary(max_size=5),
    st.integers(0, 3),
)
blobs = st.one_of(texts.map(encode), broken, st.binary(max_size=60))


def scanned(data: bytes, tokens: str, block: int = 1 << 12, paragraphs: bool = False) -> list[list[str]]:
    """The sentences of `data` as the scanner sees them."""
    blocks: list[np.ndarray] = []
    scanner = Scanner(tokens, lambda numbers: blocks.append(numbers.copy()), paragraphs=paragraphs, block=block)
    scanner.feed(data)
    scanner.end()
    words, counts = scanner.finish()
    numbers = np.concatenate(blocks)
    assert np.array_equal(np.bincount(numbers[numbers >= 0], minlength=len(words)), counts)
    sentences: list[list[str]] = [[]]
    for number in numbers.tolist():
        if number == -1:
            sentences.append([])
        else:
            sentences[-1].append(words[number])
    assert sentences[-1] == []
    return [sentence for sentence in sentences if sentence]


def expected(data: bytes, tokens: str) -> list[list[str]]:
    found = (tokeniser(tokens)(decode(line)) for line in data.split(b"\n"))
    return [line for line in found if line]


@pytest.mark.parametrize("tokens", NAMES)
@settings(max_examples=150, deadline=None)
@given(data=blobs, block=st.integers(8, 80))
@example(data=b"caf\xc3", block=8)
@example(data=b"a\xf0", block=8)
@example(data=b"\xe0\x80a \xed\xa0\x80b \xf4\x90\x80\x80c \xc1\xbfd", block=8)
@example(data="e\u0301 \u1100\u1161 <\u0338 o'\u0301'c a\u0323\u0301 q\u0301\u0323".encode(), block=11)
def test_scanner_and_reference_agree(tokens: str, data: bytes, block: int) -> None:
    assert scanned(data, tokens, block) == expected(data, tokens)


@pytest.mark.parametrize("tokens", NAMES)
def test_every_place_where_a_block_can_end(tokens: str) -> None:
    # The block grows to hold the longest stretch without a boundary, so its size is varied along with the text's shift.
    text = "It’s 3.14 naïve cafe\u0301s, state-of-the-art Straße 東京か\u3099 don't_stop 1,000 \U0001d15e l'été\n\nend"
    data = text.encode()
    for block in range(8, len(data) + 8):
        assert scanned(data, tokens, block) == expected(data, tokens)
        assert scanned(b" " * block + data, tokens, block) == expected(data, tokens)


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_every_character_alone_doubled_and_between_letters(step: int) -> None:
    """All characters up to Hangul's alphabet, and every 16th of the others, which are mostly of long like ranges."""
    for start in range(0, sys.maxunicode + 1, 1 << 14):
        codes = [code for code in range(start, start + (1 << 14)) if code < 0x3200 or code % step == 0]
        characters = [chr(code) for code in codes if unicodedata.category(chr(code)) != "Cn"]
        for shape in ("{0}", "x{0}y", "e{0}{0} 5{0}5", "か{0}"):
            text = "\n".join(shape.format(character) for character in characters)
            data = encode(text)
            assert scanned(data, "words", 1 << 16) == expected(data, "words")


def test_marks_go_before_those_of_a_composed_letter() -> None:
    """The acute of ᾀ + acute belongs before the iota below, which makes it ᾄ."""
    text = "\u1f80\u0301 \u1f88\u0301 \u1e69\u0323"
    for tokens in ("words", "unicode"):
        assert scanned(text.encode(), tokens) == expected(text.encode(), tokens)


def test_capital_sigmas_are_folded_where_they_stand() -> None:
    """As Python does, which the scanner asks in rare places only: behind marks, digits and apostrophes."""
    rare = "Σ’ ΑΣ’Α ΑΣ’ Α\u0323Σ ΑΣ\u0323Α ΑΣ1 1Σ xΣ ΑΣx ΑΣʰΑ ΑΣ·Α ΑΣ_"
    common = "Σ ΟΔΟΣ ΟΔΌΣ. ΣΣ ΣΩΜΑ ΚΌΣΜΟΣ,ΣΑΣ (ΑΣ) ΑΣ漢ΑΣ ΑΣ\U0001f600 Σίσυφος ΣΊΣΥΦΟΣ-ΑΣ\u00a0ᾺΣ"
    for block in range(8, 90):
        assert scanned(f"{rare} {common}".encode(), "words", block) == [tokeniser("words")(f"{rare} {common}")]
        asked = Scanner("words", lambda numbers: None, block=block)
        asked.feed(common.encode())
        asked.end()
        assert not asked._cached_words


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab \n\t\r\u3000é"), max_size=60), st.integers(8, 30))
def test_paragraphs_end_at_blank_lines(text: str, block: int) -> None:
    paragraphs: list[list[str]] = [[]]
    for line in encode(text).split(b"\n"):
        if not line.strip(bytes(range(33))):
            paragraphs.append([])
        paragraphs[-1] += tokeniser("words")(decode(line))
    wanted = [paragraph for paragraph in paragraphs if paragraph]
    assert scanned(encode(text), "words", block, paragraphs=True) == wanted


def test_tables_grow_without_losing_a_word() -> None:
    # 200,000 distinct words: more than the first table takes; long ones share their first 8 bytes.
    words = [f"w{i}" for i in range(100_000)] + [f"prefixed-{i}" for i in range(100_000)]
    data = " ".join(words + words[::-1]).encode()
    assert scanned(data, "whitespace") == [words + words[::-1]]


def test_a_hard_stretch_fills_the_tables() -> None:
    # Words that only the reference can fold arrive while the table is full.
    words = [f"w{i}e\u0301" for i in range(170_000)]
    assert scanned(" ".join(words).encode(), "words") == [[unicodedata.normalize("NFC", word) for word in words]]


def test_the_declaration_of_human_rights_in_every_language(shared_data: Path) -> None:
    archive = shared_data / "language" / "udhr2" / "udhr2.zip"
    if not archive.is_file():
        pytest.skip(f"{archive} is missing: FIRTH_DATA names a folder without it")
    with zipfile.ZipFile(archive) as files:
        texts = [files.read(name) for name in files.namelist() if name.endswith(".txt")]
    assert len(texts) > 300
    for whole in texts:
        text = whole[:5000].rpartition(b"\n")[0] or whole  # the articles are of one kind
        found = scanned(text, "words", 1 << 16)
        assert found == expected(text, "words")
        decomposed = encode(unicodedata.normalize("NFD", decode(text)))
        assert scanned(decomposed, "words", 1 << 16) == found
