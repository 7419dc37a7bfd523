"""The default rule for words: how their letters become those of the vocabulary.

    words           lower case; forms of one letter are one: full-width and half-width characters, ligatures
                    (`ﬁ`, `ﷲ`), the shapes of Arabic letters, the long s
    words:tr        `I` becomes `ı`, and `İ` becomes `i`; `words:az` is the same
    words:lt        the dot of `i` and `j` under another accent goes: `i̇́` becomes `í`
    words:as-shaped forms stay as they are; also after a language, as in `words:tr:as-shaped`

Lower case is that of Unicode: `ß` stays, a sigma at the end of a word is `ς`. Without a language `İ` becomes `i`, so
that `İstanbul` and `Istanbul` are one word. Also removed: what is invisible (the soft hyphen, direction marks), the
Arabic tatweel, which only lengthens a line, and the Armenian marks of questions and stress, which stand inside a word.
What is typed for an apostrophe is one: `‘` (Uzbek `o‘zbek`), an acute or grave accent alone, the prime, the geresh.

Source: The Unicode Standard, chapter 3.13, default case conversion; `SpecialCasing.txt` for Turkish, Azerbaijani and
Lithuanian. Departures: in Lithuanian the dot is removed rather than added, so that both spellings are one word; `İ`
outside Turkish.
"""

import functools
import re
import unicodedata
from dataclasses import dataclass

from firth.text.characters import REPLACED

NAME = "words"
AS_SHAPED = "as-shaped"
LANGUAGES = ("tr", "az", "lt")  # with rules of their own
DOTLESS = ("tr", "az")  # I has no dot

_TATWEEL = 0x0640
_ARMENIAN_MARKS = (0x055B, 0x055C, 0x055E)  # of stress, exclamation and question, above a vowel of the word
_APOSTROPHES = (0x0060, 0x00B4, 0x055A, 0x05F3, 0x2018, 0x201B, 0x2032)  # as they are typed
# Long s, micro sign, ligatures, presentation forms of Hebrew and Arabic, full-width and half-width characters.
_FORMS = (
    (0x00B5, 0x00B5), (0x017F, 0x017F), (0xFB00, 0xFB4F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0xFF01, 0xFFEE)
)  # fmt: skip
SHAPED = re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _FORMS)}]")  # what may become letters
# Capital I, unless a mark follows that it composes with: the letter is then another one, such as Î, or has its dot.
_MARKS_OF_I = "".join(
    mark for mark in map(chr, range(0x300, 0x340)) if len(unicodedata.normalize("NFC", f"I{mark}")) == 1
)
CAPITAL_I = re.compile(f"I(?![{_MARKS_OF_I}])")
CAPITAL_I_BYTES = re.compile(b"I(?!(?:%b))" % b"|".join(mark.encode() for mark in _MARKS_OF_I))
_SOFT_DOT = re.compile("([ijį])\u0307(?=[\u0300\u0301\u0303])")


@dataclass(frozen=True)
class WordRule:
    """How characters become those of words.

    Attributes:
        language: one of `LANGUAGES`, or "" for the others.
        as_shaped: whether the forms of a letter stay apart.
    """

    language: str = ""
    as_shaped: bool = False

    @property
    def name(self) -> str:
        """The rule as a name, such as "words:tr"."""
        return ":".join([NAME, *filter(None, [self.language, AS_SHAPED if self.as_shaped else ""])])

    def prepared(self, text: str) -> str:
        """Return a text in composed form (NFC) without what is removed; case is as it was."""
        if self.language in DOTLESS:
            text = CAPITAL_I.sub("ı", text if self.as_shaped else text.replace("Ｉ", "ı"))
        composed = unicodedata.normalize("NFC", text.translate(replaced(as_shaped=self.as_shaped)))
        return composed.replace("İ", "i")

    def lowered(self, token: str) -> str:
        """Return the word that a token of prepared text is."""
        lower = token.lower()
        if lower.isascii():
            return lower
        if self.language == "lt":
            lower = _SOFT_DOT.sub(r"\1", lower)
        return unicodedata.normalize("NFC", lower)

    def folded(self, word: str) -> str:
        """Return what becomes of a character that stands alone, or of a word with all its signs."""
        return self.lowered(self.prepared(word))


DEFAULT = WordRule()


def word_rule(name: str) -> WordRule | None:
    """Return the rule of a name such as "words:tr", or None if it is not one."""
    first, *parts = name.split(":")
    if first != NAME or len(parts) > 2:
        return None
    language = parts[0] if parts and parts[0] in LANGUAGES else ""
    rule = WordRule(language, as_shaped=parts[-1:] == [AS_SHAPED])
    return rule if rule.name == name else None


@functools.cache
def replaced(*, as_shaped: bool) -> dict[int, str | None]:
    """Return what is replaced before anything else: forms of letters; None for what is removed."""
    table: dict[int, str | None] = {**REPLACED, **dict.fromkeys((_TATWEEL, *_ARMENIAN_MARKS))}
    table.update(dict.fromkeys(_APOSTROPHES, "'"))
    if as_shaped:
        return table
    for code in (code for first, last in _FORMS for code in range(first, last + 1)):
        letters = unicodedata.normalize("NFKC", chr(code))
        if letters != unicodedata.normalize("NFC", chr(code)) and " " not in letters:
            table.setdefault(code, letters)
    return table
