"""Kinds of characters for the default tokeniser, and case folding.

Seven kinds, each with a one-letter code::

    l  letter        general categories L*, Nl and No (letters, Roman numerals, superscripts, fractions)
    d  digit         Nd
    m  mark          Mn and Mc: vowel signs, tone marks, accents that have no composed letter
    i  ideograph     Han and Hiragana: scripts without spaces; each character is a token
    a  apostrophe    ' and the Hebrew geresh and gershayim
    u  connector     _ · and the zero-width joiners of Persian and Indic spelling
    p  point         . , and the Arabic decimal and thousands separators
"""

import unicodedata

LETTER, DIGIT, MARK, IDEOGRAPH, APOSTROPHE, CONNECTOR, POINT, SEPARATOR = "ldmiaup "

KIND_OF_CATEGORY = {
    **dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "No"), LETTER),
    **dict.fromkeys(("Mn", "Mc"), MARK),
    "Nd": DIGIT,
}

JOINERS = {
    "'": APOSTROPHE,
    "\u05f3": APOSTROPHE,
    "\u05f4": APOSTROPHE,
    "_": CONNECTOR,
    "\u00b7": CONNECTOR,
    "\u200c": CONNECTOR,
    "\u200d": CONNECTOR,
    ".": POINT,
    ",": POINT,
    "\u066b": POINT,
    "\u066c": POINT,
}

# First and last code points. Iteration marks and the ideographic zero count as ideographs.
IDEOGRAPHS = (
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)

# Invisible characters: soft hyphen, direction marks, variation selectors, byte order mark ...
_INVISIBLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x180B, 0x180D),
    (0x180F, 0x180F),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2060),
    (0x2066, 0x2069),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xE0100, 0xE01EF),
)

# Replaced first: apostrophes get one spelling, invisible characters are removed.
REPLACED: dict[int, str | None] = {0x2019: "'", 0xFF07: "'"}
REPLACED.update((code, None) for first, last in _INVISIBLE for code in range(first, last + 1))


def kind(character: str) -> str:
    """Return the kind of one character: one of the letters above, or a space for characters that separate tokens."""
    if character in JOINERS:
        return JOINERS[character]
    plain = KIND_OF_CATEGORY.get(unicodedata.category(character), SEPARATOR)
    code = ord(character)
    return IDEOGRAPH if plain == LETTER and any(first <= code <= last for first, last in IDEOGRAPHS) else plain


def fold(text: str) -> str:
    """Return the form of a text in which words are compared: invisible characters removed, NFC, full case folding, NFC.

    Case folding can break composition (the folded form of a composed letter may be letter + accent), hence the second
    NFC.

    Source: The Unicode Standard, chapter 3.13, definition D145 (with NFC in the place of NFD).
    """
    composed = unicodedata.normalize("NFC", text.translate(REPLACED))
    return unicodedata.normalize("NFC", composed.casefold())
